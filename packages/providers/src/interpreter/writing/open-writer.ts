import type { ProviderObject } from '../../catalogue/format/provider-file.ts'
import type { BatchWriteRequest, Connector, WriteRequest, WriteType } from '../../connector.ts'
import { ProviderError } from '../../provider-error.ts'
import type { ParsedResponse } from '../errors.ts'
import { compileListing, fetchAll } from '../listing.ts'
import { mayNameCustomField } from '../may-name-custom-field.ts'
import { memoize } from '../memoize.ts'
import { isObject } from '../path.ts'
import { idVariable } from '../record-id.ts'
import { type Scope, scopeOf, textOf } from '../request.ts'
import type { Attempt, AttemptOptions, Session } from '../session.ts'
import { isPage } from '../unexpected-answer.ts'
import { refusedBatch } from './batch-answer.ts'
import { callerHeaders } from './caller-headers.ts'
import { lostNulls } from './lost-nulls.ts'
import { unsentFields } from './unsent-fields.ts'
import { type LookupPlan, type WritePlan, writePlanOf } from './write-plan.ts'

/** The part of a connector that writes. */
export type Writer = Pick<
  Connector,
  | 'canWrite'
  | 'batchSizeMax'
  | 'takesAssociations'
  | 'takesHeaders'
  | 'takesIdempotencyKey'
  | 'unsentFields'
  | 'write'
  | 'writeBatch'
>

export interface Writing {
  session: Session
  base: URL
  /** The object of that name, where there is one. */
  find(name: string): ProviderObject | undefined
  scopeFor(name: string, object: ProviderObject): Scope
}

