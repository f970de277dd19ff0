import { casesOf } from '../../../../testkit/cases.ts'
import { getProviderPage } from './get-provider-page.ts'

export const cases = casesOf(getProviderPage, {
  status: 200,
  example: { request: { params: { provider: 'hubspot' } } },
  refused: { status: 404, request: { params: { provider: 'no-such-provider' } } },
})
