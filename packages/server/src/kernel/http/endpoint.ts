import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { ProjectDb } from '../db/index.ts'
import type { Logger } from '../telemetry/index.ts'
import type { BuilderCaller, Caller, CallerProject, Confinement, OrgRole } from './caller.ts'
import type { RateScope } from './caller-check.ts'
import type { Access, OrgAccess, ProjectAccess } from './permissions.ts'
import type { Issue, ProblemClass } from './problem.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What every run gets. */
export interface CommonInput<P, Q, B> {
  params: P
  query: Q
  body: B
  headers: Record<string, string | string[] | undefined>
  /** Path and query as they arrived, undecoded, whatever the host; what signed URLs are verified against. */
  url: string
  /** Address of the client, as far as trusted proxies tell it. */
  address: string
  /** Only the headers of the answer are asked for: nothing may change. */
  isHead: boolean
  operationId: string
  requestId: string
  log: Logger
  /** Ends when the client goes away; for a stream of events, also when the server stops. */
  signal: AbortSignal
}

/** What runs in a project get. */
export interface ProjectInput {
  caller: Caller
  project: CallerProject
  /** The database, bound to the project. */
  db: ProjectDb
  /** With a consumer token, all that it may reach: what belongs to others is not there, as for a project of others. */
  confinedTo: Confinement | undefined
}

/** What runs in an organisation get. */
export interface OrgInput {
  caller: Caller
  org: { id: string; role?: OrgRole }
}

/** What runs get whose path names neither: a key stands for its project. */
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

/** One declared answer. `reply()` makes it. */
export interface Reply<S extends number = number, B = unknown> {
  status: S
  body: B
  headers?: Record<string, string | string[]>
}

/** Answers with a declared status. */
export function reply<const S extends number, B>(
  status: S,
  body: B,
  headers?: Record<string, string | string[]>,
): Reply<S, B> {
  return headers ? { status, body, headers } : { status, body }
}

type ReplyOf<R extends Replies> = {
  [K in keyof R & number]: Reply<K, Static<R[K]> | (string extends Static<R[K]> ? Readable : never)>
}[keyof R & number]
type StaticOf<T> = T extends TSchema ? Static<T> : undefined

export interface EndpointDeclaration<
  A extends Access,
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TSchema | undefined,
  R extends Replies,
  S,
> {
  /** operationId, unique; also the name of the file. */
  id: string
  method: Method
  /**
   * In OpenAPI form, below `/v1`: `/projects/{projectIdOrName}/integrations:batch`. A path that begins with `//` is
   * outside `/v1`.
   */
  path: string
  /** The row of the table of permissions. */
  access: A
  /**
   * Where `projectIdOrName` stands when it is not in the path: in the body, whose schema requires it, or in the header
   * `X-Mortise-Project-Id`. Access is decided by it as by one in the path.
   */
  projectIn?: 'body' | 'header'
  /** One line for the reference. */
  summary: string
  description?: string
  /** Chapter of the reference. */
  tag: string
  /** Marks what is ours beyond the specified interface. */
  extension?: boolean
  params?: P
  query?: Q
  body?: B
  /** A body may be left out. */
  bodyOptional?: boolean
  /**
   * `binary` and `bytes` hand the body over as it arrived, whatever its media type: as a stream (`body` is then a
   * Readable), or whole (a Buffer), which is much less work where bodies are small.
   */
  accepts?: 'json' | 'binary' | 'bytes'
  /** Largest body, in bytes. 16 kB when absent where no credential is needed, else 1 MB (`body-limits.ts`). */
  bodyBytesMax?: number
  /** Of an endpoint that needs no credential: what its requests are counted together with. `shared` when absent. */
  rateScope?: RateScope
  /** Schemas of the answers by status. `Type.Null()` for an empty body. */
  reply: R
  /**
   * What is wrong with a body beyond its schema. Asked when the schema found something already, so that one answer
   * tells all; a body that fits its schema is judged by `run`.
   *
   * @param body as it arrived: any JSON
   */
  moreIssues?: (body: unknown, issues: readonly Issue[], services: S) => Issue[]
  /** Media type of 2xx answers when it is not JSON. */
  produces?: string
  /** Input that does not fit the schemas is answered 422 instead of 400, where the contract names no other status. */
  invalidInputStatus?: 422
  /** Problems of status 400 are one plain text, unless the client prefers JSON. */
  plainBadRequests?: boolean
  /** What it can answer with beyond the problems that any endpoint has. */
  problems?: ProblemClass[]
  run: (input: EndpointInput<A, StaticOf<P>, StaticOf<Q>, StaticOf<B>>, services: S) => Promise<ReplyOf<R>>
}

/** An endpoint with its schemas still on it but its types forgotten: what the kernel registers. */
export interface Endpoint<S = never> {
  declaration: Omit<
    EndpointDeclaration<Access, TObject | undefined, TObject | undefined, TSchema | undefined, Replies, S>,
    'run'
  >
  run: (input: CommonInput<never, never, never> & Partial<ProjectInput & OrgInput>, services: S) => Promise<Reply>
}

/**
 * Declares an HTTP endpoint: the only way to add one. Validation, serialisation, types, the OpenAPI document and the
 * reference pages come from it. The kernel fixes the order: authenticate, validate, authorise, run, map errors.
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
