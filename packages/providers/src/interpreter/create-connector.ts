import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ObjectSet, ProviderObject } from '../catalogue/format/provider-file.ts'
import type {
  ConnectionContext,
  Connector,
  ProviderHttp,
  ProviderRecord,
  ReadPage,
  ReadPageRequest,
} from '../connector.ts'
import { NoConnector, ProviderError } from '../provider-error.ts'
import { resolveBaseUrl } from './base-url.ts'
import { checkHealthIn } from './check-health.ts'
import { describeObject } from './describe/describe-object.ts'
import { openFetcher } from './fetch-record.ts'
import { compileFields } from './fields.ts'
import { windowFilter, windowVariables } from './incremental.ts'
import { type CompiledListing, fetchAll, fetchPage } from './listing.ts'
import { openFieldMaker } from './make-fields/open-field-maker.ts'
import { type ObjectPlan, planOf } from './object-plan.ts'
import { decodePage, encodePage, type PageState } from './page-token.ts'
import { isObject, pathNames, scalarText } from './path.ts'
import { type Scope, scopeOf, textOf } from './request.ts'
import { openSession } from './session.ts'
import { openWriter } from './writing/open-writer.ts'

export interface ConnectorOptions {
  /** Milliseconds since 1970; the system's clock when absent. */
  now?: () => number
}

/**
 * A connector for one connection, interpreting the provider's file.
 *
 * @throws NoConnector when the provider, or the module, has no objects here
 * @throws InvalidInputs when the connection's inputs make no usable base URL
 */
