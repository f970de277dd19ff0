import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { ProjectDb } from '../db/index.ts'
import type { Logger } from '../telemetry/index.ts'
import type { ProblemClass } from './problem.ts'

/**
 * Who may call an operation. `public`: anybody. `frontend`: any API key of the project (scopes `full` and `frontend`).
 * `full`: an API key of scope `full`.
 */
export type Access = 'public' | 'frontend' | 'full'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Who is calling, once it is known. */
export interface Caller {
  kind: 'apiKey'
  keyId: string
  scope: 'full' | 'frontend'
  /** `builder:{id}` of the key's creator. */
  createdBy: string
}

/** The project that a credential belongs to. */
export interface CallerProject {
  id: string
  name: string
}

/** What every run gets. */
export interface CommonInput<P, Q, B> {
  params: P
  query: Q
  body: B
  headers: Record<string, string | string[] | undefined>
  /** Path and query as they arrived, undecoded; what signed URLs are verified against. */
  url: string
  requestId: string
  log: Logger
  /** Ends when the client goes away. */
  signal: AbortSignal
}

export interface ProjectInput {
  caller: Caller
  project: CallerProject
  /** The database, bound to the caller's project. */
  db: ProjectDb
}

export type OperationInput<A extends Access, P, Q, B> = CommonInput<P, Q, B> &
  (A extends 'public' ? unknown : ProjectInput)

export type Replies = Record<number, TSchema>

/** One declared answer. `reply()` makes it. */
export interface Reply<S extends number = number, B = unknown> {
  status: S
  body: B
  headers?: Record<string, string>
}

/** Answers with a declared status. */
export function reply<const S extends number, B>(status: S, body: B, headers?: Record<string, string>): Reply<S, B> {
  return headers ? { status, body, headers } : { status, body }
}

type ReplyOf<R extends Replies> = {
  [K in keyof R & number]: Reply<K, Static<R[K]> | (string extends Static<R[K]> ? Readable : never)>
}[keyof R & number]
type StaticOf<T> = T extends TSchema ? Static<T> : undefined

export interface OperationDeclaration<
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
  /** In OpenAPI form, below `/v1`: `/projects/{projectIdOrName}/integrations:batch`. A path that begins with `//` is outside `/v1`. */
  path: string
  access: A
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
  /** `binary` hands the raw bytes over as a stream: `body` is then a Readable. */
  accepts?: 'json' | 'binary'
  bodyBytesMax?: number
  /** Schemas of the answers by status. `Type.Null()` for an empty body. */
  reply: R
  /** Media type of 2xx answers when it is not JSON. */
  produces?: string
  /** What it can answer with beyond the problems that any operation has. */
  problems?: ProblemClass[]
  run: (input: OperationInput<A, StaticOf<P>, StaticOf<Q>, StaticOf<B>>, services: S) => Promise<ReplyOf<R>>
}

/** An operation with its schemas still on it but its types forgotten: what the kernel registers. */
export interface Operation<S = never> {
  declaration: Omit<
    OperationDeclaration<Access, TObject | undefined, TObject | undefined, TSchema | undefined, Replies, S>,
    'run'
  >
  run: (input: CommonInput<never, never, never> & Partial<ProjectInput>, services: S) => Promise<Reply>
}

/**
 * Declares an HTTP operation: the only way to add one. Validation, serialisation, types, the OpenAPI document and the reference
 * pages come from it. The kernel fixes the order: authenticate, validate, authorise, run, map errors.
 */
export function operation<
  const A extends Access,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R extends Replies = Replies,
  S = unknown,
>(declaration: OperationDeclaration<A, P, Q, B, R, S>): Operation<S> {
  return { declaration, run: declaration.run } as unknown as Operation<S>
}
