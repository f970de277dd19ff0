import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput, type Issue, reply } from '../../../kernel/http/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import { classifyFailure, openConnector, type ProviderCall, providerProblem } from '../../provider-calls/calls/index.ts'
import { acceptWrite, beginWriteNow, collectWrite, InstallationGone } from './accept-write.ts'
import type { PreparedWrite, WriteRequest } from './model.ts'
import { connectorIssues, requestIssues } from './request-issues.ts'
import { prepareWrite, writableObject } from './writable-object.ts'
import { type WrittenNow, writeNow } from './write-now.ts'
import type { WriteServices } from './write-services.ts'

const notInstalled = (groupRef: string): Issue => ({
  in: 'body',
  name: 'groupRef',
  value: groupRef,
  detail: 'This group has no installation of the integration.',
  remedy: 'Install the integration for the group first.',
})

export interface LiveWrite {
  db: ProjectDb
  services: WriteServices
  log: Logger
  /** Undefined if the group has none. */
  installation: InstallationRecord | undefined
  /** The object, by the provider's name or the mapped one. */
  objectName: string
  body: WriteRequest
  /** Whether to refuse a record with a field that the provider file does not send. */
  strict?: boolean
}

/**
 * Writes records as a request asks, or accepts them to be written later. Returns the response, and whether the provider
 * refuses the credential.
 *
 * @throws InvalidInput with all issues, and the problem of the provider's failure
 */
export async function writeLive({ db, services, log, installation, objectName, body, strict = false }: LiveWrite) {
  const { connector, connection, calls, write } = await prepared(db, services, installation, objectName, body, {
    strict,
  })
  try {
    const target = installation as InstallationRecord
    if (body.mode === 'asynchronous' && body.type !== 'delete') {
      const operationId = body.autoBatchPolicy
        ? await collectWrite(db, services, target, write, body.autoBatchPolicy)
        : await acceptWrite(db, services, target, write, body)
      return { ...reply(200, { operationId, ...warningsOf(write.unsent) }), isCredentialRefused: false }
    }
    const lease = await beginWriteNow(db, services, target, write)
    const installationId = target.id
    const written = await writeNow({ db, services, log, connector, connection, calls, installationId, lease, write })
    const { isCredentialRefused = false } = written
    return { ...answerOf(lease.row.operation_id, body, written, write), isCredentialRefused }
  } catch (error) {
    if (error instanceof InstallationGone) throw new InvalidInput({ issues: [notInstalled(body.groupRef)] })
    throw error
  }
}

/** Checks a write as `writeLive` does, and sends nothing. @throws as `writeLive` */
export async function checkWrite({
  db,
  services,
  installation,
  objectName,
  body,
  strict = false,
}: Omit<LiveWrite, 'log'>): Promise<void> {
  await prepared(db, services, installation, objectName, body, { strict })
}

/** Returns all errors of a request together, or the write and its connector. */
async function prepared(
  db: ProjectDb,
  services: WriteServices,
  installation: InstallationRecord | undefined,
  name: string,
  body: WriteRequest,
  { strict = false }: { strict?: boolean },
) {
  const issues = requestIssues(body)
  const object = installation && writableObject(installation, name)
  if (!installation || !object) throw new InvalidInput({ issues: [notInstalled(body.groupRef), ...issues] })
  if ('detail' in object) throw new InvalidInput({ issues: [object, ...issues] })
  const opened = await opening(db, services, installation, object.objectName)
  issues.push(...connectorIssues(opened.connector, object.objectName, opened.connection.provider, body))
  const write = prepareWrite(object, opened.connector, body, { strict })
  if (Array.isArray(write)) issues.push(...write)
  if (issues.length > 0 || Array.isArray(write)) throw new InvalidInput({ issues })
  return { ...opened, write }
}

async function opening(
  db: ProjectDb,
  services: WriteServices,
  { id: installationId, connectionId, module }: InstallationRecord,
  objectName: string,
) {
  const calls: ProviderCall[] = []
  try {
    const countedFor = { counts: services.counts, installationId, objectName }
    return { calls, ...(await openConnector(db, services, connectionId, { module, countedFor, calls })) }
  } catch (error) {
    const failure = classifyFailure(error)
    if (failure.kind !== 'invalid_inputs') throw providerProblem(failure, services.now()) ?? error
    const detail = `The connection of the group cannot be used: ${failure.sentence}`
    throw new InvalidInput({ issues: [{ in: 'body', name: 'groupRef', detail }], cause: error })
  }
}

/** Returns the response to a write whose caller waited (contract 6.5). */
function answerOf(
  operationId: string,
  { batch }: WriteRequest,
  { results, errors, retryAfterMs, rawResponse }: WrittenNow,
  { leftOut, unsent }: Pick<PreparedWrite, 'leftOut' | 'unsent'>,
) {
  const headers = retryAfterMs === undefined ? undefined : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
  const successCount = results.filter(({ success }) => success).length
  const status = successCount > 0 ? 200 : 422
  const raw = rawResponse === undefined ? {} : { rawResponse }
  if (batch !== undefined) {
    const failureCount = results.length - successCount
    const errorFields = errors.length > 0 ? { errors } : {}
    return reply(
      status,
      { operationId, successCount, failureCount, results, ...errorFields, ...warningsOf(unsent), ...raw },
      headers,
    )
  }
  const { errors: refusals = [], ...result } = results[0] ?? { success: false }
  if (status === 200) return reply(200, { operationId, result, ...warningsOf(unsent), ...raw })
  const body = { operationId, result: { success: false }, errors: [...refusals, ...errors] }
  return reply(422, { ...body, ...warningsOf([...unsent, ...leftOut]), ...raw }, headers)
}

function warningsOf(messages: readonly string[]) {
  return messages.length === 0 ? {} : { warnings: messages.map((message) => ({ message })) }
}