/** Writes as the objects' files declare. */
export function openWriter({ session, base, find, scopeFor }: Writing): Writer {
  const definitions = new Map<string, Promise<unknown[]>>()

  const planFor = (name: string): WritePlan | undefined => {
    const object = find(name)
    return object === undefined ? undefined : writePlanOf(object)
  }

  function planned(name: string, what: string): { object: ProviderObject; plan: WritePlan } {
    const object = find(name)
    if (object === undefined) throw new ProviderError('unsupported_object', `There is no object "${name}" here.`)
    if (object.write === undefined) throw unsupported(name, what)
    return { object, plan: writePlanOf(object) }
  }

  /**
   * Returns the record with its custom fields in the provider's list. Requests their definitions once per connector.
   */
  async function withCustomFields(
    name: string,
    object: ProviderObject,
    record: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<Record<string, unknown>> {
    const { customFields } = writePlanOf(object)
    if (customFields === undefined || !mayNameCustomField(Object.keys(record), object)) return record
    const defined = await memoize(definitions, name, () => {
      const scope = scopeFor(name, object)
      return fetchAll(session, base, compileListing(customFields.definitions, textOf(scope)), scope, signal)
    })
    return customFields.assign(record, defined)
  }

  async function write(request: WriteRequest) {
    const { object: name, type, id, associations, idempotencyKey } = request
    const { object, plan } = planned(name, type)
    const operation = plan.single[type]
    if (operation === undefined) throw unsupported(name, type)
    if (type !== 'create') needId(id, type)
    const record = plan.shape(await withCustomFields(name, object, request.record, request.signal))
    const rest = Object.fromEntries(Object.entries(record).filter(([key]) => !operation.apart.includes(key)))
    // `record` without what stands apart; a name with a dot asks for that.
    const values = scopeOf(
      { id: idVariable(object.read?.id, id), associations, idempotencyKey, record },
      scopeFor(name, object),
    )
    const given = withRecord(rest, values)
    const scope = await withLookups({ session, base }, operation.lookups, given, request.signal)
    const { response, error } = await session.attempt(operation.request, base, scope, optionsOf(plan, request))
    if (error !== undefined) throw error
    const read = operation.read(response, scope)
    if (read.refusals !== undefined) throw refusal(session, read.refusals, response)
    // A login or maintenance page says nothing of the record.
    if (!read.isNamed && isPage(response.body)) throw session.unexpected(response, '')
    const rawResponse = read.isUnproven ? session.raw(response) : undefined
    // The record of an update is known without the answer.
    const known = type === 'update' && id !== undefined ? { recordId: id, ...read.result } : read.result
    return rawResponse === undefined ? known : { ...known, rawResponse }
  }

  async function writeBatch(request: BatchWriteRequest) {
    const { object: name, type, items, allOrNone, idempotencyKey } = request
    const { object, plan } = planned(name, `batches of ${type}`)
    const operation = plan.batch[type]
    if (operation === undefined) throw unsupported(name, `batches of ${type}`)
    if (items.length > operation.max) {
      throw new ProviderError('bad_request', `The provider accepts at most ${operation.max} records in one batch.`)
    }
    if (items.length === 0) return { ...refusedBatch(0, []), status: 'success' as const }
    const shaped: Record<string, unknown>[] = []
    for (const [index, { id, record, associations }] of items.entries()) {
      if (type === 'update') needId(id, type)
      const assigned = plan.shape(await withCustomFields(name, object, record, request.signal))
      shaped.push({ id, record: assigned, associations, ...(!allOrNone && { trace: index }) })
    }
    const scope = scopeOf({ items: shaped, allOrNone, idempotencyKey }, scopeFor(name, object))
    const { response, error } = await session.attempt(operation.request, base, scope, optionsOf(plan, request))
    if (error !== undefined && error.class !== 'bad_request') throw error
    return readBatch(session, operation, items, { response, ...(error !== undefined && { error }) })
  }

  return {
    canWrite: (name, type) => planFor(name)?.single[type] !== undefined,
    batchSizeMax: (name, type) => planFor(name)?.batch[type]?.max,
    takesAssociations: (name) => planFor(name)?.takesAssociations === true,
    takesHeaders: (name) => planFor(name)?.takesHeaders === true,
    takesIdempotencyKey: (name, type) => sendsIdempotencyKey(planFor(name), type),
    unsentFields(name, type, records, { batch }) {
      const object = find(name)
      return object === undefined ? [] : unsentFieldsOf(object, type, records, batch)
    },
    write,
    writeBatch,
  }
}

/** The variables of a write, with the record as a whole, as a list of its values, and as one of their paths. */
function withRecord(record: Record<string, unknown>, outer: Scope): Scope {
  return (variable) => {
    if (variable === 'record') return record
    if (variable === 'changedPaths') return pathsOf(record)
    return variable === 'changes' ? Object.entries(record).map(([name, value]) => ({ name, value })) : outer(variable)
  }
}

/** The path of each value, such as `address.city`. An object without values is one itself, and so is a list. */
function pathsOf(record: Record<string, unknown>, start = ''): { name: string }[] {
  return Object.entries(record).flatMap(([name, value]) =>
    isObject(value) && Object.keys(value).length > 0 ? pathsOf(value, `${start}${name}.`) : [{ name: start + name }],
  )
}

/** Returns the variables of a write, with the values that are requested first. */
async function withLookups(
  { session, base }: Pick<Writing, 'session' | 'base'>,
  lookups: readonly LookupPlan[],
  outer: Scope,
  signal: AbortSignal | undefined,
): Promise<Scope> {
  const found: Record<string, unknown> = {}
  const scope = scopeOf(found, outer)
  for (const { name, request, value, unless, isRecord } of lookups) {
    if (unless !== undefined && scope(unless) !== undefined) continue
    const { json } = await session.send(request, base, scope, signal)
    found[name] = value(json, scope)
    if (isRecord && (found[name] ?? undefined) === undefined)
      throw new ProviderError('not_found', 'The provider has no record with this id.')
  }
  return scope
}

function refusal(session: Session, texts: readonly string[], response: ParsedResponse): ProviderError {
  const errors = texts.map((text) => ({ message: session.safe(text) }))
  const [first] = errors
  const rawResponse = session.raw(response)
  return new ProviderError('bad_request', 'The provider refused the record.', {
    status: response.status,
    ...(rawResponse !== undefined && { rawResponse }),
    ...(first !== undefined && { providerMessage: first.message, errors }),
  })
}

/** Returns what a response says of each record of a batch. @throws ProviderError when it says nothing of them */
function readBatch(
  session: Session,
  operation: NonNullable<WritePlan['batch']['create']>,
  items: BatchWriteRequest['items'],
  { response, error }: Attempt,
) {
  // A refusal may still say of each record what is wrong with it.
  const read = operation.read(response.json, { items, safe: session.safe, complete: error !== undefined })
  if (error === undefined && read === undefined) {
    throw new ProviderError('unexpected_response', 'The response does not say which records were written.', {
      status: response.status,
    })
  }
  if (read !== undefined && (error === undefined || read.successCount === 0)) {
    const { isUnproven, ...result } = read
    const rawResponse = isUnproven && error === undefined ? session.raw(response) : undefined
    return rawResponse === undefined ? result : { ...result, rawResponse }
  }
  return refusedBatch(items.length, error?.errors ?? [{ message: error?.providerMessage ?? batchRefused }])
}

/** Whether all requests of the type send the key, and there is one. */
function sendsIdempotencyKey(plan: WritePlan | undefined, type: WriteType): boolean {
  const operations = [plan?.single[type], type === 'delete' ? undefined : plan?.batch[type]]
  const declared = operations.filter((operation) => operation !== undefined)
  return declared.length > 0 && declared.every(({ request }) => request.variables.has('idempotencyKey'))
}

/** Returns the fields of the records that no request of the type sends. */
function unsentFieldsOf(
  object: ProviderObject,
  type: WriteType,
  records: Parameters<typeof unsentFields>[0],
  batch: boolean,
): ReturnType<typeof unsentFields> {
  const { single, batch: batches, shape, customFields } = writePlanOf(object)
  const operation = batch && type !== 'delete' ? batches[type] : single[type]
  if (operation === undefined) return []
  const unsent = [...unsentFields(records, operation.named, shape), ...lostNulls(records, operation.lost, shape)]
  if (customFields === undefined || unsent.length === 0) return unsent
  // A custom field goes out in the provider's list, where the request names that.
  if (unsentFields([{ [customFields.into]: [] }], operation.named, shape).length > 0) return unsent
  return unsent.filter(({ field }) => !mayNameCustomField([field], object))
}

const batchRefused = 'The provider refused the batch.'

function unsupported(object: string, what: string): ProviderError {
  return new ProviderError('unsupported_object', `"${object}" does not support ${what}.`)
}

function needId(id: string | undefined, type: WriteType): void {
  if (id === undefined || id === '')
    throw new ProviderError('bad_request', `The id is missing. ${aOrAn(type)} needs it.`)
}

const aOrAn = (type: WriteType) => (type === 'update' ? 'An update' : `A ${type}`)

function optionsOf(plan: WritePlan, { headers, signal }: Pick<WriteRequest, 'headers' | 'signal'>): AttemptOptions {
  if (headers === undefined || Object.keys(headers).length === 0) return { signal }
  if (!plan.takesHeaders) throw new ProviderError('bad_request', 'The provider does not accept headers of the request.')
  return { headers: callerHeaders(headers), signal }
}
