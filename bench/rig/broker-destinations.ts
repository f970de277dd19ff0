import process from 'node:process'
import type { OutgoingMessage } from '../../packages/server/src/features/messaging/kinds/kind.ts'
import { newId } from '../../packages/server/src/kernel/db/index.ts'
import { median, rounded } from '../measure/statistics.ts'
import { brokers } from './broker-loops.ts'
import type { BrokerTarget } from './broker-target.ts'

/** Messages of a batch by the number of their records: as many as one claim of the service has of them. */
const batches = [
  { records: 1, messages: 100 },
  { records: 100, messages: 16 },
]

interface Sides<T> {
  sender: T
  plain: T
}

export interface BrokerTimes {
  kind: string
  recordsPerMessage: number
  messagesPerBatch: number
  ratio: number
  /** Processor time of this process for a message, in µs. What servers take is not part of it. */
  cpuUs: Sides<number>
  perSecond: Sides<number[]>
}

/**
 * Times the senders of kinds, and loops that send the same batches with the same fields by the usual client of each. A
 * sender also signs each message and makes its subject or key. Rounds alternate. Says which could not be measured.
 */
export async function timeBrokers(
  { rounds, batchesPerRound }: { rounds: number; batchesPerRound: number },
  say: (line: string) => void,
): Promise<{ times: BrokerTimes[]; missing: string[] }> {
  const times: BrokerTimes[] = []
  const missing: string[] = []
  for (const [kind, start] of Object.entries(wantedBrokers())) {
    const started = await start()
    if (typeof started === 'string') {
      say(`${kind}: not measured, because ${started}`)
      missing.push(kind)
      continue
    }
    await using target = started
    for (const { records, messages } of batches) {
      const sizes = { records, messages: Math.min(messages, target.maxBatch), rounds, batchesPerRound }
      const measured = await timeBroker(kind, target, sizes)
      const ratio = rounded(median(measured.perSecond.sender) / median(measured.perSecond.plain))
      times.push({ kind, recordsPerMessage: records, messagesPerBatch: sizes.messages, ratio, ...measured })
    }
  }
  return { times, missing }
}

/** All kinds, or those that `BENCH_BROKERS` names. */
function wantedBrokers(): typeof brokers {
  const wanted = process.env['BENCH_BROKERS']?.split(',')
  const unknown = wanted?.find((name) => !Object.hasOwn(brokers, name))
  if (unknown !== undefined) throw new Error(`unknown: ${unknown}. There are ${Object.keys(brokers).join(', ')}.`)
  return Object.fromEntries(Object.entries(brokers).filter(([name]) => wanted?.includes(name) ?? true))
}

async function timeBroker(
  kind: string,
  target: BrokerTarget,
  sizes: { records: number; messages: number; rounds: number; batchesPerRound: number },
): Promise<Pick<BrokerTimes, 'perSecond' | 'cpuUs'>> {
  const sender = target.open()
  const sides = {
    async sender(batch: OutgoingMessage[]) {
      const results = await sender.send(batch, { timeoutMs: 60_000 })
      const failed = results.find(({ outcome }) => outcome !== 'delivered')
      if (failed) throw new Error(`${kind}: ${failed.error}`)
    },
    plain: (batch: OutgoingMessage[]) => target.send(batch),
  }
  const perSecond: Sides<number[]> = { sender: [], plain: [] }
  const cpuUs: Sides<number[]> = { sender: [], plain: [] }
  const count = sizes.batchesPerRound * sizes.messages
  try {
    // The first rounds are not counted: code that runs often is compiled.
    for (let round = -2; round < sizes.rounds; round++)
      for (const side of round % 2 === 0 ? (['sender', 'plain'] as const) : (['plain', 'sender'] as const)) {
        const sent = Array.from({ length: sizes.batchesPerRound }, () => messagesOf(sizes))
        const [cpu, began] = [process.cpuUsage(), performance.now()]
        for (const batch of sent) await sides[side](batch)
        const seconds = (performance.now() - began) / 1_000
        const { user, system } = process.cpuUsage(cpu)
        if (round >= 0) {
          perSecond[side].push(Math.round(count / seconds))
          cpuUs[side].push((user + system) / count)
        }
        const arrived = await target.arrived()
        if (arrived !== count) throw new Error(`${kind}: ${arrived} of ${count} messages arrived by ${side}`)
        await target.clear()
      }
  } finally {
    await sender.close()
  }
  const cpuOf = (side: keyof Sides<unknown>) => rounded(median(cpuUs[side]), 1)
  return { perSecond, cpuUs: { sender: cpuOf('sender'), plain: cpuOf('plain') } }
}

/** Messages as a read sends them, each with an id of its own. */
function messagesOf({ records, messages }: { records: number; messages: number }): OutgoingMessage[] {
  const fields = { email: 'ana@customer.example', stage: 'customer', notes: 'n'.repeat(150) }
  const result = Array.from({ length: records }, (_, n) => ({ id: `con_${n}`, fields, raw: fields }))
  const body = Buffer.from(
    JSON.stringify({
      ...{ action: 'read', provider: 'benchCrm', groupRef: 'customer', objectName: 'contacts' },
      resultInfo: { type: 'inline', numRecords: records },
      result,
    }),
  )
  return Array.from({ length: messages }, () => ({ id: newId(), kind: 'read', eventType: undefined, body }))
}
