export type WriteType = 'create' | 'update' | 'delete'

/** One record for the provider. */
export interface WriteRequest {
  object: string
  type: WriteType
  /** The record's id at the provider; needed for `update` and `delete`. */
  id?: string
  /** Values by provider field names (`$['a']['b']` for nested ones); empty for a delete. */
  record: Record<string, unknown>
  /** Links to other records in the provider's own form, where `takesAssociations`. */
  associations?: readonly unknown[]
  /** Further request headers, where `takesHeaders`; none takes the place of a declared one or of the credential. */
  headers?: Record<string, string>
  /** The same for every attempt of one write; goes to providers that take such a key, so that none writes twice. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/**
 * A write that the provider accepted; one that it refused is thrown as a `ProviderError` with the refusals in `errors`.
 */
export interface WriteResult {
  success: true
  /** Id of the written record, where the provider says it. */
  recordId?: string
  /** The record as the provider answered it. */
  data?: Record<string, unknown>
  /**
   * The answer, safe to show and cut: there where the object's file does not say what a refusal looks like, and the
   * answer does not hold the id of a record. It may be a refusal.
   */
  rawResponse?: string
}

/** A field that a write does not send. */
export interface UnsentField {
  /** Provider field name (`$['a']['b']` for a part of a value). */
  field: string
  /** Indexes of the records that have it. */
  records: number[]
  /** The name that was probably meant, among those that are sent. */
  nearest?: string
  /** The request has the field, but not null in it: a template leaves it out. */
  isNull?: true
}

export interface BatchWriteItem {
  /** The record's id at the provider; needed for `update`. */
  id?: string
  record: Record<string, unknown>
  associations?: readonly unknown[]
}

/** Several records for the provider in one request: at most `batchSizeMax`. */
export interface BatchWriteRequest {
  object: string
  type: 'create' | 'update'
  items: readonly BatchWriteItem[]
  /** Either all records are written or none, where the provider knows how. */
  allOrNone: boolean
  headers?: Record<string, string>
  idempotencyKey?: string
  signal?: AbortSignal
}

/** What a provider says against a write, in its own words: safe to show. */
export interface WriteRefusal {
  message: string
}

export interface BatchRecordResult {
  success: boolean
  recordId?: string
  data?: Record<string, unknown>
  errors?: WriteRefusal[]
}

export interface BatchWriteResult {
  /** `partial` when some records were written and others were not. */
  status: 'success' | 'failure' | 'partial'
  successCount: number
  failureCount: number
  /** One for each item, in their order; empty when the provider refused the request as a whole. */
  results: BatchRecordResult[]
  /** What the provider says of the batch as a whole. */
  errors: WriteRefusal[]
  /** As in `WriteResult`, where a result without the id of a record counts as written. */
  rawResponse?: string
}

/** What a job that writes is doing. */
export type WriteJobState =
  /** It was not started: nothing is written. */
  | { is: 'waiting' }
  | { is: 'running'; waitMs: number }
  | { is: 'done' }
  /** It ended before it processed all records. */
  | { is: 'failed'; why: string }

interface Aborting {
  signal?: AbortSignal
}

/** A job of the provider that writes many records. All methods throw ProviderError. */
export interface WriteJob {
  /** Writes of more records use a job. */
  above: number
  /** Largest number of records in a job. */
  max: number
  /** How long a job may take, in milliseconds. */
  maxMs: number
  /** Time between two requests for its state, in milliseconds. */
  everyMs: number
  /** The first records as text to upload, as many as fit; undefined if a job cannot write one of them. */
  rows(items: readonly BatchWriteItem[]): { text: string; count: number } | undefined
  /** Creates a job, which writes nothing yet. Returns its id; undefined if the provider refuses such jobs. */
  submit(options?: Aborting): Promise<string | undefined>
  /** Uploads records to a job that has none. Returns false if the provider refuses them. */
  upload(id: string, text: string, options?: Aborting): Promise<boolean>
  /** Starts a job: the provider begins to write. */
  start(id: string, options?: Aborting): Promise<void>
  state(id: string, options?: Aborting): Promise<WriteJobState>
  /**
   * Downloads what became of each record, in the order of `items`; undefined where the provider does not say it.
   *
   * @param options.why why the job failed: the error of records that were not processed
   */
  results(
    id: string,
    items: readonly BatchWriteItem[],
    options?: Aborting & { why?: string },
  ): Promise<(BatchRecordResult | undefined)[]>
  /** Aborts a job. One that has ended already stays as it is. */
  abort(id: string, options?: Aborting): Promise<void>
}
