import type { ReadObject } from '../catalogue/format/provider-file.ts'
import type { Get } from '../catalogue/format/write.ts'
import type { ParsedResponse } from './errors.ts'
import { compileNone } from './listing.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { compileMatch, type Matcher } from './match.ts'
import type { ObjectPlan } from './object-plan.ts'
import { isObject, scalarText } from './path.ts'
import { idVariable } from './record-id.ts'
import { type CompiledRequest, compileRequest, type Scope, scopeOf } from './request.ts'
import { isWanted, nameToAskFor } from './requested-names.ts'
import { scopedPath } from './scoped-path.ts'
import type { Session } from './session.ts'

/** The request of one record by its id. */
export interface GetPlan {
  request: CompiledRequest
  record: (answer: unknown, scope: Scope) => unknown
  /** Whether an answer is a record, and not a mark that it was deleted. */
  exists: Matcher
  /** Whether an answer says that there is no record, whatever its status. */
  saysNone: ((response: ParsedResponse) => boolean) | undefined
}

const plans = new WeakMap<Get, GetPlan>()

export function getPlan(get: Get): GetPlan {
  const plan = plans.get(get) ?? {
    request: compileRequest(get),
    record: scopedPath(get.record ?? ''),
    exists: compileMatch(get.only),
    saysNone: compileNone(get.none),
  }
  plans.set(get, plan)
  return plan
}

/** Returns the raw record; `undefined` if it does not exist. @throws ProviderError */
export async function getRaw(
  { session, base, scope, signal }: { session: Session; base: URL; scope: Scope; signal: AbortSignal | undefined },
  { request, record, exists, saysNone }: GetPlan,
): Promise<Record<string, unknown> | undefined> {
  const { response, error } = await session.attempt(request, base, scope, { signal, isRead: true })
  if (error?.class === 'not_found' || saysNone?.(response) === true) return undefined
  if (error !== undefined) throw error
  const raw = record(response.json, scope)
  if (raw === null) return undefined
  if (!isObject(raw)) throw session.unexpected(response, 'The response is not a record.')
  return exists(raw) ? raw : undefined
}

/** Whether a read of these fields requests each listed record. Undefined: a description, which needs every field. */
export function getsEach({ getEach }: ReadObject['read'], fields: 'all' | readonly string[] | undefined): boolean {
  if (!Array.isArray(getEach)) return getEach === true
  if (fields === undefined || fields === 'all') return fields === undefined
  const names = fields.map((field) => nameToAskFor(field, []))
  return getEach.some((name) => isWanted(names, name))
}

export interface Completion {
  session: Session
  base: URL
  object: ReadObject
  plan: ObjectPlan
  scope: Scope
  signal: AbortSignal | undefined
  fields?: 'all' | readonly string[]
  /** Whether a record is one that the provider reports as deleted. It cannot be requested. */
  isDeleted?: Matcher | undefined
}

/**
 * Returns the listed records with what their own request adds, where a list has little more than ids. A few are
 * requested concurrently. A record that was deleted after it was listed is left out.
 */
export async function completeRecords(
  { session, base, object, plan, scope, signal, fields, isDeleted }: Completion,
  listed: readonly unknown[],
): Promise<readonly unknown[]> {
  const { get, read } = object
  if (get === undefined || !getsEach(read, fields)) return listed
  const found = await mapConcurrently(listed, async (item) => {
    const id = scalarText(plan.id(item))
    if (id === undefined || !isObject(item) || isDeleted?.(item) === true) return [item]
    const recordScope = scopeOf({ id: idVariable(read.id, id) }, scope)
    const record = await getRaw({ session, base, scope: recordScope, signal }, getPlan(get))
    return record === undefined ? [] : [{ ...item, ...record }]
  })
  return found.flat()
}

/**
 * Returns the records that a list of changes names, as they are now and each once. A record that was deleted after its
 * change is left out.
 *
 * @param idOf reads the id of the changed record in an item of the list
 */
export async function changedRecords(
  { session, base, object, scope, signal }: Omit<Completion, 'plan' | 'isDeleted'>,
  idOf: (item: unknown) => unknown,
  changes: readonly unknown[],
): Promise<readonly unknown[]> {
  const { get, read } = object
  if (get === undefined) return []
  const ids = new Set(changes.flatMap((change) => scalarText(idOf(change)) ?? []))
  const found = await mapConcurrently([...ids], (id) =>
    getRaw({ session, base, scope: scopeOf({ id: idVariable(read.id, id) }, scope), signal }, getPlan(get)),
  )
  return found.filter((record) => record !== undefined)
}
