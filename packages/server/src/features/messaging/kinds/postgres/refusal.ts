import type { SendResult } from '../kind.ts'

/** What a person can correct, by code (PostgreSQL, appendix A); other errors are shown by their code. */
const reasons: Record<string, string> = {
  '28000': 'refused the user name',
  '28P01': 'refused the password',
  '3D000': 'has no database of this name',
  '3F000': 'has no schema of this name: create it',
  '42501': 'does not permit this user to create or write the table',
  '53100': 'is out of disk space',
  '53300': 'has no connection left',
  '57P03': 'is starting',
  '25006': 'is a read-only replica',
  '57014': 'took too long to store the messages',
  '55P03': 'has locked the table',
}

/** What an error of the server means for a message. Its text goes into the response, from which secrets are removed. */
export function refusalOf(error: Error & { code: string }, shown: string): SendResult {
  const code = /^[0-9A-Z]{5}$/.exec(error.code)?.[0] ?? 'XX000'
  const reason = reasons[code]
  return {
    outcome: 'retry',
    error: reason === undefined ? `${shown} answered with the error ${code}.` : `${shown} ${reason} (${code}).`,
    response: Buffer.from(error.message),
  }
}
