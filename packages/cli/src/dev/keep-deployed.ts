import { watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Client } from '@mortise/client'
import type { IntegrationContent } from '@mortise/manifest'
import { validateManifest } from '@mortise/manifest'
import { trustingCatalogue } from '../manifest/catalogue.ts'
import { planDeploy, planText, readManifestFile } from '../manifest/index.ts'
import { findingsText } from '../manifest/show-findings.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { PrintLine } from './print-line.ts'
import type { Receiver } from './receiver.ts'

/** Editors write in several steps: only what is quiet for a moment is read. */
const quietMs = 150

interface Context {
  path: string | undefined
  mortise: Client
  receiver: Receiver
  terminal: Terminal
  printLine: PrintLine
  /** Called after each deploy. */
  deployed(integrations: IntegrationContent[]): Promise<void>
}

/**
 * Deploys the manifest now and after each change, until the signal ends it. Reports a manifest with errors, and waits
 * for the next change.
 */
export async function keepDeployed(context: Context): Promise<void> {
  const { path, terminal, printLine } = context
  const { signal, cwd } = terminal
  const file = await readManifestFile(path, terminal)
  let last: string | undefined
  const deployIfChanged = async () => {
    try {
      const { name, text } = await readManifestFile(path, terminal)
      if (text === last) return
      last = text
      await deploy({ name, text }, context)
    } catch (error) {
      if (signal.aborted) return
      printLine('manifest', (error as Error).message)
    }
  }
  // One after the other; a change meanwhile is seen to afterwards.
  let working: Promise<void> = deployIfChanged()
  let timer: NodeJS.Timeout | undefined
  // The folder, because many editors replace the file.
  const watcher = watch(dirname(resolve(cwd, file.name)), { signal }, () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      working = working.then(deployIfChanged)
    }, quietMs)
  })
  watcher.on('error', () => undefined)
  await new Promise<void>((ended) => signal.addEventListener('abort', () => ended(), { once: true }))
  clearTimeout(timer)
  await working
}

async function deploy(file: { name: string; text: string }, context: Context): Promise<void> {
  const { mortise, terminal, printLine, deployed } = context
  const { signal, out } = terminal
  const { manifest } = validateManifest(file.text, { catalogue: trustingCatalogue, readIntervalMinMs: 0 })
  if (manifest) await makeDestinations(manifest.integrations, context)
  const { findings, plan } = await planDeploy(mortise, file, { strict: true, signal })
  if (findings.length > 0) printLine('manifest', findingsText(file, findings, out), { styled: true })
  if (!plan) {
    printLine('manifest', `not deployed: correct ${file.name}, and it is deployed as soon as you save it`)
    return
  }
  await mortise.batchUpsertIntegrations({ query: { strict: true }, body: { sourceYaml: file.text } }, { signal })
  if (plan.changed) printLine('manifest', `deployed\n${planText(plan, out)}`, { styled: true })
  else printLine('manifest', 'deployed; nothing has changed')
  await deployed(manifest?.integrations ?? [])
}

/**
 * Destinations that the manifest names and nobody has made lead here; those made by an earlier run follow to the port
 * of this one.
 */
async function makeDestinations(
  integrations: IntegrationContent[],
  { mortise, receiver, terminal, printLine }: Context,
) {
  const { signal } = terminal
  const there = new Map((await mortise.listDestinations({}, { signal })).map((one) => [one.name, one]))
  const names = new Set(
    integrations.flatMap(({ read, subscribe, watchSchema }) =>
      [...(read?.objects ?? []), ...(subscribe?.objects ?? []), ...(watchSchema ? [watchSchema] : [])].map(
        ({ destination }) => destination,
      ),
    ),
  )
  for (const name of names) {
    const url = receiver.urlOf(name)
    const found = there.get(name)
    if (!found) {
      await mortise.createDestination({ body: { name, type: 'webhook', metadata: { url } } }, { signal })
      printLine('messages', `the destination ${name} delivers here`)
    } else if (receiver.isOurs(found.metadata.url) && !url.startsWith(`${new URL(found.metadata.url ?? '').origin}/`)) {
      const body = { updateMask: ['metadata.url'], destination: { metadata: { url } } }
      await mortise.updateDestination({ destination: name, body }, { signal })
    }
  }
}
