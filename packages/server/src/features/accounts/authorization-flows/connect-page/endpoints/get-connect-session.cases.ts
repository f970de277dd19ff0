import { casesOf } from '../../../../../testkit/cases.ts'
import { getConnectSession } from './get-connect-session.ts'

export const cases = casesOf(getConnectSession, {
  status: 200,
  statusFor: { 'a consumer of another group': 404 },
})
