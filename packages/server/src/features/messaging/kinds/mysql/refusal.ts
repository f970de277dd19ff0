import type { SendResult } from '../kind.ts'
import type { Refusal } from '../tables/table-database.ts'
import type { ServerError } from './mysql-connection.ts'

const noPermission = 'does not permit this user to create or write the table'
const diskIsFull = 'is out of disk space'
const noConnection = 'has no connection left'
const readOnly = 'is read-only, as a replica is: use the URL of the primary'
const tooSlow = 'took too long to store the messages'

/** What a person can correct, by number (MySQL Error Message Reference); other errors are shown by their number. */
const reasons: Record<number, string> = {
  1021: diskIsFull,
  1040: noConnection,
  1044: 'does not permit this user to use the database, or has none of this name',
  1045: 'refused the user name or the password',
  1048: 'has a unique index of yours that refuses the record, or refuses the value',
  1049: 'has no database of this name',
  1053: 'is shutting down',
  1114: diskIsFull,
  1129: 'refuses connections from this service',
  1130: 'refuses connections from this service',
  1364: 'refused a record without a value for a column that requires one',
  1142: noPermission,
  1143: noPermission,
  1153: 'takes no statement as large as the record: raise max_allowed_packet',
  1203: noConnection,
  1205: 'has locked the table',
  1213: 'has locked the table',
  1226: noConnection,
  1227: noPermission,
  1290: readOnly,
  1370: noPermission,
  1451: 'cannot remove a record that a row of yours refers to',
  1698: 'refused the user name or the password',
  1792: 'makes transactions of this user read-only: set transaction_read_only = OFF',
  1836: readOnly,
  1969: tooSlow,
  3024: tooSlow,
  3159: 'requires TLS',
}

/** What an error of the server means for a message. Its text goes into the response, from which secrets are removed. */
export function refusalOf({ errno, message }: ServerError, shown: string): SendResult {
  const reason = reasons[errno]
  return {
    outcome: badValue.has(errno) ? 'refused' : 'retry',
    error: reason === undefined ? `${shown} answered with the error ${errno}.` : `${shown} ${reason} (${errno}).`,
    response: Buffer.from(message),
  }
}

/**
 * Values that can never be stored in their column or row: out of range, too long, of another type, missing, or against
 * a check. A unique index may accept the record once another row has changed.
 */
const badValue = new Set([1264, 1265, 1292, 1364, 1366, 1406, 3140, 3819, 4025])

/** Two transactions lock up, two senders add the same, or a statement must be prepared again. */
const transient = new Set([1050, 1060, 1213, 1412, 1615])

/** A column or table is missing, or a column has another type than the value was written for. */
const ofColumns = new Set([1054, 1136, 1146, 1264, 1265, 1292, 1366, 1406, 3140])

/** Values, rows and JSON that the table does not take, and errors that have no state of their class. */
const aboutData = new Set([1118, 1153, 1265, 1292, 1364, 1366, 1406, 3140, 3819, 3988, 4025])

export function meaningOf(error: ServerError, shown: string): Refusal {
  return {
    isTransient: transient.has(error.errno),
    isOfColumns: ofColumns.has(error.errno),
    // Classes 22 and 23, and what a trigger of the user signals.
    isAboutData: aboutData.has(error.errno) || /^(?:22|23|45)/.test(error.sqlState),
    result: refusalOf(error, shown),
  }
}
