import type { ProviderEntry } from '../catalogue/entry.ts'
import type { MetadataInput } from '../catalogue/format/metadata-input.ts'
import { isReadObject, type ObjectSet, type ProviderObject } from '../catalogue/format/provider-file.ts'
import type { ConnectionContext, Connector, ProviderHttp, ReadPage, SearchRequest, ValueType } from '../connector.ts'
import { NoConnector, ProviderError } from '../provider-error.ts'
import { checkHealthIn } from './check-health.ts'
import { takesFilters } from './choose-request.ts'
import { connectionParts } from './connection-parts.ts'
import type { CostLimitOptions } from './cost-limit.ts'
import { reportsDeletions } from './deleted-records.ts'
import { describeObject } from './describe/describe-object.ts'
import { openFetcher } from './fetch-record.ts'
import { openReadsByJob } from './jobs/read-by-job.ts'
import { openWriteJob } from './jobs/write-by-job.ts'
import { knownFields } from './known-fields.ts'
import { keepReportedLimit } from './limit-headers.ts'
import { openFieldMaker } from './make-fields/open-field-maker.ts'
import { namedObject } from './named-object.ts'
import { decodePage } from './page-token.ts'
import { createReader } from './reader.ts'
import { type Scope, scopeOf } from './scope.ts'
import { openSession } from './session.ts'
import { openWriter } from './writing/open-writer.ts'

export interface ConnectorOptions {
  /** Milliseconds since 1970; the system's clock when absent. */
  now?: () => number
  /** What is left of a limit on cost. Connectors of one connection share it. */
  costBudget?: CostLimitOptions['budget']
  /** Waits for units of a limit on cost; by the system's clock when absent. */
  pause?: CostLimitOptions['pause']
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
  { now = Date.now, costBudget: budget, pause }: ConnectorOptions = {},
): Connector {
  const set = objectSet(entry, connection.module)
  const limitedHttp = keepReportedLimit(http, entry.file?.errors.limitHeaders, now)
  const session = openSession(entry, connection, limitedHttp, now, { budget, pause })
  const parts = connectionParts(entry, connection)
  const base = parts.baseUrl(set.apiUrl ?? entry.baseUrl)

  const lookUp = (name: string) => findObject(set, name)

  function find(name: string): ProviderObject {
    const object = findObject(set, name)
    if (object === undefined) {
      throw new ProviderError('unsupported_object', `${entry.displayName} has no object "${name}" here.`)
    }
    return object
  }

  const missing = parts.missing(connection.module)

  /** @throws ProviderError if the connection lacks a value that objects need */
  function scopeFor(name: string, object: ProviderObject): Scope {
    if (missing.length > 0) throw lacking(entry, missing)
    return scopeOf({ ...object.set, object: name }, session.scope)
  }

  async function describe(name: string, signal: AbortSignal | undefined) {
    const object = find(name)
    return describeObject(name, object, { session, base, scope: scopeFor(name, object), signal, now })
  }

  const reader = createReader(entry, session, base, scopeFor, now)
  const jobs = openReadsByJob({ session, base, scopeFor, reader, now })
  const fetcher = openFetcher({ session, base, find: lookUp, scopeFor, reader })

  async function search(request: SearchRequest): Promise<ReadPage> {
    const { object: name, fields, signal } = request
    const object = find(name)
    const found = await reader.search(request, object)
    if (object.searchFinds !== 'ids') return found
    const ids = found.records.flatMap(({ id }) => id ?? [])
    const complete = await fetcher.fetchRecords(name, ids, fields, signal && { signal })
    return { ...found, records: ids.flatMap((id) => complete.get(id) ?? []) }
  }

  return {
    ...openWriter({ session, base, find: lookUp, scopeFor }),
    writeJob: (name, type) => openWriteJob({ session, base, now, scopeFor }, { name, object: lookUp(name) }, type),
    ...fetcher,
    readPage: async (request) => jobs.readPage(request, find(request.object)),
    abortJob: async (name, id, options) => jobs.abortJob(name, find(name), id, options?.signal),
    search,
    canRead: (name) => isReadObject(lookUp(name)),
    canFilter: (name) => reader.canFilter(name, lookUp(name)),
    reportsDeletions: (name) => reportsDeletions(lookUp(name)),
    canSearch: (name) => lookUp(name)?.search !== undefined,
    ...openFieldMaker({ session, base, find: lookUp, scopeFor, describe }),
    describeObject: async (name, options) => describe(name, options?.signal),
    hasObject: (name) => findObject(set, name) !== undefined,
    objects: () => [...set.objects.keys()],
    checkHealth: (signal) => checkHealthIn(entry, session, signal),
  }
}

