import type { Catalogue } from '@mortise/providers'
import { endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { InstallationNotFound } from '../../../integrations/installations/index.ts'
import { IntegrationNotFound } from '../../../integrations/integrations/index.ts'
import { findWebhookTarget, InstallationWebhook, webhookResource } from '../installation-webhook.ts'
import { NoWebhookSetUp } from '../problems.ts'
import { findWebhookSecret } from '../webhook-secret-store.ts'

export const webhookPath = Path({ projectIdOrName: Ref, integrationId: Ref, installationId: Ref })

export const getInstallationWebhook = endpoint({
  id: 'getInstallationWebhook',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/webhook',
  access: 'frontendView',
  session: 'install',
  summary: 'Get the webhook that a customer sets up at the provider.',
  description: 'Returns the URL to enter at the provider, and whether the secret of the webhook is known.',
  tag: 'Installations',
  extension: true,
  params: webhookPath,
  reply: { 200: InstallationWebhook },
  problems: [IntegrationNotFound, InstallationNotFound, NoWebhookSetUp],
  run: async ({ db, params, confinedTo }, services: { catalogue: Catalogue; publicUrl: string; now: () => Date }) => {
    const target = await findWebhookTarget(db, services, params, confinedTo)
    return reply(200, webhookResource(services, target, await findWebhookSecret(db, target.installation.id)))
  },
})
