import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { ProjectDb } from '../db/index.ts'
import type { Logger } from '../telemetry/index.ts'
import type { AuditNote, AuditPart } from './audit-part.ts'
import type { BuilderCaller, Caller, CallerProject, Confinement } from './caller.ts'
import type { RateScope } from './caller-check.ts'
import type { OrgRole } from './org-roles.ts'
import type { Access, FrontendAccess, OrgAccess, ProjectAccess, SessionAccess } from './permissions.ts'
import type { Issue, ProblemClass } from './problem.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Input of every endpoint. */
export interface CommonInput<P, Q, B> {
  params: P
  query: Q
  body: B
  headers: Record<string, string | string[] | undefined>
  /** Path and query as they arrived, undecoded, without the host. Signed URLs are verified against it. */
  url: string
  /** Address of the client, as trusted proxies report it. */
  address: string
  /** The client requests only the headers: nothing may change. */
  isHead: boolean
  operationId: string
  requestId: string
  log: Logger
  /** Aborts when the client disconnects; for an event stream, also when the server stops. */
  signal: AbortSignal
  /** As `signal` of an event stream, for an endpoint whose response may be one: also aborts when access is lost. */
  streamSignal: AbortSignal
  /** Adds to the entry that the request leaves in the audit log. */
  note(note: AuditNote): void
  /**
   * Returns the entry as a row, for a statement that stores it together with the change; undefined without an audit
   * log. After that statement, note `stored`.
   */
  entryRow(): object | undefined
}

/** Input of endpoints that work in a project. */
export interface ProjectInput {
  caller: Caller
  project: CallerProject
  /** Database handle of the project. */
  db: ProjectDb
  /** Limits a consumer token to its group: data of others looks missing, like data of another project. */
  confinedTo: Confinement | undefined
}

/** Input of endpoints that work in an organization. */
export interface OrgInput {
  caller: Caller
  org: { id: string; role?: OrgRole }
}

/** Input of endpoints whose path names neither. A key implies its project. */
export interface AccountInput {
  caller: Caller
  project?: CallerProject
}

export type EndpointInput<A extends Access, P, Q, B> = CommonInput<P, Q, B> &
  (A extends ProjectAccess
    ? ProjectInput
    : A extends OrgAccess
      ? OrgInput & { caller: A extends 'ownerOrKey' ? Caller : BuilderCaller }
      : A extends 'builder'
        ? { caller: BuilderCaller }
        : A extends 'account'
          ? AccountInput
          : unknown)

export type Replies = Record<number, TSchema>

/** One declared response. `reply()` makes it. */
export interface Reply<S extends number = number, B = unknown> {
  status: S
  body: B
  headers?: Record<string, string | string[]>
}

/** Returns a response with a declared status. */
export function reply<const S extends number, B>(
  status: S,
  body: B,
  headers?: Record<string, string | string[]>,
): Reply<S, B> {
  return headers ? { status, body, headers } : { status, body }
}

/**
 * Returns a response with a declared status whose body is JSON already. For large bodies that contain stored JSON: the
 * caller writes what the schema of the status says, and nothing else, because no serializer does.
 */
export function jsonReply<const S extends number>(status: S, json: string): Reply<S, never> {
  return { status, body: json as never, headers: { 'content-type': 'application/json; charset=utf-8' } }
}

type ReplyOf<R extends Replies> = {
  [K in keyof R & number]: Reply<K, Static<R[K]> | (string extends Static<R[K]> ? Readable | Buffer : never)>
}[keyof R & number]
type StaticOf<T> = T extends TSchema ? Static<T> : undefined

/** How agents sign in to an endpoint. */
export interface AgentSignIn<P, S> {
  /** Whose agents they are. */
  of: 'consumer' | 'builder'
  /** Returns the address of the metadata (RFC 9728) that status 401 names; undefined if nobody can sign in. */
  metadata: (params: P, services: S) => Promise<string | undefined>
}

export interface EndpointDeclaration<
  A extends Access,
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TSchema | undefined,
  R extends Replies,
  S,
