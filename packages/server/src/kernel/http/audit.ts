import { hash } from 'node:crypto'
import type { TSchema } from 'typebox'
import type { AuditActor, AuditNote } from './audit-part.ts'
import { auditedParts, hasAuditedParts } from './audited-parts.ts'
import type { AccessScope } from './authorize.ts'
import type { Identity } from './caller.ts'
import type { CommonInput, Endpoint, Reply } from './endpoint.ts'
import { maskSecrets } from './mask-secrets.ts'

/** A change that one entry of the audit log describes. */
export interface AuditRecord {
  /** Ids of the logs; undefined for the organizations of the actor. */
  log: string | readonly string[] | undefined
  actor: AuditActor
  action: string
  verb: string
  outcome: 'success' | 'failure'
  resource: { kind: string; id: string | undefined }
  address: string | undefined
  userAgent: string | undefined
  /** Undefined for a command of the operator. */
  requestId: string | undefined
  /** The resource before and after, without secrets. */
  before: unknown
  after: unknown
}

export interface AuditLog {
  /** Stores an entry. Never throws: the change is made, so the process log gets an entry that cannot be stored. */
  record(record: AuditRecord): Promise<void>
  /** Returns an entry as a row, for the statement that makes the change. */
  row(record: AuditRecord): object
}

export interface AuditedAs {
  verb: string
  resource: string
}

/** Returns how the audit log names what an endpoint does; undefined if the endpoint leaves no entry. */
export function auditedAs({
  id,
  method,
  path,
  onlyReads,
  audit,
}: Pick<Endpoint['declaration'], 'id' | 'method' | 'path' | 'onlyReads' | 'audit'>): AuditedAs | undefined {
  if (audit === undefined && (method === 'GET' || onlyReads)) return undefined
  if (audit && 'exempt' in audit) return undefined
  return { verb: audit?.verb ?? /^[a-z]+/.exec(id)?.[0] ?? id, resource: audit?.resource ?? resourceOf(path) }
}

/** Returns the kind of the resource at a path: the last word of the path itself, in the singular. */
function resourceOf(path: string): string {
  const words = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  const [last = ''] = (words.at(-1) ?? '').split(':')
  return last.replace(/ies$/, 'y').replace(/s$/, '')
}

/** Rows of the table of permissions whose resources belong to the builder, not to end users. */
const shown: readonly string[] = ['view', 'operate', 'develop', 'member', 'owner', 'ownerOrKey']
const snapshotBytesMax = 16 * 1_024
const userAgentMax = 200

/** Records requests of one endpoint. */
export interface Auditor<S> {
  /** Returns the resource before the change, where the entry shows it. */
  before(input: Input, services: S): Promise<unknown>
  record(request: AuditedRequest): Promise<void>
  row(request: AuditedRequest): object
}

type Input = CommonInput<never, never, never>

export interface AuditedRequest {
  input: Input
  identity: Identity | undefined
  scope: AccessScope
  note: AuditNote
  before: unknown
  /** Undefined when the request failed. */
  result: Reply | undefined
}

/**
 * Returns the auditor of an endpoint; undefined if it leaves no entries.
 *
 * @param endpoints all endpoints: the GET of the same resource reads it before a change
 */
export function auditorOf<S>(
  { declaration }: Endpoint<S>,
  endpoints: readonly Endpoint<S>[],
  log: AuditLog,
): Auditor<S> | undefined {
  const audited = auditedAs(declaration)
  if (!audited) return undefined
  // Groups and consumers are people of customers, whose data can be erased.
  const isOfCustomer = declaration.audit !== undefined && 'isOfCustomer' in declaration.audit
  const hasSnapshots = shown.includes(declaration.access) && !declaration.path.includes('Ref}') && !isOfCustomer
  const stateOf = hasSnapshots ? visible : auditedParts
  const reader = readerOf(declaration, endpoints, hasSnapshots)
  const recordOf = ({ input, identity, scope, note, result, ...read }: AuditedRequest): AuditRecord => {
    const before = read.before ?? (hasSnapshots ? note.before : undefined)
    const after = result && stateOf(declaration.reply[result.status], result.body)
    return {
      log: note.log ?? scope.project?.id ?? scope.org?.id,
      actor: note.actor ?? actorOf(identity),
      action: declaration.id,
      verb: audited.verb,
      outcome: note.outcome === 'failure' ? 'failure' : 'success',
      resource: {
        kind: audited.resource,
        id: note.resourceId ?? idIn(result?.body) ?? idIn(before) ?? idInPath(declaration, input.params),
      },
      address: input.address,
      userAgent: input.headers['user-agent']?.toString().slice(0, userAgentMax),
      requestId: input.requestId,
      ...changes(before, after),
    }
  }
  return {
    record: (request) => log.record(recordOf(request)),
    row: (request) => log.row(recordOf(request)),
    async before(input, services) {
      if (!reader) return undefined
      // A resource that is missing has no state before, and the endpoint itself reports that.
      const found = await reader
        .run({ ...input, query: {} as never, body: undefined as never }, services)
        .catch(() => undefined)
      return found && stateOf(reader.declaration.reply[found.status], found.body)
    },
  }
}

