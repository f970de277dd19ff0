import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { deleteApiKey } from './delete-api-key.ts'

export const cases = casesOf(deleteApiKey, {
  status: 404,
  example: {
    status: 204,
    request: async ({ make }) => ({
      params: { apiKey: (await make('POST', `${project}/api-keys`, { label: 'old' })).id },
    }),
  },
})
