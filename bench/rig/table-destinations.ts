import { setTimeout as delay } from 'node:timers/promises'
import { median, rounded } from '../measure/statistics.ts'
import { install, prepare } from './bench-crm.ts'
import { type Part, startPart } from './part.ts'
import type { PlainRows } from './plain-rows.ts'
import { recordsPerPage } from './record-size.ts'
import { startService } from './service.ts'
import { type TableTarget, tables } from './table-targets.ts'

/** Rows of one statement of the loop: about those that the service stores in a transaction. */
const batchRows = 1_600
const patienceMs = 120_000
const pollMs = 10

export interface TableTimes {
  ratio: number
  details: { recordsPerRound: number; perSecond: { service: number[]; plain: number[] }; cpuMicroseconds: number }
}

/**
 * Times backfills into a table, from the request to the last row, beside a loop that writes the same rows to a table
 * with the same columns and the same key. Rounds alternate.
 *
 * @param folder where the service keeps its files
 */
export async function timeTables(
  target: TableTarget,
  { folder, rounds, pages, warmUpPages }: { folder: string; rounds: number; pages: number; warmUpPages: number },
  say: (line: string) => void,
): Promise<TableTimes> {
  await using provider = await startPart('./provider.ts', { args: ['--distinct'] })
  await using plain = await startPart('./plain-rows.ts', { execArgv: ['--expose-gc'] })
  await using service = await startService(folder)
  const providerUrl = await provider.ask<string>('url')
  const integrationId = await prepare(service, target.destination)

  /** Records/s of a backfill of a new customer, and the processor time of the service for each record. */
  const backfill = async (round: string, runPages: number) => {
    const records = runPages * recordsPerPage
    const cpuMs = await service.cpuMs()
    const began = performance.now()
    await install(service, { integrationId, groupRef: `customer-${round}`, providerUrl, pages: runPages })
    await untilStored(target, records)
    const seconds = (performance.now() - began) / 1_000
    return { perSecond: records / seconds, cpuMicroseconds: (((await service.cpuMs()) - cpuMs) * 1_000) / records }
  }

  await backfill('w', warmUpPages)
  await target.clear()
  const figures = { service: [] as number[], plain: [] as number[] }
  const cpu: number[] = []
  for (let round = 0; round < rounds; round++) {
    const through = await backfill(String(round), pages)
    const without = await copy(plain, target)
    figures.service.push(through.perSecond)
    figures.plain.push(without)
    cpu.push(through.cpuMicroseconds)
    say(
      `${target.name}, round ${round + 1}: ${through.perSecond.toFixed(0)}/s, ${through.cpuMicroseconds.toFixed(1)} µs of processor time each; without a service ${without.toFixed(0)}/s`,
    )
    await target.clear()
  }
  return {
    ratio: median(figures.service) / median(figures.plain),
    details: {
      recordsPerRound: pages * recordsPerPage,
      perSecond: { service: figures.service.map(Math.round), plain: figures.plain.map(Math.round) },
      cpuMicroseconds: rounded(median(cpu), 1),
    },
  }
}

/** Waits for the last record, and then for all. */
async function untilStored(target: TableTarget, records: number): Promise<void> {
  const until = performance.now() + patienceMs
  const last = `con_${String(records - 1).padStart(8, '0')}`
  // The table may not exist yet.
  while (!(await target.has(last).catch(() => false))) await waitUntil(until)
  while ((await target.count(tables.written)) < records) await waitUntil(until)
}

async function waitUntil(until: number): Promise<void> {
  if (performance.now() > until) throw new Error('the table does not have all rows')
  await delay(pollMs)
}

/** Rows/s of the loop without a service. */
async function copy(plain: Part, target: TableTarget): Promise<number> {
  const options: PlainRows = { ...target.plain, source: tables.written, table: tables.plain, batchRows }
  const { rows, ms } = await plain.ask<{ rows: number; ms: number }>('run', options)
  const stored = await target.count(tables.plain)
  if (stored !== rows) throw new Error(`the loop stored ${stored} of ${rows} rows`)
  return rows / (ms / 1_000)
}
