import { awsError } from '../aws.ts'
import type { SentToAws } from '../aws-client.ts'
import { notDelivered } from '../http-calls.ts'
import type { SendOptions } from '../kind.ts'
import { WarehouseError } from '../warehouse-tables/warehouse-error.ts'
import { type DataCall, databaseOf, endOf, isDataError, type Ran, runToEnd, waitSecs } from './data-calls.ts'
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
    const input = { Sqls: [...sqls], ...this.#where() }
    this.#idOf(await runToEnd(this.#call, (api, by) => api.batchExecuteStatement(input, by), this.#options))
  }

  /** Runs a statement. Returns its id. */
  async execute(sql: string, values: Record<string, string> = {}): Promise<string> {
    const parameters = Object.entries(values).map(([name, value]) => ({ name, value }))
    const input = { Sql: sql, ...(parameters.length > 0 && { Parameters: parameters }), ...this.#where() }
    return this.#idOf(await runToEnd(this.#call, (api, by) => api.executeStatement(input, by), this.#options))
  }

  /** The session, or what begins one. */
  #where() {
    const where =
      this.#id === undefined
        ? { ...databaseOf(this.#settings), SessionKeepAliveSeconds: sessionSecs }
        : { SessionId: this.#id }
    return { ...where, WaitTimeSeconds: waitSecs }
  }

  /** Returns the id of statements that succeeded, and keeps their session. */
  #idOf(ran: Ran): string {
    if ('refused' in ran) throw this.#errorOf({ answer: ran.refused })
    const { SessionId: session }: { SessionId?: unknown } = ran.submitted.output ?? {}
    if (typeof session === 'string' && /^[\w-]{1,100}$/.test(session)) this.#id = session
    if (ran.ended.answer.status !== 200 || endOf(ran.ended).state !== 'FINISHED') {
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
      const input = { Id: id, ...(next !== undefined && { NextToken: next }) }
      const sent = await this.#call((api, by) => api.getStatementResult(input, by))
      const { Records: records, NextToken: token } = sent.output ?? {}
      if (sent.answer.status !== 200 || !Array.isArray(records)) throw this.#errorOf(sent)
      rows.push(...records.map(textsOf))
      if (typeof token !== 'string' || token === '') return rows
      next = token
    }
    const { host } = dataApiUrl(this.#settings)
    throw new WarehouseError({ outcome: 'retry', error: `${host} answered with more than ${pagesMax} pages.` })
  }

  #errorOf(sent: SentToAws<object>): WarehouseError {
    const { answer } = sent
    const url = dataApiUrl(this.#settings)
    const { time } = this.#options
    if (answer.status !== 200) return new WarehouseError(awsError(url, answer, time))
    const { state, error = '' } = endOf(sent)
    const isEnded = state === 'FAILED' || state === 'ABORTED'
    const message = error.slice(0, messageMax)
    const words = reasons.find(([pattern]) => pattern.test(message))?.[1]
    const ended = `The statement ended as ${state}${words === undefined ? '' : `: ${words}`}.`
    const reason = isEnded ? ended : `${url.host} did not say what became of the statement.`
    return new WarehouseError(notDelivered(url, answer, time, reason), {
      isTransient: /serializable isolation violation|already exists|concurrent/i.test(message),
      isOfColumns: /does not exist|is of type/i.test(message),
      isAboutData: isDataError(sent),
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
