import type { Selection } from '../../packages/server/src/features/sync/reading/record-entry.ts'
import type { Service } from './service.ts'

/** What is read of a contact, as the manifest below makes it. */
export const selection: Selection = {
  fields: ['id', 'email', 'first_name', 'last_name', 'stage', 'score', 'updated_at', 'notes'],
  mappings: [{ from: 'phone', to: 'phoneNumber' }],
  valueMappings: {},
}

const integration = (name: string) => `  - name: ${name}
    provider: benchCrm
    read:
      objects:
        - objectName: contacts
          destination: receiver
          schedule: '0 3 * * *'
          requiredFields:
${(selection.fields as string[]).map((field) => `            - fieldName: ${field}\n`).join('')}            - fieldName: phone
              mapToName: phoneNumber
          backfill:
            defaultPeriod:
              fullHistory: true
`

/** A destination, without its name. */
export interface Receiver {
  type: string
  metadata: object
  secrets?: object
}

/**
 * Deploys the integration, and as many like it as are asked for, and makes the destination: a webhook, or another.
 * Answers the integration's id.
 */
export async function prepare(service: Service, receiver: string | Receiver, count = 1): Promise<string> {
  const destination = typeof receiver === 'string' ? { type: 'webhook', metadata: { url: receiver } } : receiver
  await service.call('POST', '/destinations', { name: 'receiver', ...destination })
  const names = Array.from({ length: count }, (_, n) => (n === 0 ? 'benchCrm' : `benchCrm-${n}`))
  const sourceYaml = `specVersion: 1.0.0\nintegrations:\n${names.map(integration).join('')}`
  const deployed = await service.call<{ id: string; name: string }[]>('PUT', '/integrations:batch', { sourceYaml })
  const made = deployed.find(({ name }) => name === 'benchCrm')
  if (!made) throw new Error('nothing was deployed')
  return made.id
}

/** Connects a customer whose account has so many pages, and installs the integration: the backfill begins. */
export async function install(
  service: Service,
  customer: { integrationId: string; groupRef: string; providerUrl: string; pages: number },
): Promise<void> {
  const { integrationId, groupRef, providerUrl, pages } = customer
  const connection = await service.call<{ id: string }>('POST', '/connections:generate', {
    groupRef,
    consumerRef: groupRef,
    provider: 'benchCrm',
    apiKey: 'bench',
    providerMetadata: { url: providerUrl, pages: String(pages) },
  })
  const objects = { contacts: { objectName: 'contacts', destination: 'receiver', selectedFieldMappings: {} } }
  await service.call('POST', `/integrations/${integrationId}/installations`, {
    groupRef,
    connectionId: connection.id,
    config: { content: { provider: 'benchCrm', read: { objects } } },
  })
}
