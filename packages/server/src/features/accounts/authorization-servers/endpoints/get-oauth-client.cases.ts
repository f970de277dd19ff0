import { casesOf } from '../../../../testkit/cases.ts'
import { getOAuthClient } from './get-oauth-client.ts'

export const cases = casesOf(getOAuthClient, {
  status: 404,
  refused: { status: 404, request: { params: { projectIdOrName: 'no-project' } } },
  example: {
    status: 200,
    request: async ({ app }) => ({ params: { projectIdOrName: app.projectId } }),
  },
})
