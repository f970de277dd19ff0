import { type Client, MortiseProblem } from '@mortise/client'
import type { IntegrationContent } from '@mortise/manifest'
import type { Terminal } from '../terminal/terminal.ts'
import type { PrintLine } from './print-line.ts'
import type { DevCrm } from './sample-crm.ts'

const groupRef = 'demo'

/**
 * Connects a group `demo` to the sample CRM and installs what reads from it or writes to it, so that there is something
 * to see.
 */
export async function installForDemo(
  integrations: IntegrationContent[],
  {
    mortise,
    crm,
    terminal: { signal },
    printLine,
  }: { mortise: Client; crm: DevCrm; terminal: Terminal; printLine: PrintLine },
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
  for (const { name, read, write } of ours) {
    const there = await mortise.listInstallations({ integrationId: name, query: { groupRef } }, { signal })
    if (there.length > 0 || !(read || write)) continue
    const content = {
      provider: 'sampleCrm',
      ...(read && { read: { objects: byName(read.objects, {}) } }),
      // Nothing there is anybody's, so all of it may be tried.
      ...(write && { write: { objects: byName(write.objects, { deletionSettings: { enabled: true } }) } }),
    }
    const config = { content }
    try {
      await mortise.createInstallation({ integrationId: name, body: { groupRef, connectionId, config } }, { signal })
      printLine('demo', `${name} is installed for the group ${groupRef}, connected to the sample CRM`)
    } catch (error) {
      if (!(error instanceof MortiseProblem)) throw error
      printLine('demo', `${name} is not installed for the group ${groupRef}: ${error.message}`)
    }
  }
}

function byName(objects: readonly { objectName: string }[], settings: object) {
  return Object.fromEntries(objects.map(({ objectName }) => [objectName, { objectName, ...settings }]))
}
