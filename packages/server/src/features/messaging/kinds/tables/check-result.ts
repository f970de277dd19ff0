import type { SendResult } from '../kind.ts'

/** Number of tables that a check looks at. */
export const checkedTablesMax = 200

/** What the server says of a step that a delivery may need, with the table. */
export function checkResult(refusal: SendResult, table: string): SendResult {
  return { ...refusal, outcome: 'retry', error: `${refusal.error ?? 'The server refused it.'} Table: ${table}.` }
}

/** That the user lacks a permission. `what` is in the infinitive. */
export function notPermitted(
  refusal: SendResult,
  { shown, what, code }: { shown: string; what: string; code: string | number },
): SendResult {
  return { ...refusal, outcome: 'retry', error: `${shown} does not permit this user to ${what} (${code}).` }
}
