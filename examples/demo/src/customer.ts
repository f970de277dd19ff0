import { readFile } from 'node:fs/promises'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import type { Call } from './api.ts'

/**
 * One customer of the builder: a connection, an installation, and a receiver that sees only this customer's messages.
 */
export interface Customer {
  groupRef: string
  receiver: WebhookReceiver
  installationId: string
  integrationId: string
}

const manifest = new URL('../../manifests/sample-crm.yaml', import.meta.url)

/** Deploys the example manifest; answers the integration's id. */
export async function deploy(call: Call): Promise<string> {
  const sourceYaml = await readFile(manifest, 'utf8')
  const [integration] = await call<{ id: string }[]>('PUT', '/v1/projects/default/integrations:batch', { sourceYaml })
  if (!integration) throw new Error('nothing was deployed')
  return integration.id
}

/** Makes a destination with a receiver behind it, whose signatures are verified from the first message on. */
export async function createReceiver(call: Call, name: string): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver()
  await call('POST', '/v1/projects/default/destinations', { name, type: 'webhook', metadata: { url: receiver.url } })
  const { secrets } = await call<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    `/v1/projects/default/destinations/${name}?includeSecrets=true`,
  )
  receiver.setSecret(secrets.webhookSigningKey)
  return receiver
}

/** Connects a customer's account; answers when the CRM has accepted the key. */
export async function connect(call: Call, groupRef: string, crm: { url: string; apiKey: string }): Promise<string> {
  const connection = await call<{ id: string; status: string }>(
    'POST',
    '/v1/projects/default/connections:generate?verify=true',
    {
      groupRef,
      groupName: groupRef,
      consumerRef: `${groupRef}-admin`,
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: { value: crm.url, source: 'input' } },
    },
  )
  if (connection.status !== 'working') throw new Error(`the connection is ${connection.status}`)
  return connection.id
}

/** Installs the integration for a customer: which fields, mapped how, delivered where. */
export async function install(
  call: Call,
  customer: {
    integrationId: string
    groupRef: string
    connectionId: string
    destination: string
    deletions?: { enabled: 'always' }
  },
): Promise<string> {
  const { integrationId, groupRef, connectionId, destination, deletions } = customer
  const object = (objectName: string, more: object) => ({ objectName, destination, selectedFieldMappings: {}, ...more })
  const installation = await call<{ id: string }>(
    'POST',
    `/v1/projects/default/integrations/${integrationId}/installations`,
    {
      groupRef,
      connectionId,
      config: {
        content: {
          provider: 'sampleCrm',
          read: {
            objects: {
              contacts: object('contacts', {
                selectedFields: { first_name: true, last_name: true, score: true },
                selectedFieldMappings: { lifecycle: 'stage' },
                ...(deletions && { deletions }),
              }),
            },
          },
        },
      },
    },
  )
  return installation.id
}

/** Records of contacts that the service says it has read for an installation, by what made it read. */
export async function recordsRead(
  call: Call,
  { integrationId, installationId }: Customer,
): Promise<{ records: number; operations: number }> {
  const { results } = await call<{ results: { metadata?: { progress?: { recordsProcessed: number } } }[] }>(
    'GET',
    `/v1/projects/default/integrations/${integrationId}/installations/${installationId}/operations`,
  )
  const records = results.reduce((sum, operation) => sum + (operation.metadata?.progress?.recordsProcessed ?? 0), 0)
  return { records, operations: results.length }
}

/** How many contacts the running backfill of a customer has read and committed. */
export async function backfilled(call: Call, { integrationId, installationId }: Customer): Promise<number> {
  const progress = await call<{ recordsProcessed: number }>(
    'GET',
    `/v1/projects/default/integrations/${integrationId}/installations/${installationId}/objects/contacts/backfill-progress`,
  )
  return progress.recordsProcessed
}
