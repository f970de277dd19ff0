import { awsError } from '../aws.ts'
import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { SendOptions } from '../kind.ts'
import { WarehouseError } from '../warehouse-tables/warehouse-error.ts'
import { type DataCall, databaseOf, isDataError, runToEnd } from './data-calls.ts'
import { dataApiUrl, type RedshiftSettings } from './settings.ts'

/** A session that was left ends, and its temporary tables with it. */
const sessionSecs = 60

/** Runs statements in the session of one `send`, which the first of them begins. */
export class RedshiftSession {
  readonly #settings: RedshiftSettings
  readonly #call: DataCall
  readonly #options: SendOptions
  #id: string | undefined

  constructor(settings: RedshiftSettings, call: DataCall, options: SendOptions) {
    this.#settings = settings
    this.#call = call
    this.#options = options
  }

  /** Runs statements as one transaction. */
  async batch(sqls: readonly string[]): Promise<void> {
    await this.#run('BatchExecuteStatement', { Sqls: sqls })
  }

  /** Runs a statement. Returns its id. */
  execute(sql: string, values: Record<string, string> = {}): Promise<string> {
    const parameters = Object.entries(values).map(([name, value]) => ({ name, value }))
    return this.#run('ExecuteStatement', { Sql: sql, ...(parameters.length > 0 && { Parameters: parameters }) })
  }

  /** Runs statements in the session, which the first of them begins. Returns their id. */
  async #run(operation: 'ExecuteStatement' | 'BatchExecuteStatement', body: object): Promise<string> {
    const where =
      this.#id === undefined
        ? { ...databaseOf(this.#settings), SessionKeepAliveSeconds: sessionSecs }
        : { SessionId: this.#id }
    const ran = await runToEnd(this.#call, { operation, body: { ...body, ...where } }, this.#options)
    if ('refused' in ran) throw this.#errorOf(ran.refused)
    const { SessionId: session } = jsonOf(ran.submitted) ?? {}
    if (typeof session === 'string' && /^[\w-]{1,100}$/.test(session)) this.#id = session
    if (ran.ended.status !== 200 || jsonOf(ran.ended)?.['Status'] !== 'FINISHED') {
      // The session may have ended.
      this.#id = undefined
      throw this.#errorOf(ran.ended)
    }
    if (this.#id === undefined) throw this.#errorOf(ran.submitted)
    return ran.id
  }

  /** Returns the rows of a statement, of all pages. */
  async rows(sql: string, values: Record<string, string>): Promise<(string | null)[][]> {
    const id = await this.execute(sql, values)
    const rows: (string | null)[][] = []
    let next: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const answer = await this.#call('GetStatementResult', { Id: id, ...(next !== undefined && { NextToken: next }) })
      const { Records: records, NextToken: token } = jsonOf(answer) ?? {}
      if (answer.status !== 200 || !Array.isArray(records)) throw this.#errorOf(answer)
      rows.push(...records.map(textsOf))
      if (typeof token !== 'string' || token === '') return rows
      next = token
    }
    const { host } = dataApiUrl(this.#settings)
    throw new WarehouseError({ outcome: 'retry', error: `${host} answered with more than ${pagesMax} pages.` })
  }

  #errorOf(answer: HttpAnswer): WarehouseError {
    const url = dataApiUrl(this.#settings)
    const { time } = this.#options
    if (answer.status !== 200) return new WarehouseError(awsError(url, answer, time))
    const { Status: state, Error: error } = jsonOf(answer) ?? {}
    const isEnded = state === 'FAILED' || state === 'ABORTED'
    const message = typeof error === 'string' ? error.slice(0, messageMax) : ''
    const words = reasons.find(([pattern]) => pattern.test(message))?.[1]
    const ended = `The statement ended as ${String(state)}${words === undefined ? '' : `: ${words}`}.`
    const reason = isEnded ? ended : `${url.host} did not say what became of the statement.`
    return new WarehouseError(notDelivered(url, answer, time, reason), {
      isTransient: /serializable isolation violation|already exists|concurrent/i.test(message),
      isOfColumns: /does not exist|is of type/i.test(message),
      isAboutData: isDataError(answer),
    })
  }
}

const pagesMax = 200
/** What is read of an error. */
const messageMax = 2_000

/** What a person can correct, as Redshift says it. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/permission denied/i, 'the user does not have the permission'],
  [/schema "/i, 'the schema does not exist, or the user may not use it'],
  [/database "/i, 'the database does not exist, or the user may not use it'],
  [/disk full/i, 'the disk is full'],
]

/** A row of `GetStatementResult`: each value is an object with one key. */
function textsOf(record: unknown): (string | null)[] {
  if (!Array.isArray(record)) return []
  return record.map((field: unknown) => {
    const value: unknown = typeof field === 'object' && field !== null ? Reflect.get(field, 'stringValue') : undefined
    return typeof value === 'string' ? value : null
  })
}
