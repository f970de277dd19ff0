import { isReadObject, type ProviderObject } from '../catalogue/format/provider-file.ts'
import type { Get } from '../catalogue/format/write.ts'
import type { Connector, ProviderRecord } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { asksFor } from './associations.ts'
import { getPlan, getRaw } from './complete-records.ts'
import { compileFields } from './fields.ts'
import { fetchPage } from './listing.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { planOf } from './object-plan.ts'
import { isObject } from './path.ts'
import { idVariable } from './record-id.ts'
import type { Reader } from './record-reader.ts'
import { type CompiledRequest, type Scope, scopeOf } from './request.ts'
import type { Session } from './session.ts'
import { wantedLinks } from './wanted-links.ts'

/** The part of a connector that reads records by their ids. */
export type Fetcher = Pick<Connector, 'canFetch' | 'fetchRecord' | 'fetchSizeMax' | 'fetchRecords'>

export interface Fetching {
  session: Session
  base: URL
  /** The object of that name, where there is one. */
  find(name: string): ProviderObject | undefined
  scopeFor(name: string, object: ProviderObject): Scope
  reader: Pick<Reader, 'fieldsToAskFor' | 'recordsOf'>
}

interface Wanted {
  name: string
  object: ProviderObject
  fields: 'all' | readonly string[]
  signal: AbortSignal | undefined
}

/** Reads records by their ids as the objects' files declare. */
export function openFetcher({ session, base, find, scopeFor, reader }: Fetching): Fetcher {
  async function scopeOfFetch({ name, object, fields, signal }: Wanted, request: CompiledRequest, ids: object) {
    const asked = request.variables.has('fields')
      ? (await reader.fieldsToAskFor(name, object, fields, signal)).first
      : undefined
    const links = wantedLinks(fields, object.read?.links)
    const linked = isReadObject(object) && asksFor(planOf(object, name).associations, fields)
    return scopeOf({ ...ids, ...linked, fields: asked, links }, scopeFor(name, object))
  }

  async function mapped(
    { name, object, fields, signal }: Wanted,
    { variables }: CompiledRequest,
    raw: Record<string, unknown>[],
  ) {
    const isPartial = variables.has('fields')
    if (isReadObject(object)) return reader.recordsOf(name, object, fields, raw, { isPartial, signal })
    const read = compileFields(fields, [])
    return raw.map((record): ProviderRecord => ({ fields: read(record), raw: record }))
  }

  async function one(wanted: Wanted, get: Get, id: string): Promise<ProviderRecord | undefined> {
    const plan = getPlan(get)
    const scope = await scopeOfFetch(wanted, plan.request, { id: idVariable(wanted.object.read?.id, id) })
    const raw = await getRaw({ session, base, scope, signal: wanted.signal }, plan)
    if (raw === undefined) return undefined
    const [record] = await mapped(wanted, plan.request, [raw])
    return record && { ...record, id: record.id ?? id }
  }

  /** Those of the ids that there are, by one request. */
  async function together(wanted: Wanted, ids: readonly string[]): Promise<ProviderRecord[]> {
    const { name, object, signal } = wanted
    const byIds = isReadObject(object) ? planOf(object, name).byIds : undefined
    if (byIds === undefined) throw unsupported(name)
    const scope = await scopeOfFetch(wanted, byIds.listing.request, { ids })
    const options = { state: {}, pageSize: byIds.max, signal }
    const { records } = await fetchPage(session, base, byIds.listing, scope, options)
    // Some providers write null in the position of a deleted record.
    const found = await mapped(wanted, byIds.listing.request, records.filter(isObject))
    return found.filter(({ id }) => id !== undefined && ids.includes(id))
  }

  const fetchRecord: Connector['fetchRecord'] = async (name, id, fields, options) => {
    const object = find(name)
    if (object?.get === undefined) return (await fetchRecords(name, [id], fields, options)).get(id)
    return one({ name, object, fields, signal: options?.signal }, object.get, id)
  }

  const fetchRecords: Connector['fetchRecords'] = async (name, ids, fields, { signal } = {}) => {
    const object = find(name)
    if (object?.get === undefined && object?.readByIds === undefined) throw unsupported(name)
    const { get, readByIds } = object
    const wanted: Wanted = { name, object, fields, signal }
    const found = new Map<string, ProviderRecord>()
    const all = [...new Set(ids)]
    const each = async (some: readonly string[]) => {
      if (get === undefined) return
      await mapConcurrently(some, async (id) => {
        const record = await one(wanted, get, id)
        if (record !== undefined) found.set(id, record)
      })
    }
    const size = readByIds?.max ?? all.length
    for (let at = 0; at < all.length; at += size) {
      const some = all.slice(at, at + size)
      // One record is requested by its own request: that shows best whether it exists.
      if (readByIds === undefined || (some.length === 1 && get !== undefined)) {
        await each(some)
        continue
      }
      try {
        for (const record of await together(wanted, some)) found.set(record.id ?? '', record)
      } catch (error) {
        const isOfOne = error instanceof ProviderError && ['bad_request', 'not_found'].includes(error.class)
        if (!isOfOne || (get === undefined && error.class !== 'not_found')) throw error
        // One id that the provider refuses is not to cost the others.
        await each(some)
      }
    }
    return found
  }

  return {
    canFetch: (name) => {
      const object = find(name)
      return object?.get !== undefined || object?.readByIds !== undefined
    },
    fetchRecord,
    fetchSizeMax: (name) => find(name)?.readByIds?.max ?? 1,
    fetchRecords,
  }
}

function unsupported(name: string): ProviderError {
  return new ProviderError('unsupported_object', `A record of "${name}" cannot be read by its id here.`)
}
