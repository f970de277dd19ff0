import { casesOf } from '../../../../testkit/cases.ts'
import { checkInstallationWebhook } from './check-installation-webhook.ts'

// Nobody subscribes to events of a provider that sends such requests.
export const cases = casesOf(checkInstallationWebhook, { status: 404 })
