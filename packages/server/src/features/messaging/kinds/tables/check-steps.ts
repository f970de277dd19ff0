import type { SendResult } from '../kind.ts'

/** Number of tables that a check looks at. */
export const checkedTablesMax = 200

/** What an error of a server means for a check. */
export interface CheckError {
  refusal: SendResult
  code: string | number
  /** Whether the user lacks a permission. */
  isOfPermission: boolean
}

/** A step that a delivery may need. */
export interface CheckStep {
  /** What it does, in the infinitive. */
  what: string
  /** The table that it is about, if there is one. */
  table?: string
  run(): Promise<unknown>
}

/** Number of faults that one answer names. */
const faultsMax = 5

/** The result of a check that found faults: it names them, or the first of many. */
export function faultResult(faults: readonly string[]): SendResult {
  const left = faults.length - faultsMax
  const more = left > 0 ? [`${left} more like these.`] : []
  return { outcome: 'retry', error: [...faults.slice(0, faultsMax), ...more].join(' ') }
}

/**
 * Runs steps in their order until the server refuses one. Returns what the server says of it; undefined if it refuses
 * none.
 *
 * @param server.read returns undefined for an error that is not an answer of the server
 * @throws such an error
 */
export async function refusedStep(
  steps: readonly CheckStep[],
  { shown, read }: { shown: string; read(error: unknown): CheckError | undefined },
): Promise<SendResult | undefined> {
  for (const { what, table, run } of steps)
    try {
      await run()
    } catch (error) {
      const found = read(error)
      if (found === undefined) throw error
      return { ...found.refusal, outcome: 'retry', error: textOf(found, { shown, what, table }) }
    }
  return undefined
}

function textOf(
  { refusal, code, isOfPermission }: CheckError,
  { shown, what, table }: { shown: string; what: string; table: string | undefined },
): string {
  if (isOfPermission) return `${shown} does not permit this user to ${what} (${code}).`
  const { error = `${shown} refused it.` } = refusal
  return table === undefined ? error : `${error} Table: ${table}.`
}
