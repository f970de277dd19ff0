import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Benchmark, runAlone } from './benchmark.ts'
import { quantile, rounded } from './measure/statistics.ts'
import { install, prepare } from './rig/bench-crm.ts'
import { startPart } from './rig/part.ts'
import { type Service, startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const warmUp = fullOrShort(50, 5)
const events = fullOrShort(500, 30)
/** Between the answer to one request and the next: some 30 events a second. */
const pauseMs = 10

/** What the slowest of a hundred may take. */
const slowestMs = 250

/**
 * How long an event is on its way to its webhook: from the moment when its notification is made, inside the transaction
 * of what it tells of, until its first attempt has reached the endpoint. The id of a notification is a UUIDv7 and says
 * when it was made, on the same clock that the receiver looks at.
 */
export const event: Benchmark = {
  name: 'event',
  measures: 'from an event to the first attempt at its webhook, the middle of all',
  goal: { most: 20 },
  unit: 'ms',
  async run(say) {
    await using folder = await temporaryFolder()
    await using receiver = await startReceiver()
    await using provider = await startPart('./provider.ts')
    await using service = await startService(folder.path, { MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback' })
    const integrationId = await prepare(service, `${receiver.url}records`)
    const providerUrl = await provider.ask<string>('url')
    await install(service, { integrationId, groupRef: 'acme', providerUrl, pages: 1 })
    await routeTo(service, `${receiver.url}events`)
    for (let n = 0; n < warmUp; n++) await happen(service, n)
    await receiver.reached(warmUp)
    say(`warm: ${warmUp} events have arrived`)
    receiver.latencies.length = 0
    for (let n = 0; n < events; n++) {
      await happen(service, n)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    await receiver.reached(events)
    const sorted = receiver.latencies.toSorted((a, b) => a - b)
    const [p50, p99, most] = [quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1)]
    say(`p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, the slowest ${most.toFixed(1)} ms`)
    return {
      value: p50,
      holds: p99 <= slowestMs,
      details: { events, p50: rounded(p50), p99: rounded(p99), p99Most: slowestMs, slowest: rounded(most) },
    }
  },
}

/** The schedule of an object is changed, as a customer's settings page does it: `installation.updated`. */
async function happen(service: Service, n: number): Promise<void> {
  await service.call('PATCH', '/integrations/benchCrm/objects/contacts/config-content', {
    groupRef: 'acme',
    action: 'read',
    changes: [{ op: 'replace', path: '/schedule', value: `${n % 60} 3 * * *` }],
  })
}

async function routeTo(service: Service, url: string): Promise<void> {
  const made = (path: string, body: unknown) => service.call<{ id: string }>('POST', path, body)
  const { id: destinationId } = await made('/destinations', { name: 'events', type: 'webhook', metadata: { url } })
  const { id: topicId } = await made('/topics', { name: 'events' })
  await made('/notification-event-topic-routes', { eventType: 'installation.updated', topicId })
  await made('/topic-destination-routes', { topicId, destinationId })
}

/** Notes for each notification how old it is when its request has arrived; answers 204. */
async function startReceiver() {
  const latencies: number[] = []
  let waiting: { count: number; resolve: () => void } | undefined
  const server = createServer((request, response) => {
    const now = performance.timeOrigin + performance.now()
    request.resume().once('end', () => response.writeHead(204).end())
    if (request.url !== '/events') return
    const id = String(request.headers['webhook-id'])
    // The first 48 bits are milliseconds since 1970 (RFC 9562, 5.7).
    latencies.push(now - Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
    if (waiting && latencies.length >= waiting.count) waiting.resolve()
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    latencies,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    reached: (count: number) =>
      new Promise<void>((resolve) => {
        if (latencies.length >= count) resolve()
        else waiting = { count, resolve }
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

if (import.meta.main) process.exitCode = (await runAlone(event)) ? 0 : 1
