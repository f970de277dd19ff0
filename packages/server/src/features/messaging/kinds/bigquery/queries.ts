import type { BigQuery } from '@google-cloud/bigquery'
import { createGoogleCalls } from '../google.ts'
import { askGoogle } from '../google-client.ts'
import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { SenderServices, SendOptions } from '../kind.ts'
import { pollUntil } from '../poll.ts'
import { WarehouseError } from '../warehouse-tables/warehouse-error.ts'
import { openClient } from './client.ts'
import { apiUrl, type BigQuerySettings } from './settings.ts'

const scope = 'https://www.googleapis.com/auth/bigquery'
/** How long BigQuery waits for the end of a query before it answers, and that no rows are wanted. */
const wanted = { timeoutMs: 10_000, maxResults: 0 }
/** One request: `pollUntil` sends the next one. */
const resultsWanted = { ...wanted, autoPaginate: false }
const endedKinds = new Set<unknown>(['bigquery#queryResponse', 'bigquery#getQueryResultsResponse'])

export interface Queries {
  /** Runs a statement until it has ended. Only checks it if `isDryRun`. @throws WarehouseError */
  run(query: string, options?: { rows?: string; isDryRun?: boolean }): Promise<void>
  /** Whether a dataset exists. @throws WarehouseError */
  hasDataset(dataset: string): Promise<boolean>
  /** Loads the fields of a table; undefined if there is none, or no dataset. @throws WarehouseError */
  fieldsOf(dataset: string, table: string): Promise<TableField[] | undefined>
}

/** A column, as the API has it. */
export interface TableField {
  name: string
  type: string
  mode: string
  description: string | undefined
}

/** Runs statements by jobs, all within one `send`. */
export function createQueries(settings: BigQuerySettings, services: SenderServices, options: SendOptions): Queries {
  const call = createGoogleCalls(settings, { scope, services, options })
  const url = apiUrl(settings)
  const answerOf = async (ask: (client: BigQuery) => Promise<unknown>): Promise<HttpAnswer> => {
    const answer = await askGoogle(await openClient(settings), { origin: url.origin, call }, ask)
    if ('outcome' in answer) throw new WarehouseError(answer)
    return answer
  }
  const look = async (answer: HttpAnswer): Promise<HttpAnswer> => {
    const job = runningJob(answer)
    if (job === undefined) return answer
    return pollUntil(async () => {
      const next = await answerOf((client) => client.job(job.jobId, job).getQueryResults(resultsWanted))
      return runningJob(next) === undefined ? next : undefined
    }, options)
  }
  return {
    async run(query, { rows, isDryRun = false } = {}) {
      const params = rows === undefined ? {} : { params: { rows } }
      const answer = await answerOf((client) =>
        isDryRun
          ? client.createQueryJob({ query, ...params, dryRun: true })
          : client.query({ query, ...params }, wanted),
      )
      const ended = await look(answer)
      const { kind, jobComplete } = jsonOf(ended) ?? {}
      const isEnded = isDryRun ? kind === 'bigquery#job' : endedKinds.has(kind) && jobComplete === true
      if (ended.status !== 200 || !isEnded) throw queryError(url, ended, options.time)
    },
    async hasDataset(dataset) {
      const answer = await answerOf((client) => client.dataset(dataset).getMetadata())
      if (answer.status === 404 && errorOf(answer) !== undefined) return false
      if (answer.status === 200 && jsonOf(answer)?.['kind'] === 'bigquery#dataset') return true
      throw queryError(url, answer, options.time)
    },
    async fieldsOf(dataset, table) {
      const answer = await answerOf((client) => client.dataset(dataset).table(table).getMetadata())
      // Of a dataset that is missing, the statement that creates the table says so.
      if (answer.status === 404 && errorOf(answer) !== undefined) return undefined
      const { kind, schema } = jsonOf(answer) ?? {}
      const fields: unknown = (schema as { fields?: unknown } | undefined)?.fields
      if (answer.status !== 200 || kind !== 'bigquery#table' || !Array.isArray(fields))
        throw queryError(url, answer, options.time)
      return fields.map(fieldOf)
    },
  }
}

function fieldOf(field: unknown): TableField {
  const text = (name: string): string | undefined => {
    const value: unknown = typeof field === 'object' && field !== null ? Reflect.get(field, name) : undefined
    return typeof value === 'string' ? value : undefined
  }
  return {
    name: text('name') ?? '',
    type: text('type') ?? '',
    mode: text('mode') ?? 'NULLABLE',
    description: text('description'),
  }
}

/** The job of a query that has not ended. */
function runningJob(answer: HttpAnswer): { jobId: string; location?: string } | undefined {
  if (answer.status !== 200) return undefined
  const { jobComplete, jobReference } = jsonOf(answer) ?? {}
  if (jobComplete !== false || typeof jobReference !== 'object' || jobReference === null) return undefined
  const { jobId, location } = jobReference as { jobId?: unknown; location?: unknown }
  if (typeof jobId !== 'string' || !/^[\w-]{1,1024}$/.test(jobId)) return undefined
  return { jobId, ...(typeof location === 'string' && { location }) }
}

/** What is read of an error. */
const messageMax = 2_000

function errorOf(answer: HttpAnswer): { reason: string; message: string } | undefined {
  const error = jsonOf(answer)?.['error'] as { message?: unknown; errors?: unknown } | undefined
  if (typeof error !== 'object' || error === null) return undefined
  const first: unknown = Array.isArray(error.errors) ? error.errors[0] : undefined
  const reason: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'reason') : undefined
  return {
    reason: typeof reason === 'string' ? (/^[A-Za-z]{1,60}$/.exec(reason)?.[0] ?? '') : '',
    message: typeof error.message === 'string' ? error.message.slice(0, messageMax) : '',
  }
}

/** What a person can correct, by reason ("Error messages" of BigQuery). */
const reasons: Record<string, string> = {
  accessDenied: 'the service account does not have the permission',
  billingNotEnabled: 'billing is not enabled for the project',
  billingTierLimitExceeded: 'the query needs a higher billing tier',
  notFound: 'the project, the dataset or the table does not exist',
  quotaExceeded: 'a quota of the project is used up',
  rateLimitExceeded: 'there are too many changes of the table at a time',
  responseTooLarge: 'the answer is too large',
}

/** BigQuery says in words what a value did. */
const dataErrors =
  /^(?:Bad |Could not cast|Invalid (?:date|time|datetime|timestamp|NUMERIC|BIGNUMERIC|JSON)|Failed to parse|Required field|Value has length|.{0,80}(?:out of range|overflow|maximum length))/i
const columnErrors = /Unrecognized name|is not present in table|not found inside|which cannot be assigned/

function queryError(url: URL, answer: HttpAnswer, time: Date): WarehouseError {
  const { status } = answer
  const { reason = '', message = '' } = errorOf(answer) ?? {}
  const words = reasons[reason]
  const shown =
    reason === '' ? undefined : `${url.host} answered ${status} (${reason})${words === undefined ? '' : `: ${words}`}.`
  const unconfirmed = `${url.host} did not confirm the statement.`
  return new WarehouseError(notDelivered(url, answer, time, status === 200 ? unconfirmed : shown), {
    isTransient: /could not serialize access|already exists/i.test(message),
    isOfColumns: status === 404 || (status === 400 && columnErrors.test(message)),
    isAboutData: status === 413 || (status === 400 && dataErrors.test(message)),
  })
}
