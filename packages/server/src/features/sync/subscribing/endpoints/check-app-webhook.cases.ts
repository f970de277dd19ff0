import { casesOf } from '../../../../testkit/cases.ts'
import { checkAppWebhook } from './check-app-webhook.ts'

// Nobody subscribes to events of a provider that sends such requests.
export const cases = casesOf(checkAppWebhook, { status: 404 })
