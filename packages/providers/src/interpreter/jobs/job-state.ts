import { isObject } from '../path.ts'

/** The position of a read in a job of the provider: part of page tokens, so a restarted read continues with it. */
export interface JobState {
  id: string
  /** When it was submitted, in milliseconds since 1970. */
  at: number
  /** Number of jobs before it whose result had expired. */
  again?: number
  /** Whether its result is complete. */
  isDone?: boolean
  /** Number of records in the result, where the provider reports it. */
  count?: number
  /** Cursor of the part that is read, or the position of its URL in a list; the first one when absent. */
  part?: string
  /** Records of the part that were read, and their bytes. */
  row?: number
  bytes?: number
  /** Records of all parts that were read. */
  rows?: number
}

export function isJobState(value: unknown): value is JobState {
  if (!isObject(value)) return false
  const { id, at, again, isDone, count, part, row, bytes, rows } = value
  return (
    typeof id === 'string' &&
    Number.isSafeInteger(at) &&
    [again, count, row, bytes, rows].every((number) => number === undefined || Number.isSafeInteger(number)) &&
    (isDone === undefined || typeof isDone === 'boolean') &&
    (part === undefined || typeof part === 'string')
  )
}
