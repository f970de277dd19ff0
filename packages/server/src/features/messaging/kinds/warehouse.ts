import { Type } from 'typebox'
import { inParts, partsOf, type Sized, sendTogether, type Together } from './in-parts.ts'
import type { Collecting, SendResult } from './kind.ts'
import type { SettingsReader } from './settings-reader.ts'

/** Settings that all warehouses have. */
export interface BatchSettings {
  batchSize?: number
  maxWaitSecs?: number
}

/** Maximum number of messages of one insertion. */
export const batchSizeMax = 1_000
const waitSecsMax = 3_600
const waitSecsDefault = 30
/** About the size of the messages of one insertion. */
const collectedBytes = 4 * 2 ** 20
const collectedConcurrency = 2

export const batchProperties = {
  batchSize: Type.Integer({
    description: `Maximum number of messages in one insertion: 1 to ${batchSizeMax}, by default ${batchSizeMax}.`,
  }),
  maxWaitSecs: Type.Integer({
    description: `How long messages are collected at most, in seconds: 1 to ${waitSecsMax}, by default ${waitSecsDefault}. Mortise inserts earlier if there are batchSize messages, or 4 MiB of them.`,
  }),
}

export function readBatchSettings(read: SettingsReader) {
  return {
    batchSize: read.optionalInteger('batchSize', { min: 1, max: batchSizeMax }),
    maxWaitSecs: read.optionalInteger('maxWaitSecs', { min: 1, max: waitSecsMax }),
  }
}

/** When the messages of a warehouse are inserted. */
export function collectingOf({ batchSize = batchSizeMax, maxWaitSecs = waitSecsDefault }: BatchSettings): Collecting {
  return { count: batchSize, bytes: collectedBytes, waitMs: maxWaitSecs * 1_000, concurrency: collectedConcurrency }
}

/** Inserts rows, as many together as the settings and the service permit. A bad one does not stop the others. */
export function insertRows<M extends Sized>(
  rows: readonly M[],
  { batchSize = batchSizeMax }: BatchSettings,
  limits: { bytesMax: number; countMax?: number },
  insert: (rows: readonly M[]) => Promise<Together>,
): Promise<SendResult[]> {
  const countMax = Math.min(batchSize, limits.countMax ?? batchSizeMax)
  return inParts(partsOf(rows, { bytesMax: limits.bytesMax, countMax }), (part) => sendTogether(part, insert))
}