/**
 * Returns the GET of the resource that an endpoint changes. Of a customer's resource, only a change of the resource
 * itself has a state before: the response of an action is another resource.
 */
function readerOf<S>(
  { method, path }: Endpoint<S>['declaration'],
  endpoints: readonly Endpoint<S>[],
  hasSnapshots: boolean,
): Endpoint<S> | undefined {
  const [resource = ''] = path.split(/:\w+$/)
  if (method === 'GET' || !resource.endsWith('}')) return undefined
  const reader = endpoints.find((one) => one.declaration.method === 'GET' && one.declaration.path === resource)
  if (hasSnapshots) return reader
  return method !== 'POST' && hasAuditedParts(reader?.declaration.reply[200]) ? reader : undefined
}

/** Returns whether a request leaves an entry. */
export function leavesEntry({ note, result }: Pick<AuditedRequest, 'note' | 'result'>): boolean {
  if (note.outcome !== undefined)
    return note.outcome === 'failure' || (note.outcome === 'success' && result !== undefined)
  return result !== undefined && result.status < 400
}

/** Returns the caller as an actor. Data of end users stays out: their tokens are named by what signed them. */
function actorOf(identity: Identity | undefined): AuditActor {
  if (!identity) return { kind: 'anonymous' }
  const { caller } = identity
  if (caller.kind === 'builder') return { kind: 'person', id: caller.builderId, name: caller.email }
  if (caller.kind === 'apiKey') return { kind: 'apiKey', id: caller.keyId, ...named(caller) }
  if (caller.session) return { kind: 'connectSession', id: caller.session.id }
  return { kind: 'consumerToken', id: caller.keyId, ...named(caller) }
}

function named({ label }: { label?: string }): { name?: string } {
  return label === undefined ? {} : { name: label }
}

/** Returns the actor of a flow that began in another request, by its author (`authorOf`), if it is known. */
export function actorOfAuthor(author: string | undefined, sessionId: string | undefined): AuditActor {
  if (sessionId !== undefined) return { kind: 'connectSession', id: sessionId }
  const [kind, id] = author?.split(':', 2) ?? []
  return kind === 'builder' && id !== undefined ? { kind: 'person', id } : { kind: 'consumerToken' }
}

function visible(schema: TSchema | undefined, body: unknown): unknown {
  return schema !== undefined && typeof body === 'object' && body !== null ? maskSecrets(schema, body) : undefined
}

function idIn(value: unknown): string | undefined {
  const id = (value as { id?: unknown } | undefined)?.id
  return typeof id === 'string' ? id : undefined
}

/**
 * Returns the id at the end of the path. A secret, such as an API key, is none. References that a builder has made for
 * its customers are hashed: an entry outlives the erasure of a customer.
 */
function idInPath({ path, params }: Endpoint['declaration'], values: Record<string, string>): string | undefined {
  const name = /\{(\w+)\}(?::\w+)?$/.exec(path)?.[1]
  const value = name === undefined ? undefined : values[name]
  if (name === undefined || value === undefined) return undefined
  const schema = params?.properties[name] as { 'x-secret'?: boolean } | undefined
  if (schema?.['x-secret']) return undefined
  return /Ref$/.test(name) ? auditedRef(value) : value
}

/** Returns what the log has instead of a reference of a group or a consumer. */
export function auditedRef(ref: string): string {
  return `sha256:${hash('sha256', ref)}`
}

/** Returns what changed: of two states only the properties that differ. A large state is left out. */
function changes(before: unknown, after: unknown): { before: unknown; after: unknown } {
  if (!isPlain(before) || !isPlain(after)) return { before: bounded(before), after: bounded(after) }
  const [old, next] = differing(before, after)
  return { before: bounded(old), after: bounded(next) }
}

function differing(before: Plain, after: Plain): [Plain, Plain] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const only = (value: Plain) =>
    Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]))
  return [only(before), only(after)]
}

function bounded(value: unknown): unknown {
  if (value === undefined) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(value))
  return bytes <= snapshotBytesMax ? value : { omitted: `${bytes} bytes` }
}

type Plain = Record<string, unknown>

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
