import type { operationTable } from './generated/operations.ts'
import type { operations } from './generated/types.ts'

/** The operationId of every operation of the API. */
export type OperationId = keyof operations & keyof typeof operationTable

type Operation<Id extends OperationId> = operations[Id]
type PathOf<Id extends OperationId> = Operation<Id> extends { parameters: { path: infer P } } ? P : unknown
type QueryOf<Id extends OperationId> =
  Operation<Id> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never
type BodyOf<Id extends OperationId> =
  Operation<Id> extends { requestBody?: infer R }
    ? NonNullable<R> extends { content: { 'application/json': infer B } }
      ? B
      : never
    : never

/** `projectIdOrName` may be left out: the client then fills in its own project. */
type Path<P> = P extends { projectIdOrName: string }
  ? Omit<P, 'projectIdOrName'> & { projectIdOrName?: string }
  : P extends object
    ? P
    : unknown
type Query<Id extends OperationId> = [QueryOf<Id>] extends [never]
  ? unknown
  : Partial<QueryOf<Id>> extends QueryOf<Id>
    ? { query?: QueryOf<Id> }
    : { query: QueryOf<Id> }
type Body<Id extends OperationId> = [BodyOf<Id>] extends [never]
  ? unknown
  : Operation<Id> extends { requestBody: unknown }
    ? { body: BodyOf<Id> }
    : { body?: BodyOf<Id> }

/** The input of a call: the path parameters, in addition to `query` and `body`. */
export type Input<Id extends OperationId> = Path<PathOf<Id>> & Query<Id> & Body<Id>

type Success = 200 | 201 | 202 | 204
type Responses<Id extends OperationId> = Operation<Id>['responses']
type ContentOf<R> = R extends { content: infer C }
  ? C extends { 'application/json': infer B }
    ? B
    : C extends Record<string, infer B>
      ? B
      : undefined
  : undefined

/** What a call answers: the body of its 2xx answer; undefined when that has none. */
export type Output<Id extends OperationId> = {
  [S in keyof Responses<Id> & Success]: ContentOf<Responses<Id>[S]>
}[keyof Responses<Id> & Success]

/** The elements of an operation that lists. */
export type Item<Id extends OperationId> =
  Output<Id> extends readonly (infer I)[] ? I : Output<Id> extends { results: readonly (infer I)[] } ? I : never

/** The operations that list. */
export type ListId = { [Id in OperationId]: [Item<Id>] extends [never] ? never : Id }[OperationId]

/** Arguments of a call: the input may be left out when nothing in it is required. */
export type Arguments<Id extends OperationId> =
  Record<string, never> extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions]
    : [input: Input<Id>, options?: CallOptions]

export interface CallOptions {
  /** Ends the call, its retries too. */
  signal?: AbortSignal
  /** The key under which the service does a POST or PATCH once; a random one when absent. */
  idempotencyKey?: string
  /** Further headers of this call. */
  headers?: Record<string, string>
}
