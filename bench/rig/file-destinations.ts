import { readFile } from 'node:fs/promises'
import { rounded } from '../measure/statistics.ts'
import { install, prepare } from './bench-crm.ts'
import type { StoredRows } from './object-store.ts'
import { startPart } from './part.ts'
import { recordsPerPage } from './record-size.ts'
import { startService } from './service.ts'

const sampleMs = 100
const megabyte = 2 ** 20

export interface FileMemory {
  records: number
  files: number
  perSecond: number
  /** Microseconds of processor time of the service for each record, from the installation on. */
  cpuUs: number
  idleMb: number
  /** Most resident memory over idle, without forced collections, in each half of the records. */
  peakMb: { firstHalf: number; secondHalf: number }
  /** Resident memory over idle at the end, after a forced collection: what is not garbage. */
  keptMb: number
}

/**
 * Samples the resident memory of the service while the records of a backfill become Parquet files in a store of
 * objects. Idle is after a second start, with a warm cache, and a forced collection. While records flow, nothing is
 * forced: what a machine must have is measured.
 */
export async function memoryOfFiles(folder: string, records: number): Promise<FileMemory> {
  await using provider = await startPart('./provider.ts', { args: ['--distinct'] })
  await using store = await startPart('./object-store.ts')
  // The first start compiles the catalog, whose memory V8 would return in the middle of the measurement.
  await (await startService(folder))[Symbol.asyncDispose]()
  await using service = await startService(folder)
  const providerUrl = await provider.ask<string>('url')
  const endpointUrl = await store.ask<string>('url')
  const integrationId = await prepare(service, {
    type: 's3',
    metadata: { bucket: 'bench', region: 'eu-central-1', endpointUrl, format: 'parquet', maxWaitSecs: 1 },
    secrets: { awsKeyId: 'AKIAIOSFODNN7EXAMPLE', awsSecretKey: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12' },
  })
  const idle = (await service.memory()).resident
  const cpuBefore = await service.cpuMs()
  const began = performance.now()
  await install(service, { integrationId, groupRef: 'customer', providerUrl, pages: records / recordsPerPage })
  const peakUntil = async (rows: number) => {
    const reached = store.ask<StoredRows>('reached', rows)
    let peak = 0
    const timer = setInterval(async () => {
      peak = Math.max(peak, await residentBytes(service.pid))
    }, sampleMs)
    try {
      const stored = await reached
      return { stored, peakMb: rounded((Math.max(peak, await residentBytes(service.pid)) - idle) / megabyte, 1) }
    } finally {
      clearInterval(timer)
    }
  }
  const first = await peakUntil(records / 2)
  const second = await peakUntil(records)
  const perSecond = Math.round((records / (performance.now() - began)) * 1_000)
  const cpuUs = rounded((((await service.cpuMs()) - cpuBefore) * 1_000) / records, 1)
  const kept = (await service.memory()).resident
  return {
    records,
    files: second.stored.files,
    perSecond,
    cpuUs,
    idleMb: rounded(idle / megabyte, 1),
    peakMb: { firstHalf: first.peakMb, secondHalf: second.peakMb },
    keptMb: rounded((kept - idle) / megabyte, 1),
  }
}

/** Resident memory of a process, as Linux reports it. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
