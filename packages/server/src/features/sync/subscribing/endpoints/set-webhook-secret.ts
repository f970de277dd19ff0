import { asksForSecret, type Catalogue } from '@mortise/providers'
import { Type } from 'typebox'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, InvalidInput, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Work } from '../../../../kernel/work/index.ts'
import { InstallationNotFound } from '../../../integrations/installations/index.ts'
import { IntegrationNotFound } from '../../../integrations/integrations/index.ts'
import { findWebhookTarget, InstallationWebhook, type WebhookTarget, webhookResource } from '../installation-webhook.ts'
import { NoWebhookSetUp } from '../problems.ts'
import { syncSubscription } from '../sync-subscription.ts'
import { isUsableSecret, setWebhookSecret as storeSecret } from '../webhook-secret.ts'
import { webhookPath } from './get-installation-webhook.ts'

/** Shorter ones could be guessed. */
const charactersMin = 8

export const setWebhookSecret = endpoint({
  id: 'setWebhookSecret',
  method: 'PUT',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/webhook-secret',
  access: 'frontendDevelop',
  session: 'install',
  summary: 'Set the secret of the webhook that a customer set up at the provider.',
  description:
    'Mortise verifies the events of the installation with it. The secret that it replaces is valid for 24 hours more. No response contains the secret.',
  tag: 'Installations',
  audit: { verb: 'set', resource: 'webhook-secret' },
  extension: true,
  params: webhookPath,
  body: Type.Object({
    secret: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'The secret, as the provider shows it. White space around it is removed.',
    }),
    endPrevious: Type.Optional(
      Type.Boolean({
        description: 'Whether former secrets end now, for example because others know them. Default: false.',
      }),
    ),
  }),
  reply: { 200: InstallationWebhook },
  problems: [IntegrationNotFound, InstallationNotFound, NoWebhookSetUp, InvalidInput],
  run: async (
    { db, params, body, confinedTo },
    services: {
      catalogue: Catalogue
      keyring: Keyring
      now: () => Date
      publicUrl: string
      queue: JobQueue
      work: Work
    },
  ) => {
    const target = await findWebhookTarget(db, services, params, confinedTo)
    const { id } = target.installation
    const change = { secret: checkedSecret(target, body.secret), endsPrevious: body.endPrevious === true }
    const stored = await db.transaction(async (tx) => {
      const row = await storeSecret(tx, services, id, change)
      if (!row) throw new InstallationNotFound()
      // The subscription works from now on, if the missing secret was the cause.
      await syncSubscription(tx, services, id)
      return row
    })
    return reply(200, webhookResource(services, target, stored))
  },
})

function checkedSecret({ webhooks }: WebhookTarget, text: string): string {
  if (!asksForSecret(webhooks.verify)) throw new NoWebhookSetUp()
  const secret = text.trim()
  const refusal = (detail: string) => new InvalidInput({ issues: [{ in: 'body', name: 'secret', detail }] })
  if (secret.length < charactersMin) throw refusal(`It must have at least ${charactersMin} characters.`)
  if (!isUsableSecret(webhooks, secret)) throw refusal('It must be the secret as the provider shows it.')
  return secret
}
