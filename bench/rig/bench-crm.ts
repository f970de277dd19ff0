import type { Selection } from '../../packages/server/src/features/reading/record-entry.ts'
import type { Service } from './service.ts'

/** What is read of a contact, as the manifest below makes it. */
export const selection: Selection = {
  fields: ['id', 'email', 'first_name', 'last_name', 'stage', 'score', 'updated_at', 'notes'],
  mappings: [{ from: 'phone', to: 'phoneNumber' }],
  valueMappings: {},
}

const manifest = `specVersion: 1.0.0
integrations:
  - name: benchCrm
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

/** Deploys the integration and makes the destination. Answers the integration's id. */
export async function prepare(service: Service, receiverUrl: string): Promise<string> {
  await service.call('POST', '/destinations', { name: 'receiver', type: 'webhook', metadata: { url: receiverUrl } })
  const [integration] = await service.call<{ id: string }[]>('PUT', '/integrations:batch', { sourceYaml: manifest })
  if (!integration) throw new Error('nothing was deployed')
  return integration.id
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
