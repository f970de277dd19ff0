import { type Benchmark, runAlone } from './benchmark.ts'
import { median, quantile, rounded } from './measure/statistics.ts'
import { waitsForDisk } from './rig/disk-alone.ts'
import type { InboundLoad, InboundLoaded } from './rig/inbound-load.ts'
import { startPart } from './rig/part.ts'
import { type Service, startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

export const secret = 'bench-secret'
/** Providers send from many machines: a burst is many connections. */
const connections = 256
const rate = 2_000
const burstRounds = fullOrShort(5, 1)
const burstMs = fullOrShort(4_000, 1_000)
/** Many, because the disk of a machine that others use as well makes some of them wait. */
const pacedRounds = fullOrShort(9, 1)
const pacedMs = fullOrShort(8_000, 1_000)
const diskMs = fullOrShort(2_000, 200)
const p99MostMs = 50

/**
 * The service with its embedded database in one process tree, and a process that sends signed events of 800 bytes, each
 * another one and in a request of its own. First 2,000 a second, asked for on time whatever the answers take, in turns
 * with the disk alone; then as many as 256 connections carry. Meanwhile the service makes messages of them, as it
 * always does.
 */
export const inbound: Benchmark = {
  name: 'inbound',
  measures: 'events of providers that are verified, stored and answered a second',
  goal: { least: rate },
  unit: '/s',
  async run(say) {
    await using folder = await temporaryFolder()
    await using service = await startService(folder.path, { MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback' })
    const url = await subscribe(service)
    await using load = await startPart('./inbound-load.ts', { execArgv: ['--expose-gc'] })
    const send = (more: Pick<InboundLoad, 'ms' | 'perSecond'>) =>
      load.ask<InboundLoaded>('run', { url, secret, connections, ...more } satisfies InboundLoad)
    await send({ ms: 2_000 })
    await emptied(service)
    const answers: { p50: number; p99: number; diskP99: number }[] = []
    for (let round = 0; round < pacedRounds; round++) {
      const disk = await waitsForDisk(folder.path, diskMs)
      const { p50, p99 } = await send({ ms: pacedMs, perSecond: rate })
      answers.push({ p50, p99, diskP99: quantile(disk, 0.99) })
    }
    const p50 = median(answers.map((one) => one.p50))
    const p99 = median(answers.map((one) => one.p99))
    const all = (of: 'p99' | 'diskP99') => answers.map((one) => one[of].toFixed(0)).join(', ')
    say(`at ${rate}/s: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${all('p99')})`)
    say(`of the disk alone, before each: p99 ${all('diskP99')} ms`)
    const most: number[] = []
    let sent = 0
    const before = await service.cpuMs()
    for (let round = 0; round < burstRounds; round++) {
      const loaded = await send({ ms: burstMs })
      most.push(loaded.perSecond)
      sent += loaded.sent
    }
    const cpuMs = ((await service.cpuMs()) - before) / sent
    say(`${median(most).toFixed(0)}/s at most; ${cpuMs.toFixed(3)} ms of processor time of the service for each`)
    await emptied(service)
    return {
      value: median(most),
      holds: p99 < p99MostMs,
      details: {
        perSecond: most.map((one) => rounded(one)),
        cpuMsPerEvent: rounded(cpuMs, 3),
        answerMs: {
          rate,
          p50: rounded(p50),
          p99: rounded(p99),
          most: p99MostMs,
          p99OfRounds: answers.map((one) => rounded(one.p99)),
          p99OfDiskAlone: answers.map((one) => rounded(one.diskP99)),
        },
      },
    }
  },
}

/** Installs an integration whose account is told of; answers where its events come to. */
export async function subscribe(service: Service): Promise<string> {
  const objects = [{ objectName: 'contacts', destination: 'none', updateEvent: { enabled: 'always' } }]
  const integration = { name: 'bench', provider: 'benchHooks', subscribe: { objects } }
  await service.call('PUT', '/integrations:batch', {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }),
  })
  await service.call('POST', '/provider-apps', { provider: 'benchHooks', clientId: 'bench', clientSecret: secret })
  const connection = await service.call<{ id: string }>('POST', '/connections:generate', {
    groupRef: 'acme',
    consumerRef: 'acme',
    provider: 'benchHooks',
    providerWorkspaceRef: 'acme',
    apiKey: 'bench',
    providerMetadata: { url: 'http://127.0.0.1:4999' },
  })
  const installation = await service.call<{ projectId: string; integrationId: string }>(
    'POST',
    '/integrations/bench/installations',
    { groupRef: 'acme', connectionId: connection.id, config: { content: { provider: 'benchHooks' } } },
  )
  const { projectId, integrationId } = installation
  return `${service.url}/subscribe/v1/projects/${projectId}/integrations/${integrationId}`
}

/** Waits until every event has become a message: the processor is idle again. */
export async function emptied(service: Service): Promise<void> {
  for (;;) {
    const before = await service.cpuMs()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    if ((await service.cpuMs()) - before < 200) return
  }
}

if (import.meta.main) process.exitCode = (await runAlone(inbound)) ? 0 : 1
