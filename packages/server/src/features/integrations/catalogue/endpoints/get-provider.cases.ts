import { casesOf } from '../../../../testkit/cases.ts'
import { getProvider } from './get-provider.ts'

export const cases = casesOf(getProvider, {
  status: 200,
  example: { request: { params: { provider: 'hubspot' } } },
  refused: { status: 404, request: { params: { provider: 'no-such-provider' } } },
})