export function createConnector(
  entry: ProviderEntry,
  connection: ConnectionContext,
  http: ProviderHttp,
  { now = Date.now }: ConnectorOptions = {},
): Connector {
  const set = objectSet(entry, connection.module)
  const session = openSession(entry, connection, http, now)
  const base = resolveBaseUrl(set.apiUrl ?? entry.baseUrl, textOf(session.scope))
  const described = new Map<string, Promise<string[]>>()

  const lookUp = (name: string) => findObject(set, name)

  function find(name: string): ProviderObject {
    const object = findObject(set, name)
    if (object === undefined) {
      throw new ProviderError('unsupported_object', `${entry.displayName} has no object "${name}" here.`)
    }
    return object
  }

  function scopeFor(name: string, object: ProviderObject): Scope {
    return scopeOf({ ...object.set, object: name }, session.scope)
  }

  async function describe(name: string, signal: AbortSignal | undefined) {
    const object = find(name)
    return describeObject(name, object, { session, base, scope: scopeFor(name, object), signal })
  }

  /** Names for `{{fields}}` of a read of everything; asked once per connector. */
  function allFields(name: string, object: ProviderObject, signal: AbortSignal | undefined): Promise<string[]> {
    const known = described.get(name)
    if (known !== undefined) return known
    const asked = describeObject(name, object, { session, base, scope: scopeFor(name, object), signal }).then(
      ({ fields }) => Object.keys(fields),
    )
    described.set(name, asked)
    asked.catch(() => described.delete(name))
    return asked
  }

  /** The records with their children under the children's names; a few records at a time, in order. */
  async function withChildren(
    records: readonly unknown[],
    children: ObjectPlan['children'],
    scope: Scope,
    signal: AbortSignal | undefined,
  ): Promise<unknown[]> {
    const merged: unknown[] = []
    for (let at = 0; at < records.length; at += childrenAtOnce) {
      const some = records.slice(at, at + childrenAtOnce).map(async (record) => {
        if (!isObject(record)) return record
        const raw = { ...record }
        for (const { field, listing } of children) {
          raw[field] = await fetchAll(session, base, listing, scopeOf({ record }, scope), signal)
        }
        return raw
      })
      merged.push(...(await Promise.all(some)))
    }
    return merged
  }

  /** The window and the fields of a read, over the variables of its object. */
  async function readScope(request: ReadPageRequest, object: ProviderObject, plan: ObjectPlan): Promise<Scope> {
    const { object: name, fields, since, until, signal } = request
    const outer = scopeFor(name, object)
    const values: Record<string, unknown> = windowVariables(object.incremental ?? {}, since, until)
    const namesFields = plan.full.request.variables.has('fields') || plan.window.request.variables.has('fields')
    if (!namesFields) return scopeOf(values, outer)
    return scopeOf({ ...values, fields: await fieldsToAskFor(name, object, fields, signal) }, outer)
  }

  /** What `{{fields}}` stands for: no children, and nested names by the field that they lie in. */
  async function fieldsToAskFor(
    name: string,
    object: ProviderObject,
    fields: 'all' | readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<string[]> {
    const wanted = fields === 'all' ? await allFields(name, object, signal) : fields
    const except = new Set([...(object.read.fieldsExcept ?? []), ...Object.keys(object.read.children ?? {})])
    const asked = wanted.map((field) => nameToAskFor(field, object.read.flatten ?? []))
    return [...new Set(asked)].filter((field) => !except.has(field))
  }

  async function readPage(request: ReadPageRequest): Promise<ReadPage> {
    const { object: name, fields, since, until, signal } = request
    const object = find(name)
    const plan = planOf(object)
    const state = request.page === undefined ? {} : decodePage(request.page)
    const window = object.incremental ?? {}
    const scope = await readScope(request, object, plan)
    const pageSizeOf = ({ pageSizeMax }: CompiledListing) =>
      Math.max(1, Math.min(request.pageSize ?? Infinity, pageSizeMax))
    const tooLong = () => {
      const limit = object.read.urlBytesMax
      if (limit === undefined) return false
      const pageScope = scopeOf({ pageSize: pageSizeOf(plan.full), ...plan.full.pager.variables({}) }, scope)
      return session.urlOf(plan.full.request, base, pageScope).href.length > limit
    }
    const useWindow = state.window ?? (since !== undefined || until !== undefined || tooLong())
    const listing = useWindow ? plan.window : plan.full

    const page = await fetchPage(session, base, listing, scope, { state, pageSize: pageSizeOf(listing), signal })
    const { kept, ended } = windowFilter(window, since, until)?.(page.records) ?? { kept: page.records, ended: false }
    const read = compileFields(fields, object.read.flatten ?? [])
    const children = fields === 'all' ? [] : plan.children.filter(({ field }) => isWanted(fields, field))
    const toRecord = (raw: Record<string, unknown>): ProviderRecord => {
      const id = scalarText(plan.id(raw))
      return id === undefined ? { fields: read(raw), raw } : { id, fields: read(raw), raw }
    }
    const whole = children.length === 0 ? kept : await withChildren(kept, children, scope, signal)
    const records = whole.map((record) => {
      if (!isObject(record)) throw new ProviderError('unexpected_response', 'A record of the answer is no object.')
      return toRecord(record)
    })
    const result: ReadPage = { records, nextPage: ended ? undefined : tokenOf(page.next, useWindow) }
    const total = plan.total(page.response.json, page.response.headers)
    if (total !== undefined) result.total = total
    return result
  }

  return {
    ...openWriter({ session, base, find: lookUp, scopeFor }),
    ...openFetcher({ session, base, find: lookUp, scopeFor, fieldsToAskFor }),
    readPage,
    canFilter: () => false,
    canSearch: () => false,
    search: async ({ object }) => {
      throw new ProviderError('unsupported_object', `${entry.displayName} cannot search "${object}".`)
    },
    ...openFieldMaker({ session, base, find: lookUp, scopeFor, describe }),
    describeObject: async (name, options) => describe(name, options?.signal),
    hasObject: (name) => findObject(set, name) !== undefined,
    objects: () => [...set.objects.keys()],
    checkHealth: (signal) => checkHealthIn(entry, session, signal),
  }
}

const childrenAtOnce = 4

function objectSet(entry: ProviderEntry, module: string | undefined): ObjectSet {
  const sets = entry.file?.sets
  const id = module === undefined || module === '' ? (entry.defaultModule ?? '') : module
  const set = sets?.get(id) ?? (module === undefined || module === '' ? sets?.get('') : undefined)
  if (set === undefined || (set.objects.size === 0 && set.others.length === 0))
    throw new NoConnector(entry.name, module)
  return set
}

function findObject(set: ObjectSet, name: string): ProviderObject | undefined {
  return set.objects.get(name) ?? set.others.find(({ match }) => match.test(name))?.object
}

/** The provider's own field that a nested name lies in: `$['properties']['email']` is `email` where `properties` is flattened. */
function nameToAskFor(field: string, flatten: readonly string[]): string {
  const names = field.startsWith('$[') ? pathNames(field) : undefined
  if (names === undefined) return field
  const [first = field, second] = names
  return second !== undefined && flatten.includes(first) ? second : first
}

function isWanted(fields: readonly string[], name: string): boolean {
  return fields.some((field) => field.toLowerCase() === name.toLowerCase())
}

function tokenOf(next: PageState | undefined, window: boolean): string | undefined {
  return next === undefined ? undefined : encodePage(window ? { ...next, window } : next)
}
