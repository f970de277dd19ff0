import type { RedshiftData } from '@aws-sdk/client-redshift-data'
import { awsClientConfig, type SentToAws, sendToAws } from '../aws-client.ts'
import { createCalls, type HttpAnswer } from '../http-calls.ts'
import type { SenderServices, SendOptions } from '../kind.ts'
import { pollUntil } from '../poll.ts'
import { dataApiUrl, type RedshiftSettings } from './settings.ts'

type Operation<Output> = (api: RedshiftData, by: object) => Promise<Output>

/** Calls an operation of the Data API. */
export type DataCall = <Output>(operation: Operation<Output>) => Promise<SentToAws<Output>>

/** Returns the calls of one `send`. All have the same client, which the first of them creates. */
export function openDataApi(settings: RedshiftSettings, services: SenderServices): (options: SendOptions) => DataCall {
  const { region, accessKeyId: awsKeyId, secretAccessKey: awsSecretKey } = settings
  const createClient = async () => {
    const { RedshiftData } = await import('@aws-sdk/client-redshift-data')
    return new RedshiftData(awsClientConfig(dataApiUrl(settings), region, { awsKeyId, awsSecretKey }))
  }
  let client: ReturnType<typeof createClient> | undefined
  return (options) => {
    const call = createCalls(services, options)
    return async (operation) => {
      client ??= createClient()
      const api = await client
      return await sendToAws(call, (by) => operation(api, by))
    }
  }
}

/** Where a statement runs, unless it runs in a session. */
export function databaseOf({ dbName, workgroupName, clusterIdentifier, dbUser }: RedshiftSettings) {
  return {
    Database: dbName,
    ...(workgroupName !== undefined && { WorkgroupName: workgroupName }),
    ...(clusterIdentifier !== undefined && { ClusterIdentifier: clusterIdentifier }),
    ...(dbUser !== undefined && { DbUser: dbUser }),
  }
}

/** What became of a statement: how it ended, or why it was not accepted. */
export type Ran = { submitted: SentToAws<object>; id: string; ended: SentToAws<object> } | { refused: HttpAnswer }

const running = ['SUBMITTED', 'PICKED', 'STARTED']
/** How long the Data API holds an answer back until the statement has ended, at most. */
export const waitSecs = 20

/**
 * Submits statements, and looks until they have ended.
 *
 * @param submit waits for the end, too. An answer that is not the success says nothing of the reason.
 */
export async function runToEnd(
  call: DataCall,
  submit: Operation<{ Id?: string | undefined }>,
  options: Pick<SendOptions, 'signal'>,
): Promise<Ran> {
  const submitted = await call(submit)
  const { answer, output } = submitted
  const id: unknown = output?.Id
  if (answer.status !== 200 || typeof id !== 'string' || !/^[\w:-]{1,100}$/.test(id)) return { refused: answer }
  if (endOf(submitted).state === 'FINISHED') return { submitted, id, ended: submitted }
  const ended = await pollUntil(async () => {
    const described = await call((api, by) => api.describeStatement({ Id: id, WaitTimeSeconds: waitSecs }, by))
    return running.includes(endOf(described).state ?? '') ? undefined : described
  }, options)
  return { submitted, id, ended }
}

/** What an answer says of a statement. */
export function endOf({ output }: SentToAws<object>): { state?: string; error?: string } {
  const { Status: state, Error: error }: { Status?: unknown; Error?: unknown } = output ?? {}
  return { ...(typeof state === 'string' && { state }), ...(typeof error === 'string' && { error }) }
}

/** It says in words what a value did: its length, its type, its encoding, or a constraint. */
const dataErrors =
  /value too long|invalid input syntax|invalid byte sequence|out of range|overflow|violates|cannot insert null|invalid (?:digit|value)/i

/** Whether a statement failed for the data. */
export function isDataError(sent: SentToAws<object>): boolean {
  const { state, error = '' } = endOf(sent)
  return state === 'FAILED' && dataErrors.test(error)
}
