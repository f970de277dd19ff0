import { median, rounded } from '../measure/statistics.ts'
import { install, prepare } from './bench-crm.ts'
import { startPart } from './part.ts'
import { recordsPerPage } from './record-size.ts'
import { startService } from './service.ts'

const groups = 10

export interface GroupedTimes {
  ratio: number
  groups: number
  perSecond: { grouped: number[]; direct: number[] }
  cpuMicroseconds: { grouped: number; direct: number }
}

/**
 * Times backfills of ten customers at once, from the request to the last record at the webhooks: through a destination
 * that gives each customer's messages to a webhook of the customer, and straight to one webhook. Rounds alternate
 * between two services.
 *
 * @param folders where the services keep their files
 */
export async function timeGrouped(
  folders: { grouped: string; direct: string },
  { rounds, pages }: { rounds: number; pages: number },
  say: (line: string) => void,
): Promise<GroupedTimes> {
  await using stack = new AsyncDisposableStack()
  const provider = stack.use(await startPart('./provider.ts'))
  const receiver = stack.use(await startPart('./receiver.ts'))
  const [providerUrl, url] = [await provider.ask<string>('url'), await receiver.ask<string>('url')]
  const started = async (folder: string, isGrouped: boolean) => {
    const service = stack.use(await startService(folder))
    for (let at = 0; isGrouped && at < groups; at++)
      await service.call('POST', '/destinations', { name: `hook-${at}`, type: 'webhook', metadata: { url } })
    const integrationId = await prepare(service, isGrouped ? { type: 'by-group', metadata: {} } : url)
    return { service, integrationId, isGrouped }
  }
  const sides = { grouped: await started(folders.grouped, true), direct: await started(folders.direct, false) }
  const records = Math.ceil(pages / groups) * groups * recordsPerPage
  const backfill = async ({ service, integrationId, isGrouped }: (typeof sides)['grouped'], round: number) => {
    const customers = Array.from({ length: groups }, (_, at) => ({ groupRef: `customer-${round}-${at}`, at }))
    for (const { groupRef, at } of isGrouped ? customers : [])
      await service.call('PUT', `/destinations/receiver/groups/${groupRef}`, { destination: `hook-${at}` })
    await receiver.ask('clear')
    const cpuMs = await service.cpuMs()
    const began = performance.now()
    for (const { groupRef } of customers)
      await install(service, { integrationId, groupRef, providerUrl, pages: Math.ceil(pages / groups) })
    await receiver.ask('reached', records)
    const seconds = (performance.now() - began) / 1_000
    return { perSecond: records / seconds, cpuMicroseconds: (((await service.cpuMs()) - cpuMs) * 1_000) / records }
  }
  const figures = { grouped: [] as number[], direct: [] as number[] }
  const cpu = { grouped: [] as number[], direct: [] as number[] }
  for (let round = -1; round < rounds; round++)
    for (const name of ['grouped', 'direct'] as const) {
      const { perSecond, cpuMicroseconds } = await backfill(sides[name], round + 1)
      if (round < 0) continue
      figures[name].push(Math.round(perSecond))
      cpu[name].push(cpuMicroseconds)
      say(
        `${name}, round ${round + 1}: ${perSecond.toFixed(0)}/s, ${cpuMicroseconds.toFixed(1)} µs of processor time each`,
      )
    }
  return {
    ratio: rounded(median(figures.grouped) / median(figures.direct)),
    groups,
    perSecond: figures,
    cpuMicroseconds: { grouped: rounded(median(cpu.grouped), 1), direct: rounded(median(cpu.direct), 1) },
  }
}
