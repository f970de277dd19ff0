import { createClient } from '@mortise/client'
import { forwardUrl } from '../listening/forward.ts'
import { readManifestFile } from '../manifest/index.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { installForDemo } from './demo-group.ts'
import { portFor } from './free-port.ts'
import { keepDeployed } from './keep-deployed.ts'
import { createPrintLine } from './print-line.ts'
import { startReceiver } from './receiver.ts'
import { type DevCrm, sampleCrmProviders, startCrm } from './sample-crm.ts'
import { startService } from './service.ts'

export interface DevOptions {
  path: string | undefined
  port: number | undefined
  crmPort: number | undefined
  listenPort: number | undefined
  dataDir: string
  sampleCrm: boolean
  forward: string | undefined
}

/**
 * Starts everything that it takes to work on a manifest, and ends all of it, the last started first, when the signal or
 * an error ends it.
 */
export async function runDev(options: DevOptions, terminal: Terminal): Promise<void> {
  const printLine = createPrintLine(terminal)
  const to = options.forward === undefined ? undefined : forwardUrl(options.forward, false)
  // Before anything runs: without a manifest there is nothing to do.
  await readManifestFile(options.path, terminal)
  const failing = new AbortController()
  const signal = AbortSignal.any([terminal.signal, failing.signal])
  const endings: (() => Promise<void>)[] = []
  try {
    const providersDir = options.sampleCrm ? sampleCrmProviders() : undefined
    let crm: DevCrm | undefined
    if (providersDir !== undefined) {
      const started = await startCrm(
        await portFor(options.crmPort ?? 4200, options.crmPort !== undefined, '--crm-port'),
        terminal,
        printLine,
      )
      endings.push(started.end)
      crm = started
      signal.throwIfAborted()
    }
    const port = await portFor(options.port ?? 4100, options.port !== undefined, '--port')
    const service = await startService(
      { port, dataDir: options.dataDir, providersDirs: providersDir === undefined ? [] : [providersDir] },
      terminal,
      printLine,
    )
    endings.push(service.end)
    void service.exited.then(() => failing.abort(new Error('The service ended unexpectedly. Its last lines show why.')))
    signal.throwIfAborted()
    printLine('service', `ready at ${service.url}/v1, its data and its API key in ${options.dataDir}`)

    const mortise = createClient({
      baseUrl: service.url,
      project: 'default',
      apiKey: service.apiKey,
      headers: { 'x-mortise-client': 'cli' },
    })
    const listenPort = await portFor(options.listenPort ?? 4102, options.listenPort !== undefined, '--listen-port')
    const receiver = await startReceiver({ port: listenPort, mortise, to, signal, printLine })
    endings.push(receiver.close)
    await keepDeployed({
      path: options.path,
      mortise,
      receiver,
      terminal: { ...terminal, signal },
      printLine,
      deployed: async (integrations) => {
        if (crm) await installForDemo(integrations, { mortise, crm, terminal: { ...terminal, signal }, printLine })
      },
    })
    signal.throwIfAborted()
  } finally {
    if (terminal.signal.aborted) printLine('service', 'ending')
    for (const end of endings.reverse()) await end()
  }
}