> {
  /** Unique operationId; also the name of the file. */
  id: string
  method: Method
  /**
   * In OpenAPI form, below `/v1`: `/projects/{projectIdOrName}/integrations:batch`. A path that begins with `//` is
   * outside `/v1`.
   */
  path: string
  /** The last parameter of the path takes the rest of it, with its slashes. Other paths take precedence. */
  takesRest?: true
  /** Row of the table of permissions. */
  access: A
  /** Row of the table for tokens of connect sessions. Without one, the endpoint rejects them. */
  session?: A extends FrontendAccess ? SessionAccess : never
  /** Takes tokens of agent sessions: of consumers, for the project of the path, or of builders. */
  agentSignIn?: AgentSignIn<StaticOf<P>, S>
  /**
   * Location of `projectIdOrName` when it is not in the path: in the body, whose schema requires it, or in the header
   * `X-Mortise-Project-Id`. It decides access like one in the path.
   */
  projectIn?: 'body' | 'header'
  /** People who still have to set up a second factor may call it. */
  beforeSecondFactor?: true
  /** One line for the API docs. */
  summary: string
  description?: string
  /** Chapter of the API docs. */
  tag: string
  /** A POST that only reads. Its response may be private, so `Idempotency-Key` has no effect: nothing is stored. */
  onlyReads?: true
  /** What the audit log records. By default, every change leaves an entry. */
  audit?: AuditPart
  /** Marks an addition to the specified interface. */
  extension?: boolean
  params?: P
  query?: Q
  body?: B
  /** The body is optional. */
  bodyOptional?: boolean
  /**
   * `binary` and `bytes` pass the body on unparsed, whatever its media type. `binary` passes a stream (`body` is then a
   * Readable). `bytes` passes a Buffer, which is much cheaper for small bodies.
   */
  accepts?: 'json' | 'binary' | 'bytes'
  /** Largest body, in bytes. Default 16 kB without a credential, else 1 MB (`body-limits.ts`). */
  bodyBytesMax?: number
  /** Scope in which requests without a credential are counted. Default `shared`. */
  rateScope?: RateScope
  /** Requests of a key that this process knows bypass the framework (`fast-endpoints.ts`). POST with JSON only. */
  fastPath?: true
  /** Schemas of the responses by status. `Type.Null()` for an empty body. */
  reply: R
  /**
   * Returns errors in a body beyond its schema. Called when the schema already found errors, so that one response lists
   * all of them. `run` validates a body that fits its schema.
   *
   * @param body as it arrived: any JSON
   */
  moreIssues?: (body: unknown, issues: readonly Issue[], services: S) => Issue[]
  /** Media type of 2xx responses when it is not JSON. */
  produces?: string
  /** Responds 422 instead of 400 when input does not fit the schemas; for contracts that require it. */
  invalidInputStatus?: 422
  /** Sends problems of status 400 as plain text, unless the client prefers JSON. */
  plainBadRequests?: boolean
  /** Problems in addition to those that every endpoint has. */
  problems?: ProblemClass[]
  run: (input: EndpointInput<A, StaticOf<P>, StaticOf<Q>, StaticOf<B>>, services: S) => Promise<ReplyOf<R>>
}

/** An endpoint with its schemas but without their static types, as the kernel registers it. */
export interface Endpoint<S = never> {
  declaration: Omit<
    EndpointDeclaration<Access, TObject | undefined, TObject | undefined, TSchema | undefined, Replies, S>,
    'run' | 'agentSignIn'
  > & { agentSignIn?: AgentSignIn<{ projectIdOrName: string }, S> }
  run: (input: CommonInput<never, never, never> & Partial<ProjectInput & OrgInput>, services: S) => Promise<Reply>
}

/**
 * Declares an HTTP endpoint: the only way to add one. Validation, serialization, types, the OpenAPI document and the
 * API docs are derived from it. The kernel fixes the order: authenticate, validate, authorize, run, map errors.
 */
export function endpoint<
  const A extends Access,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R extends Replies = Replies,
  S = unknown,
>(declaration: EndpointDeclaration<A, P, Q, B, R, S>): Endpoint<S> {
  return { declaration, run: declaration.run } as unknown as Endpoint<S>
}
