import { readFile } from 'node:fs/promises'
import type { SampleCrm } from '@mortise-examples/sample-crm'
import type { WebhookReceiver } from '@mortise-examples/webhook-receiver'
import type { MortiseProcess } from './mortise-process.testkit.ts'

const manifest = new URL('../examples/manifests/sample-crm.yaml', import.meta.url)

/** Installs the sample CRM from scratch, and makes it slow: a backfill that has a middle. */
export async function startSlowBackfill(mortise: MortiseProcess, crm: SampleCrm, receiver: WebhookReceiver) {
  const name = 'demoWebhook'
  await ok(
    mortise.call('POST', '/v1/projects/default/destinations', {
      name,
      type: 'webhook',
      metadata: { url: receiver.url },
    }),
  )
  const { secrets } = await ok(
    mortise.call<{ secrets: { webhookSigningKey: string } }>(
      'GET',
      `/v1/projects/default/destinations/${name}?includeSecrets=true`,
    ),
  )
  receiver.setSecret(secrets.webhookSigningKey)
  const [integration] = await ok(
    mortise.call<{ id: string }[]>('PUT', '/v1/projects/default/integrations:batch', {
      sourceYaml: await readFile(manifest, 'utf8'),
    }),
  )
  const integrationId = integration?.id ?? ''
  const connection = await ok(
    mortise.call<{ id: string }>('POST', '/v1/projects/default/connections:generate', {
      groupRef: 'acme',
      consumerRef: 'acme-admin',
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: crm.url },
    }),
  )
  // Slow from here on, so that there is a middle to be killed in.
  crm.setRateLimit(20, 5)
  const installation = await ok(
    mortise.call<{ id: string }>(
      'POST',
      `/v1/projects/default/integrations/${integrationId}/installations?skipSampling=true`,
      {
        groupRef: 'acme',
        connectionId: connection.id,
        config: {
          content: {
            provider: 'sampleCrm',
            read: { objects: { contacts: { objectName: 'contacts', selectedFieldMappings: { lifecycle: 'stage' } } } },
          },
        },
      },
    ),
  )
  const path = `/v1/projects/default/integrations/${integrationId}/installations/${installation.id}/objects/contacts/backfill-progress`
  return {
    /** How many records a node says that all nodes have read. */
    recordsProcessed: async (node: MortiseProcess) =>
      (await ok(node.call<{ recordsProcessed: number }>('GET', path))).recordsProcessed,
  }
}

async function ok<T>(answer: Promise<{ status: number; body: T }>): Promise<T> {
  const { status, body } = await answer
  if (status > 299) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
