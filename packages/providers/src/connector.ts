import type { Readable } from 'node:stream'
import type { FieldDefinition, FieldUpsert, ObjectMetadata } from './field-types.ts'
import type {
  BatchWriteRequest,
  BatchWriteResult,
  UnsentField,
  WriteJob,
  WriteRequest,
  WriteResult,
  WriteType,
} from './writes.ts'

export {
  definableTypes,
  type FieldDefinition,
  type FieldMetadata,
  type FieldUpsert,
  type ObjectMetadata,
  type ValueType,
  valueTypes,
} from './field-types.ts'
export type {
  BatchRecordResult,
  BatchWriteItem,
  BatchWriteRequest,
  BatchWriteResult,
  UnsentField,
  WriteJob,
  WriteJobState,
  WriteRefusal,
  WriteRequest,
  WriteResult,
  WriteType,
} from './writes.ts'

/** One request to a provider, as the interpreter makes it: absolute URL on the declared host, credential attached. */
export interface ProviderHttpRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** Whether the request only reads, though its method may also write. Rate limits for reads then count it. */
  isRead?: boolean
  /**
   * Streams the body of a success, which may have any length. The signal then ends the stream, too. The body of any
   * other answer is a text as always.
   */
  streams?: boolean
}

export interface ProviderHttpResponse {
  status: number
  /** Names in lower case; several values of one name joined by `, `, those of `set-cookie` by line breaks. */
  headers: Record<string, string>
  /** Decoded text, already size-limited. Empty where it is streamed. */
  body: string
  /** The decoded body, where it is streamed. It must be read or destroyed. */
  stream?: Readable
}

/**
 * Sends one request. Injected by the server: address guard, timeouts, size limits and rate limits live there. It
 * follows no redirect. What it throws passes through the connector unchanged. Its `kind` is `too_large` if the response
 * has more bytes than the server accepts: the part of a window is then read by halves.
 */
export type ProviderHttp = (request: ProviderHttpRequest) => Promise<ProviderHttpResponse>

export type Credential =
  | { scheme: 'none' }
  | { scheme: 'apiKey'; apiKey: string }
  | { scheme: 'basic'; username: string; password: string }
  | { scheme: 'oauth2'; accessToken: string }
  /**
   * Input values of custom authentication, by name. A value that is not a plain value fills no template. `cookies` are
   * those of the token, as `CookieJar` stores them.
   */
  | { scheme: 'custom'; values: Record<string, unknown>; cookies?: string }

/** Where a credential goes: headers and query parameters to add to every request on the declared origin. */
export interface Attachment {
  headers: Record<string, string>
  query: Record<string, string>
  /** Fields to add to form bodies. */
  form?: Record<string, string>
  /** Returns the header `Cookie` for a request to this URL; undefined if no cookie belongs there. */
  cookieFor?: (url: string) => string | undefined
  /** Settings of the provider app, by name: what templates of requests name as `app`. */
  app?: Readonly<Record<string, string>>
  /** Names of those `headers` that the file declares for every request: a declared request may replace them. */
  replaceable?: readonly string[]
  /** Every spelling in which the credential could come back in an answer: never shown. */
  secrets: string[]
}

/** A credential that changes while it is in use: an access token that is renewed. */
export interface LiveCredential {
  /** What authenticates a request now; asked before each one. What it throws passes through the connector unchanged. */
  authenticate(options: { signal?: AbortSignal }): Promise<Attachment & { generation: number }>
  /**
   * The provider refused the credential of this generation. Returns whether there is another one: the request is then
   * sent once more.
   *
   * @param options.error the refusal
   */
  refused(generation: number, options: { signal?: AbortSignal; error?: Error }): Promise<boolean>
}

export interface ConnectionContext {
  /** Module id; the provider's default module when absent. */
  module?: string
  /** Metadata inputs of the connection, by name. */
  metadata: Record<string, string>
  /** `providerWorkspaceRef`: fills `{{workspace}}` unless the metadata does. */
  workspaceRef?: string
  /** The credential as it is, or one that returns what to send before each request. */
  credential: Credential | LiveCredential
  /** With a credential as it is: settings of the provider app, by name. */
  app?: Readonly<Record<string, string>>
}

/** A condition on one field, by its provider field name. */
export interface FieldFilter {
  field: string
  operator: 'eq'
  value: string | number | boolean
}

export interface ReadPageRequest {
  object: string
  /** Provider field names (`$['a']['b']` for nested ones), or everything. */
  fields: 'all' | readonly string[]
  /** Records changed at or after this instant. */
  since?: Date
  /** Records changed before or at this instant; a fixed end keeps the pages of one window stable. */
  until?: Date
  /** Only records that fit all of these, where `canFilter`. */
  filters?: readonly FieldFilter[]
  /** Deleted records, too, in a read with `since`, where `reportsDeletions`. */
  deletions?: boolean
  /** Only the ids of the records count: by the cheapest list that the object's file declares. */
  idsOnly?: boolean
  /**
   * A long list may be read by a job of the provider, where the object's file declares one. Needs a signal that aborts
   * when the read ends: it closes a download that is not read to its end.
   */
  jobs?: boolean
  /** The page may end without records, where they are not there yet (`waitMs`). Otherwise that is an error. */
  mayWait?: boolean
  /** `nextPage` of the page before. All other parts of the request must be the same as then. */
  page?: string
  /** Records per request to the provider, at most its maximum, which is also the default. */
  pageSize?: number
  signal?: AbortSignal
}

