import { Type } from 'typebox'
import { inParts, partsOf, type Sized, sendTogether, type Together } from './in-parts.ts'
import type { SendResult } from './kind.ts'
import type { SettingsReader } from './settings-reader.ts'

/** Settings that all warehouses have. */
export interface BatchSettings {
  batchSize?: number
  maxWaitSecs?: number
}

/** Maximum number of messages of one insertion. */
export const batchSizeMax = 1_000
const waitSecsMax = 3_600

export const batchProperties = {
  batchSize: Type.Integer({
    description: `Maximum number of messages in one insertion: 1 to ${batchSizeMax}, by default ${batchSizeMax}.`,
  }),
  maxWaitSecs: Type.Integer({
    description: `Upper limit in seconds for collecting messages: 1 to ${waitSecsMax}. Mortise inserts what is due without waiting, so every value is kept.`,
  }),
}

export function readBatchSettings(read: SettingsReader) {
  return {
    batchSize: read.optionalInteger('batchSize', { min: 1, max: batchSizeMax }),
    maxWaitSecs: read.optionalInteger('maxWaitSecs', { min: 1, max: waitSecsMax }),
  }
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