function lacking({ displayName }: ProviderEntry, missing: readonly MetadataInput[]): ProviderError {
  const names = missing.map(({ name, displayName: label = name }) => `${label} (providerMetadata.${name})`).join(', ')
  return new ProviderError(
    'bad_request',
    `The connection has no value for: ${names}. Objects of ${displayName} need it. Add it to the connection.`,
  )
}

/** Whether reads of an object take filters: what a connector answers to `canFilter`, without a connection. */
export function canFilterReads(entry: ProviderEntry, module: string | undefined, name: string): boolean {
  try {
    const object = findObject(objectSet(entry, module), name)
    return isReadObject(object) && takesFilters(object, name)
  } catch (error) {
    if (error instanceof NoConnector) return false
    throw error
  }
}

/**
 * Names of all fields that records of an object can have, without a connection; undefined where they are not known, as
 * those of an object that only fits a pattern.
 */
export function fieldsOfObject(entry: ProviderEntry, module: string | undefined, name: string): string[] | undefined {
  try {
    const { objects, anyCase } = objectSet(entry, module)
    const object = objects.get(name) ?? anyCase?.get(name.toLowerCase())
    return object && knownFields(object)
  } catch (error) {
    if (error instanceof NoConnector) return undefined
    throw error
  }
}

/** Value types of fields of an object, by name, as far as the file says them: without a connection. */
export function declaredTypes(
  entry: ProviderEntry,
  module: string | undefined,
  name: string,
): ReadonlyMap<string, ValueType> {
  const types = new Map<string, ValueType>()
  try {
    for (const source of findObject(objectSet(entry, module), name)?.fields ?? []) {
      if (source.source !== 'static') continue
      for (const [field, declared] of Object.entries(source.fields)) {
        const type = typeof declared === 'string' ? declared : declared.valueType
        if (type !== undefined) types.set(field, type)
      }
    }
  } catch (error) {
    if (!(error instanceof NoConnector)) throw error
  }
  return types
}

/** Whether reads of an object can request deletions, without a connection. */
export function reportsDeletionsOf(entry: ProviderEntry, module: string | undefined, name: string): boolean {
  try {
    return reportsDeletions(findObject(objectSet(entry, module), name))
  } catch (error) {
    if (error instanceof NoConnector) return false
    throw error
  }
}

/**
 * Returns the id of the job of the provider that a read is in, if its file says how to abort it.
 *
 * @param page the page token of the read
 */
export function jobToAbort(
  entry: ProviderEntry,
  module: string | undefined,
  name: string,
  page: string,
): string | undefined {
  try {
    const object = findObject(objectSet(entry, module), name)
    return object?.read?.job?.abort === undefined ? undefined : decodePage(page).job?.id
  } catch (error) {
    if (error instanceof NoConnector || error instanceof ProviderError) return undefined
    throw error
  }
}

/** Returns the name for people that the provider file gives an object; undefined if it gives none. */
export function objectLabel(entry: ProviderEntry, module: string | undefined, name: string): string | undefined {
  try {
    return findObject(objectSet(entry, module), name)?.displayName
  } catch (error) {
    if (error instanceof NoConnector) return undefined
    throw error
  }
}

function objectSet(entry: ProviderEntry, module: string | undefined): ObjectSet {
  const sets = entry.file?.sets
  const id = module === undefined || module === '' ? (entry.defaultModule ?? '') : module
  const set = sets?.get(id) ?? (module === undefined || module === '' ? sets?.get('') : undefined)
  if (set === undefined || (set.objects.size === 0 && set.others.length === 0))
    throw new NoConnector(entry.name, module)
  return set
}

function findObject(set: ObjectSet, name: string): ProviderObject | undefined {
  const known = set.objects.get(name) ?? set.anyCase?.get(name.toLowerCase())
  if (known !== undefined) return known
  const other = set.others.find(({ match }) => match.test(name))
  return other && namedObject(other, name)
}
