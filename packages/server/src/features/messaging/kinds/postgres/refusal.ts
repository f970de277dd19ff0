import type { SendResult } from '../kind.ts'

/** What a person can correct, by code (PostgreSQL, appendix A); other errors are shown by their code. */
const reasons: Record<string, string> = {
  '22001': 'refused a text that is too long for its column',
  '22003': 'refused a number that is out of range of its column',
  '22007': 'refused a value that is not a date or time',
  '22008': 'refused a date or time that is out of range',
  '22P02': 'refused a value that does not fit the type of its column',
  '23502': 'refused a record without a value for a column that requires one',
  '23503': 'refused a record that refers to a missing row, or whose row another refers to',
  '23505': 'refused a record because a value must be unique',
  '23514': 'refused a record that a constraint does not permit',
  P0001: 'refused a record by a trigger',

  '28000': 'refused the user name',
  '28P01': 'refused the password',
  '3D000': 'has no database of this name',
  '3F000': 'has no schema of this name: create it',
  '42501': 'does not permit this user to create or write the table',
  '53100': 'is out of disk space',
  '53300': 'has no connection left',
  '57P03': 'is starting',
  '25006': 'is read-only, as a replica is: use the URL of the primary',
  '57014': 'took too long to store the messages',
  '55P03': 'has locked the table',
}

/** What an error of the server means for a message. Its text goes into the response, from which secrets are removed. */
export function refusalOf(error: Error & { code: string }, shown: string): SendResult {
  const code = /^[0-9A-Z]{5}$/.exec(error.code)?.[0] ?? 'XX000'
  const reason = reasons[code]
  return {
    outcome: isBadValue(code) ? 'refused' : 'retry',
    error: reason === undefined ? `${shown} answered with the error ${code}.` : `${shown} ${reason} (${code}).`,
    response: Buffer.from(error.message),
  }
}

/** Whether other data would be stored: classes 22 and 23, and what a trigger of the user raises (P0001). */
export function isAboutData({ code }: { code: string }): boolean {
  return /^(?:22|23|P0)/.test(code)
}

/**
 * Whether a value can never be stored in its column: class 22, a missing value, or a check. Another constraint, or a
 * trigger, may accept the record once another row is there.
 */
function isBadValue(code: string): boolean {
  return code.startsWith('22') || code === '23502' || code === '23514'
}
