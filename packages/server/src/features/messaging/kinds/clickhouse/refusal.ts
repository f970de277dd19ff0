import { type HttpAnswer, notDelivered } from '../http-calls.ts'
import type { Together } from '../in-parts.ts'
import type { ClickHouseSettings } from './settings.ts'

export function authorization({ username, password }: ClickHouseSettings): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** Whether an answer has the code of an error, whatever its status is. */
export function hasException({ headers }: Pick<HttpAnswer, 'headers'>): boolean {
  return (headers['x-clickhouse-exception-code'] ?? '0') !== '0'
}

/** Names of errors that a row causes. Others concern the table, the user or the server. */
const dataErrors =
  /^(?:CANNOT_PARSE_\w+|CANNOT_READ_\w+|CANNOT_INSERT_NULL_\w+|INCORRECT_DATA|TYPE_MISMATCH|VIOLATED_CONSTRAINT|VALUE_IS_OUT_OF_RANGE_\w+|ARGUMENT_OUT_OF_BOUND|DECIMAL_OVERFLOW|TOO_LARGE_STRING_SIZE|UNKNOWN_ELEMENT_OF_ENUM)$/

/** "Code: 27. DB::Exception: Cannot parse … (CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 25.3)" */
export function refusalOf(url: URL, answer: HttpAnswer, time: Date): Together & { name: string | undefined } {
  const names = [...answer.body.toString().matchAll(/\(([A-Z][A-Z_]{3,80})\)/g)].map(([, name = '']) => name)
  const name = names.at(-1)
  const reason = name === undefined ? undefined : `${url.host} answered ${answer.status} (${name}).`
  const isOfData = name === undefined ? answer.status === 400 : dataErrors.test(name)
  return { name, result: notDelivered(url, answer, time, reason), isOfData }
}
