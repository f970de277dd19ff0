import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setInterval, setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { startServiceInProcess } from '../../bench/rig/service-in-process.ts'
import { temporaryFolder } from '../../bench/rig/temporary-folder.ts'
import { postMessages } from '../../packages/server/src/features/messaging/messages/index.ts'
import { a, startDnsServer } from '../../packages/server/src/testkit/name-server.ts'
import type { Attack, Outcome } from './attack.ts'

export const attack: Attack = {
  id: 'W2',
  title: 'Names that are never resolved delay no other destination of the project.',
  run,
}

/**
 * Many destinations whose names are never resolved, and one whose name is, in the same project. Each message of the
 * healthy one has to arrive with its first attempt, while the others wait for their names.
 */
async function run({ long }: { long: boolean }): Promise<Outcome> {
  const slow = long ? 500 : 60
  const messages = long ? 1_000 : 50
  await using folder = await temporaryFolder()
  const dns = await startDnsServer((name) => (name === 'healthy.example' ? [a(name, '127.0.0.1', 1)] : 'silence'))
  const arrived = new Map<number, number>()
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    arrived.set(JSON.parse(Buffer.concat(chunks).toString()).n, performance.now())
    response.writeHead(204).end()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  try {
    await using service = await startServiceInProcess(folder.path, {
      MORTISE_DNS_SERVERS: dns.address,
      MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
      MORTISE_RATE_LIMIT: '0',
    })
    const create = async (name: string, url: string) => {
      const answer = await fetch(`${service.url}/v1/projects/default/destinations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': service.apiKey },
        body: JSON.stringify({ name, type: 'webhook', metadata: { url } }),
      })
      if (answer.status !== 201) throw new Error(await answer.text())
    }
    const names = Array.from({ length: slow }, (_, n) => `slow-${n}`)
    await create('healthy', `http://healthy.example:${port}/`)
    for (let from = 0; from < slow; from += 100)
      await Promise.all(names.slice(from, from + 100).map((name) => create(name, `https://${name}.example/`)))

    const post = (destinationNames: string[], n: number) =>
      service.db.transaction((tx) =>
        postMessages(
          tx,
          service.app.services,
          destinationNames.map((destinationName) => ({
            destinationName,
            kind: 'read' as const,
            payload: Buffer.from(JSON.stringify({ n })),
          })),
        ),
      )
    const loop = monitorEventLoopDelay({ resolution: 5 })
    loop.enable()
    await post(names, -1)
    const posted: number[] = []
    for await (const _ of setInterval(20)) {
      posted.push(performance.now())
      await post(['healthy'], posted.length - 1)
      if (posted.length === messages) break
    }
    const until = performance.now() + 120_000
    while (arrived.size < messages && performance.now() < until) await setTimeout(10)
    loop.disable()
    const { rows } = await sql<{ failed: number; busy: number; waiting: number; counted: number }>`
      select (select count(*)::int from attempts a join destinations d on d.project_id = a.project_id and d.id = a.destination_id
               where d.name = 'healthy' and a.error is not null) as failed,
             (select count(*)::int from attempts where error like 'Too many DNS lookups%') as busy,
             (select count(*)::int from messages where destination_name <> 'healthy' and state = 'pending') as waiting,
             (select failure_count from destinations where name = 'healthy') as counted`.execute(service.db.sql)
    const result = rows[0] ?? { failed: -1, busy: -1, waiting: -1, counted: -1 }
    const delays = [...arrived].map(([n, at]) => at - (posted[n] ?? 0)).sort((one, other) => one - other)
    const figures = {
      slowNames: slow,
      slowMessagesWaiting: result.waiting,
      busyCountedAsAttempt: result.busy,
      healthyMessages: messages,
      healthyDelivered: arrived.size,
      healthyFailedAttempts: result.failed + result.counted,
      healthyP50Ms: Math.round(delays[Math.floor(delays.length / 2)] ?? -1),
      healthyP99Ms: Math.round(delays[Math.floor(delays.length * 0.99)] ?? -1),
      loopDelayMaxMs: Math.round(loop.max / 1e6),
    }
    const passed =
      figures.healthyDelivered === messages &&
      figures.healthyFailedAttempts === 0 &&
      figures.busyCountedAsAttempt === 0 &&
      figures.slowMessagesWaiting === slow &&
      // A busy machine may need longer for fifty messages.
      figures.healthyP99Ms < (long ? 1_000 : 10_000)
    return { passed, figures }
  } finally {
    receiver.closeAllConnections()
    receiver.close()
    await dns.stop()
  }
}
