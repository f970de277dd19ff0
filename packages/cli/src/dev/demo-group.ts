import { type Client, MortiseProblem } from '@mortise/client'
import type { IntegrationContent } from '@mortise/manifest'
import type { Terminal } from '../terminal/terminal.ts'
import type { DevCrm } from './sample-crm.ts'
import type { Say } from './say.ts'

const groupRef = 'demo'

/** Connects a group `demo` to the sample CRM and installs what reads from it, so that there is something to see. */
export async function installForDemo(
  integrations: IntegrationContent[],
  { mortise, crm, terminal: { signal }, say }: { mortise: Client; crm: DevCrm; terminal: Terminal; say: Say },
): Promise<void> {
  const ours = integrations.filter(({ provider }) => provider === 'sampleCrm')
  if (ours.length === 0) return
  const { id: connectionId } = await mortise.generateConnection(
    {
      body: {
        groupRef,
        groupName: 'Demo',
        consumerRef: 'demo-user',
        provider: 'sampleCrm',
        apiKey: crm.apiKey,
        providerMetadata: { url: crm.url },
      },
    },
    { signal },
  )
  for (const { name, read } of ours) {
    const there = await mortise.listInstallations({ integrationId: name, query: { groupRef } }, { signal })
    if (there.length > 0 || !read) continue
    const objects = Object.fromEntries(read.objects.map(({ objectName }) => [objectName, { objectName }]))
    const config = { content: { provider: 'sampleCrm', read: { objects } } }
    try {
      await mortise.createInstallation({ integrationId: name, body: { groupRef, connectionId, config } }, { signal })
      say('demo', `${name} is installed for the group ${groupRef}, connected to the sample CRM`)
    } catch (error) {
      if (!(error instanceof MortiseProblem)) throw error
      say('demo', `${name} is not installed for the group ${groupRef}: ${error.message}`)
    }
  }
}
