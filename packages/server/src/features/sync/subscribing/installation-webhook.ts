import { type Catalogue, keySource } from '@mortise/providers'
import { type Static, Type } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { validSecrets } from '../../../kernel/encryption/index.ts'
import { type Confinement, Enum, named, Timestamp } from '../../../kernel/http/index.ts'
import {
  InstallationNotFound,
  type InstallationRecord,
  installationOf,
} from '../../integrations/installations/index.ts'
import { findIntegration, IntegrationNotFound, receiverUrl } from '../../integrations/integrations/index.ts'
import { effectiveSubscribeObjects } from './effective-subscribe.ts'
import { NoWebhookSetUp } from './problems.ts'
import type { WebhookSecretRow } from './webhook-secret-store.ts'

const time = (description: string) => Type.Unsafe<string | Date>({ ...Timestamp, description })

export const InstallationWebhook = named(
  'InstallationWebhook',
  Type.Object(
    {
      url: Type.String({ description: 'Receives the events: the customer enters it at the provider.' }),
      providerDisplayName: Type.String({ description: 'Name of the provider that people know.' }),
      secret: Type.Optional(
        Type.Object(
          {
            displayName: Type.String({ description: 'What the provider calls the secret.' }),
            prompt: Type.Optional(Type.String({ description: 'Hint of the provider file.' })),
            docsUrl: Type.Optional(Type.String({ description: 'Page that says how to set up the webhook.' })),
            state: Enum(['missing', 'set'], {
              description: '`missing`: nobody entered the secret yet. Mortise refuses every event until then.',
            }),
            setTime: Type.Optional(time('When it was entered last.')),
            previousExpireTime: Type.Optional(time('Until when the secret that it replaced is valid, too.')),
          },
          { description: 'The secret of the webhook, never its value. Absent where the provider has another key.' },
        ),
      ),
    },
    { description: 'The webhook that a customer sets up at the provider, for one installation.' },
  ),
)
export type InstallationWebhook = Static<typeof InstallationWebhook>

export interface WebhookTarget {
  installation: InstallationRecord
  webhooks: NonNullable<NonNullable<ReturnType<Catalogue['find']>>['file']>['webhooks'] & object
  providerDisplayName: string
}

/**
 * Finds an installation whose customer sets up the webhook.
 *
 * @throws IntegrationNotFound, InstallationNotFound, NoWebhookSetUp
 */
export async function findWebhookTarget(
  db: ProjectDb,
  { catalogue }: { catalogue: Catalogue },
  params: { integrationId: string; installationId: string },
  confinedTo: Confinement | undefined,
): Promise<WebhookTarget> {
  const integration = await findIntegration(db, params.integrationId, confinedTo)
  if (!integration) throw new IntegrationNotFound()
  const installation = await installationOf(db, integration.id, params.installationId, confinedTo)
  if (!installation) throw new InstallationNotFound()
  const entry = catalogue.find(installation.provider)
  const webhooks = entry?.file?.webhooks
  const isManual = webhooks?.endpoint === 'installation' && webhooks.registration === undefined
  if (!entry || !webhooks || !isManual || effectiveSubscribeObjects(installation).size === 0) throw new NoWebhookSetUp()
  return { installation, webhooks, providerDisplayName: entry.displayName }
}

/** Returns what a customer needs to set up the webhook. The value of the secret never leaves Mortise. */
export function webhookResource(
  { publicUrl, now }: { publicUrl: string; now: () => Date },
  { installation, webhooks, providerDisplayName }: WebhookTarget,
  stored: WebhookSecretRow | undefined,
): InstallationWebhook {
  const { id: installationId, integrationId, projectId } = installation
  const source = keySource(webhooks.verify)
  const input = 'input' in source ? source.input : undefined
  const [previous] = stored ? validSecrets(stored.previousSecrets, now()) : []
  return {
    url: receiverUrl({ publicUrl }, { projectId, integrationId, installationId }),
    providerDisplayName,
    ...(input && {
      secret: {
        displayName: input.displayName,
        ...(input.prompt !== undefined && { prompt: input.prompt }),
        ...(input.docsUrl !== undefined && { docsUrl: input.docsUrl }),
        state: stored ? 'set' : 'missing',
        ...(stored && { setTime: stored.setTime }),
        ...(previous && { previousExpireTime: previous.until }),
      },
    }),
  }
}
