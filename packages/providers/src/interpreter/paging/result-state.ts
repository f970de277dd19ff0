import { isObject } from '../path.ts'
import { type Column, isColumns } from '../rows.ts'

/** The position of a read in the result of a query. */
export interface ResultState {
  id: string
  /** Further values that its requests name. */
  values: Record<string, string>
  /** The part that is read next, and how many there are. */
  part?: number
  parts?: number
  /** Rows read so far, and those of the whole result. */
  seen?: number
  count?: number
  /** The columns, where later parts may have none. */
  columns?: readonly Column[]
  /** How long the result was waited for. */
  waitedMs?: number
}

/** Whether a value of a page token is such a position. */
export function isResultState(value: unknown): value is ResultState {
  if (!isObject(value) || !isObject(value['values'])) return false
  const { id, values, part, parts, seen, count, columns, waitedMs } = value
  return (
    typeof id === 'string' &&
    Object.values(values as object).every((one) => typeof one === 'string') &&
    [part, parts, seen, count, waitedMs].every((number) => number === undefined || Number.isSafeInteger(number)) &&
    (columns === undefined || isColumns(columns))
  )
}
