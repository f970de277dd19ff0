import { casesOf } from '../../../../../testkit/cases.ts'
import { getConnectForm } from './get-connect-form.ts'

export const cases = casesOf(getConnectForm, {
  request: ({ groupRef }) => ({ query: { groupRef, consumerRef: 'a-person' } }),
  status: 200,
  createsGroup: true,
})