export interface ProviderRecord {
  id?: string
  /** Requested fields under lower-cased names (contract 5.1), custom fields extracted out of their containers. */
  fields: Record<string, unknown>
  /** The record as the provider sent it, with the requested children merged in. */
  raw: Record<string, unknown>
  /** Records that it is linked with, by the field that requested them, if one did. */
  associations?: Record<string, { id: string }[]>
  /** The provider reports that the record is deleted. Only in a read that requests deletions. */
  deleted?: true
}

export interface ReadPage {
  records: ProviderRecord[]
  /** Opaque; absent on the last page. A page may be empty and still have a next one. */
  nextPage: string | undefined
  /** All records of this read, where the provider says so. */
  total?: number
  /** The next page is not ready before this many milliseconds: a job or a query of the provider is running. */
  waitMs?: number
  /** What people should know about the read from here on. */
  notice?: string
  /** Says why the provider no longer reports all deletions of the window. Only on the last page. */
  missedDeletions?: string
}

/** A question for the records that fit now. */
export interface SearchRequest {
  object: string
  /** As in a read. */
  fields: 'all' | readonly string[]
  /** At least one; a record fits all of them. */
  filters: readonly FieldFilter[]
  /** `nextPage` of the page before. */
  page?: string
  pageSize?: number
  signal?: AbortSignal
}

/** Talks to one connection of one provider. Holds the credential; keep it no longer than the work at hand. */
export interface Connector {
  /** One page of records. @throws ProviderError, `unsupported_object` unless `canRead` */
  readPage(request: ReadPageRequest): Promise<ReadPage>
  /** Aborts a job at the provider. One that has ended already stays as it is. @throws ProviderError */
  abortJob(object: string, id: string, options?: { signal?: AbortSignal }): Promise<void>
  /** Whether the object's records can be listed. */
  canRead(object: string): boolean
  /** Whether reads of the object take `filters`. */
  canFilter(object: string): boolean
  /** Whether reads of the object can request deletions. */
  reportsDeletions(object: string): boolean
  /** Whether the object can be searched. */
  canSearch(object: string): boolean
  /** One page of the records that fit the filters. @throws ProviderError, `unsupported_object` unless `canSearch` */
  search(request: SearchRequest): Promise<ReadPage>
  /** What fields the object has, asked from the provider where its file says how. @throws ProviderError */
  describeObject(object: string, options?: { signal?: AbortSignal }): Promise<ObjectMetadata>
  /** Types of fields that can be made on the object; none where its fields cannot be changed. */
  definableTypes(object: string): readonly FieldDefinition['valueType'][]
  /**
   * Makes fields that are not there and changes those that are, one after the other. A type is never changed, a choice
   * never taken away, and a field of the provider's own never touched.
   *
   * @returns one for each definition, in their order; what the provider says against one field alone is in its
   *   `warnings`
   * @throws ProviderError, `unsupported_object` unless the object has `definableTypes`; fields may have been made
   *   before it
   */
  upsertFields(
    object: string,
    definitions: readonly FieldDefinition[],
    options?: { signal?: AbortSignal },
  ): Promise<FieldUpsert[]>
  hasObject(object: string): boolean
  /** Whether the object's file says how to write so. */
  canWrite(object: string, type: WriteType): boolean
  /** Most records of one `writeBatch`; `undefined` where the provider takes no batches of that kind. */
  batchSizeMax(object: string, type: 'create' | 'update'): number | undefined
  /** Whether a record is created together with links to others. */
  takesAssociations(object: string): boolean
  /** Whether headers of the caller's own are passed on with writes. */
  takesHeaders(object: string): boolean
  /**
   * Whether the provider takes `idempotencyKey` with such writes of the object: it can then be sent again without being
   * done twice.
   */
  takesIdempotencyKey?(object: string, type: WriteType): boolean
  /**
   * Returns the fields of the records that such a write does not send, because the object's file names others. Empty
   * where the file sends records as they are.
   */
  unsentFields(
    object: string,
    type: WriteType,
    records: readonly Readonly<Record<string, unknown>>[],
    options: { batch: boolean },
  ): UnsentField[]
  /** Writes one record. @throws ProviderError when the provider refuses it, or the object cannot be written so */
  write(request: WriteRequest): Promise<WriteResult>
  /**
   * Writes several records in one request. What the provider refuses is in the result.
   *
   * @throws ProviderError for what is not about the records: credential, rate limit, an error of the provider
   */
  writeBatch(request: BatchWriteRequest): Promise<BatchWriteResult>
  /** The job that writes many records of the object; undefined where its file declares none for such writes. */
  writeJob(object: string, type: 'create' | 'update'): WriteJob | undefined
  /** Whether one record can be read by its id. */
  canFetch(object: string): boolean
  /** One record by its id; `undefined` when there is none. @throws ProviderError */
  fetchRecord(
    object: string,
    id: string,
    fields: 'all' | readonly string[],
    options?: { signal?: AbortSignal },
  ): Promise<ProviderRecord | undefined>
  /** Maximum number of ids in one request of `fetchRecords`: 1 if each record needs a separate request. */
  fetchSizeMax(object: string): number
  /**
   * Several records by their ids, in as few requests as the provider can; those that there are, by id.
   * @throws ProviderError
   */
  fetchRecords(
    object: string,
    ids: readonly string[],
    fields: 'all' | readonly string[],
    options?: { signal?: AbortSignal },
  ): Promise<Map<string, ProviderRecord>>
  /** Names of all declared objects; objects that only match a pattern (custom objects) are not among them. */
  objects(): string[]
  /**
   * Checks with the provider whether the credential is valid; `undefined` if the provider has no health check. @throws
   * ProviderError
   */
  checkHealth(signal?: AbortSignal): Promise<void> | undefined
}
