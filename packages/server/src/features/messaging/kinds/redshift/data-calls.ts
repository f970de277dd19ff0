import { signedForAws } from '../aws.ts'
import { createCalls, type HttpAnswer, jsonOf } from '../http-calls.ts'
import type { SenderServices, SendOptions } from '../kind.ts'
import { pollUntil } from '../poll.ts'
import { dataApiUrl, type RedshiftSettings } from './settings.ts'

/** Calls an operation of the Data API. */
export type DataCall = (operation: string, body: object) => Promise<HttpAnswer>

export function createDataCalls(settings: RedshiftSettings, services: SenderServices, options: SendOptions): DataCall {
  const { region, accessKeyId: awsKeyId, secretAccessKey: awsSecretKey } = settings
  const signing = { service: 'redshift-data', region, credentials: { awsKeyId, awsSecretKey }, time: options.time }
  const [call, url] = [createCalls(services, options), dataApiUrl(settings)]
  return async (operation, body) => {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `RedshiftData.${operation}` }
    return call(await signedForAws({ url, headers, body: JSON.stringify(body) }, signing))
  }
}

/** Where a statement runs, unless it runs in a session. */
export function databaseOf({ dbName, workgroupName, clusterIdentifier, dbUser }: RedshiftSettings): object {
  return {
    Database: dbName,
    ...(workgroupName !== undefined && { WorkgroupName: workgroupName }),
    ...(clusterIdentifier !== undefined && { ClusterIdentifier: clusterIdentifier }),
    ...(dbUser !== undefined && { DbUser: dbUser }),
  }
}

/** What became of a statement: how it ended, or why it was not accepted. */
export type Ran = { submitted: HttpAnswer; id: string; ended: HttpAnswer } | { refused: HttpAnswer }

const running = ['SUBMITTED', 'PICKED', 'STARTED']

/** Submits statements, and looks until they have ended. */
export async function runToEnd(
  call: DataCall,
  { operation, body }: { operation: 'ExecuteStatement' | 'BatchExecuteStatement'; body: object },
  options: Pick<SendOptions, 'signal'>,
): Promise<Ran> {
  const submitted = await call(operation, body)
  const id = submitted.status === 200 ? jsonOf(submitted)?.['Id'] : undefined
  if (typeof id !== 'string' || !/^[\w:-]{1,100}$/.test(id)) return { refused: submitted }
  const ended = await pollUntil(async () => {
    const answer = await call('DescribeStatement', { Id: id })
    const state = answer.status === 200 ? jsonOf(answer)?.['Status'] : undefined
    return typeof state === 'string' && running.includes(state) ? undefined : answer
  }, options)
  return { submitted, id, ended }
}

/** It says in words what a value did: its length, its type, its encoding, or a constraint. */
const dataErrors =
  /value too long|invalid input syntax|invalid byte sequence|out of range|overflow|violates|cannot insert null|invalid (?:digit|value)/i

/** Whether a statement failed for the data. */
export function isDataError(answer: HttpAnswer): boolean {
  const { Status: state, Error: error } = jsonOf(answer) ?? {}
  return state === 'FAILED' && typeof error === 'string' && dataErrors.test(error)
}
