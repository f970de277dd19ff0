import { createHash } from 'node:crypto'
import { awsError, signedForAws } from '../aws.ts'
import { createCalls, type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { Sized, Together } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { pollUntil } from '../poll.ts'
import { insertRows } from '../warehouse.ts'
import { dataApiUrl, type RedshiftSettings } from './settings.ts'

/** Maximum size of a statement (Redshift Data API, "Considerations"), with room for what surrounds values. */
const statementBytesMax = 90_000
const rowBytes = 200
/** Maximum length of the column (Amazon Redshift, "VARCHAR"). */
const payloadBytesMax = 65_535

/** Calls an operation of the Data API. */
type Call = (operation: string, body: object) => Promise<HttpAnswer>

/** Inserts rows over the Data API, which runs statements later: each is polled until it has ended. */
export function openRedshift(settings: RedshiftSettings, services: SenderServices): Sender {
  const url = dataApiUrl(settings)
  return {
    async send(batch, options) {
      const call = createDataCalls(settings, services, options)
      const rows = batch
        .filter(({ body }) => body.length <= payloadBytesMax)
        .map((message): Sized => ({ message, bytes: message.body.length + rowBytes }))
      const inserted = await insertRows(rows, settings, { bytesMax: statementBytesMax }, async (some) => {
        const messages = some.map(({ message }) => message)
        return await insert(settings, messages, { url, call, options })
      })
      const results = new Map(rows.map(({ message }, index) => [message, inserted[index]]))
      return batch.map((message) => results.get(message) ?? tooLong)
    },
    close: async () => undefined,
  }
}

const tooLong: SendResult = {
  outcome: 'refused',
  error: `The message is longer than ${payloadBytesMax} bytes, which a column of Redshift cannot hold.`,
}

function createDataCalls(settings: RedshiftSettings, services: SenderServices, options: SendOptions): Call {
  const { region, accessKeyId: awsKeyId, secretAccessKey: awsSecretKey } = settings
  const signing = { service: 'redshift-data', region, credentials: { awsKeyId, awsSecretKey }, time: options.time }
  const [call, url] = [createCalls(services, options), dataApiUrl(settings)]
  return async (operation, body) => {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `RedshiftData.${operation}` }
    return call(await signedForAws({ url, headers, body: JSON.stringify(body) }, signing))
  }
}

async function insert(
  settings: RedshiftSettings,
  messages: readonly OutgoingMessage[],
  { url, call, options }: { url: URL; call: Call; options: SendOptions },
): Promise<Together> {
  const { time } = options
  const submitted = await call('ExecuteStatement', insertion(settings, messages, time))
  if (submitted.status !== 200) return { result: awsError(url, submitted, time), isOfData: false }
  const id = jsonOf(submitted)?.['Id']
  if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id)) {
    const result = notDelivered(url, submitted, time, `${url.host} did not confirm the statement.`)
    return { result, isOfData: false }
  }
  return pollUntil(async () => {
    const answer = await call('DescribeStatement', { Id: id })
    if (answer.status !== 200) return { result: awsError(url, answer, time), isOfData: false }
    return meaningOf(url, answer, time)
  }, options)
}

/** Names are quoted, values are parameters. A message has no empty value, which the Data API refuses. */
function insertion(settings: RedshiftSettings, messages: readonly OutgoingMessage[], time: Date): object {
  const { dbName, schemaName = 'public', tableName, workgroupName, clusterIdentifier, dbUser } = settings
  const rows = messages.map((_, index) => `(:t${index}, :p${index})`).join(', ')
  return {
    Sql: `INSERT INTO "${schemaName}"."${tableName}" (created_at, payload) VALUES ${rows}`,
    Parameters: messages.flatMap((message, index) => [
      { name: `t${index}`, value: createTimeOf(message).toISOString().replace('T', ' ').replace('Z', '') },
      { name: `p${index}`, value: message.body.toString() },
    ]),
    Database: dbName,
    ...(workgroupName !== undefined && { WorkgroupName: workgroupName }),
    ...(clusterIdentifier !== undefined && { ClusterIdentifier: clusterIdentifier }),
    ...(dbUser !== undefined && { DbUser: dbUser }),
    ClientToken: clientToken(messages, time),
  }
}

/**
 * The same for the same messages of the same attempt: a request that arrives twice runs once. Of another attempt, it
 * differs, because the Data API returns a statement that failed for 8 hours.
 */
function clientToken(messages: readonly OutgoingMessage[], time: Date): string {
  const text = [String(time.getTime()), ...messages.map(({ id }) => id)].join()
  return createHash('sha256').update(text).digest('hex')
}

const running = ['SUBMITTED', 'PICKED', 'STARTED']

/** What the state of a statement means. Undefined while it is running. */
function meaningOf(url: URL, answer: HttpAnswer, time: Date): Together | undefined {
  const { Status: state, Error: error } = jsonOf(answer) ?? {}
  if (typeof state === 'string' && running.includes(state)) return undefined
  if (state === 'FINISHED') return { result: { outcome: 'delivered', status: answer.status }, isOfData: false }
  const isEnded = state === 'FAILED' || state === 'ABORTED'
  const reason = isEnded ? `The statement ended as ${state}.` : `${url.host} did not say what became of the statement.`
  // It says in words what a value did: its length, its type, its encoding, or a constraint.
  const isOfData = state === 'FAILED' && typeof error === 'string' && dataErrors.test(error)
  return { result: notDelivered(url, answer, time, reason), isOfData }
}

const dataErrors = /value too long|invalid input syntax|invalid byte sequence|out of range|violates|cannot insert null/i
