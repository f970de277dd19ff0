import { casesOf } from '../../../../testkit/cases.ts'
import { updateProviderApp } from './update-provider-app.ts'

export const cases = casesOf(updateProviderApp, {
  request: { body: { updateMask: ['scopes'], providerApp: { scopes: ['api'] } } },
  status: 200,
})
