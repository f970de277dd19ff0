import type { OutgoingMessage } from '../../packages/server/src/features/messaging/kinds/kind.ts'
import { newId } from '../../packages/server/src/kernel/db/index.ts'
import { median, rounded } from '../measure/statistics.ts'
import { type BrokerTarget, brokers } from './broker-loops.ts'

/** Messages of a batch by the number of their records: as many as one claim of the service has of them. */
const batches = [
  { records: 1, messages: 100 },
  { records: 100, messages: 16 },
]

export interface BrokerTimes {
  kind: string
  recordsPerMessage: number
  ratio: number
  perSecond: { sender: number[]; plain: number[] }
}

/**
 * Times the senders of kinds whose server this machine has, and loops that send the same batches with the same fields
 * by the usual client of that server. A sender also signs each message and makes its subject or key. Rounds alternate.
 */
export async function timeBrokers(
  { rounds, batchesPerRound }: { rounds: number; batchesPerRound: number },
  say: (line: string) => void,
): Promise<BrokerTimes[]> {
  const times: BrokerTimes[] = []
  for (const [kind, start] of Object.entries(brokers)) {
    await using target = await start()
    if (target === undefined) {
      say(`${kind}: not measured, because this machine has no server`)
      continue
    }
    for (const batch of batches) {
      const perSecond = await timeBroker(target, { ...batch, rounds, batchesPerRound })
      const ratio = median(perSecond.sender) / median(perSecond.plain)
      times.push({ kind, recordsPerMessage: batch.records, ratio: rounded(ratio), perSecond })
    }
  }
  return times
}

async function timeBroker(
  target: BrokerTarget,
  sizes: { records: number; messages: number; rounds: number; batchesPerRound: number },
): Promise<BrokerTimes['perSecond']> {
  const sender = target.open()
  const sides = {
    async sender(batch: OutgoingMessage[]) {
      const results = await sender.send(batch, { timeoutMs: 60_000 })
      const failed = results.find(({ outcome }) => outcome !== 'delivered')
      if (failed) throw new Error(`${target.name}: ${failed.error}`)
    },
    plain: (batch: OutgoingMessage[]) => target.send(batch),
  }
  const perSecond: BrokerTimes['perSecond'] = { sender: [], plain: [] }
  try {
    // The first rounds are not counted: code that runs often is compiled.
    for (let round = -2; round < sizes.rounds; round++)
      for (const side of round % 2 === 0 ? (['sender', 'plain'] as const) : (['plain', 'sender'] as const)) {
        const sent = Array.from({ length: sizes.batchesPerRound }, () => messagesOf(sizes))
        const began = performance.now()
        for (const batch of sent) await sides[side](batch)
        const seconds = (performance.now() - began) / 1_000
        if (round >= 0) perSecond[side].push(Math.round((sizes.batchesPerRound * sizes.messages) / seconds))
        await target.clear()
      }
  } finally {
    await sender.close()
  }
  return perSecond
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
