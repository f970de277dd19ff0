import { casesOf } from '../../../../../testkit/cases.ts'
import { getConnectInfo } from './get-connect-info.ts'

export const cases = casesOf(getConnectInfo, {
  request: ({ groupRef }) => ({ query: { groupRef, consumerRef: 'a-person' } }),
  status: 200,
  // A group that does not exist yet has nothing, which is no error.
  createsGroup: true,
})
