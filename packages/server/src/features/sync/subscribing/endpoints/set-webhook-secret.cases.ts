import { casesOf } from '../../../../testkit/cases.ts'
import { manuallySetUp } from './get-installation-webhook.cases.ts'
import { setWebhookSecret } from './set-webhook-secret.ts'

const body = { secret: 'a-secret-of-the-webhook' }

export const cases = casesOf(setWebhookSecret, {
  request: { body },
  // Customers of the sample CRM set up no webhook.
  status: 404,
  example: { status: 200, request: async (world) => ({ ...(await manuallySetUp(world, 'asked')), body }) },
})
