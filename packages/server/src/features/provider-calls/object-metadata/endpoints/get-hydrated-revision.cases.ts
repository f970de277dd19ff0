import { casesOf } from '../../../../testkit/cases.ts'
import { getHydratedRevision } from './get-hydrated-revision.ts'

export const cases = casesOf(getHydratedRevision, {
  request: (ids) => ({ query: { connectionId: ids.connectionId } }),
  status: 200,
  statusFor: { 'a consumer of another group': 404 },
})
