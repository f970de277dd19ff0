import type { ProviderEntry } from '../catalogue/entry.ts'
import { isReadObject, type ProviderObject, type ReadObject } from '../catalogue/format/provider-file.ts'
import type {
  FieldFilter,
  FieldMetadata,
  ProviderRecord,
  ReadPage,
  ReadPageRequest,
  SearchRequest,
} from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { asksFor } from './associations.ts'
import { checkHealthIn } from './check-health.ts'
import { chooseRequest, takesFilters } from './choose-request.ts'
import { completeFields } from './complete-fields.ts'
import { changedRecords, completeRecords, getPlan, getsEach } from './complete-records.ts'
import { deletedObject, deletionMark, readReported, withDeletedRecords } from './deleted-records.ts'
import { describeObject } from './describe/describe-object.ts'
import { mergeExtracted } from './extraction.ts'
import { fetchFanOut, type ParentCache } from './fan-out.ts'
import { type FieldParts, fieldParts, partsOfNextPage } from './field-parts.ts'
import type { ExtractedFields } from './fields.ts'
import { inWindow } from './in-window.ts'
import { windowFilter, windowVariables } from './incremental.ts'
import { type CompiledListing, fetchAll, fetchPage } from './listing.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { mapRecords } from './map-records.ts'
import type { Matcher } from './match.ts'
import { mayNameCustomField } from './may-name-custom-field.ts'
import { memoize } from './memoize.ts'
import { namesToAskFor, spelledAsDescribed } from './names-to-ask-for.ts'
import { type ObjectPlan, planOf } from './object-plan.ts'
import { decodePage, nextToken, type PageState } from './page-token.ts'
import { isObject, scalarText } from './path.ts'
import { periodPart } from './periods.ts'
import type { Reader } from './record-reader.ts'
import { orTruncated } from './refused-part.ts'
import type { CompiledRequest } from './request.ts'
import { addRequestedLinks } from './requested-links.ts'
import { isWanted, lower, nameToAskFor } from './requested-names.ts'
import { type Scope, scopeOf, textOf } from './scope.ts'
import { onlySearchable, withParameters } from './search-filters.ts'
import type { Session } from './session.ts'
import { halfOf, windowPart } from './stepped-window.ts'
import { wantedLinks } from './wanted-links.ts'
import { withIdsOnly } from './with-ids-only.ts'

interface Asked {
  name: string
  object: ReadObject
  plan: ObjectPlan
  fields: 'all' | readonly string[]
  signal: AbortSignal | undefined
  /** Whether a record is one that the provider reports as deleted. Nothing else can be requested of it. */
  isDeleted?: Matcher | undefined
}

/** @param scopeFor the variables of an object */
export function createReader(
  entry: ProviderEntry,
  session: Session,
  base: URL,
  scopeFor: (name: string, object: ProviderObject) => Scope,
  now: () => number,
): Reader {
  return new ObjectReader({ entry, session, base, scopeFor, now })
}

interface ReaderOptions {
  entry: ProviderEntry
  session: Session
  base: URL
  scopeFor: (name: string, object: ProviderObject) => Scope
  now: () => number
}

class ObjectReader implements Reader {
  readonly #entry: ProviderEntry
  readonly #session: Session
  readonly #base: URL
  readonly #at: { session: Session; base: URL }
  readonly #scopeFor: ReaderOptions['scopeFor']
  readonly #now: () => number
  readonly #described = new Map<string, Promise<FieldMetadata[]>>()
  readonly #definitions = new Map<string, Promise<ExtractedFields>>()
  readonly #parents = new WeakMap<ObjectPlan, ParentCache>()

  constructor({ entry, session, base, scopeFor, now }: ReaderOptions) {
    this.#entry = entry
    this.#session = session
    this.#base = base
    this.#at = { session, base }
    this.#scopeFor = scopeFor
    this.#now = now
  }

  /**
   * The fields of the object, for `{{fields}}` of a read of everything and for their types; asked once per connector.
   */
  allFields(name: string, object: ProviderObject, signal: AbortSignal | undefined): Promise<FieldMetadata[]> {
    return memoize(this.#described, name, async () => {
      const { fields } = await describeObject(name, object, {
        ...this.#at,
        scope: this.#scopeFor(name, object),
        signal,
        now: this.#now,
      })
      return Object.values(fields)
    })
  }

  /** Returns the reader of a record's custom fields. Their definitions are requested once per connector. */
  #customFields(
    name: string,
    object: ReadObject,
    fields: 'all' | readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<ExtractedFields> | undefined {
    const { customFields: declared } = planOf(object, name)
    if (declared === undefined || !mayNameCustomField(fields, object)) return undefined
    return memoize(this.#definitions, name, async () => {
      const { definitions: list } = declared
      return declared.reader(
        list === undefined ? [] : await fetchAll(this.#session, this.#base, list, this.#scopeFor(name, object), signal),
      )
    })
  }

  /** The records with their children under the children's names; a few records at a time, in order. */
  async #withChildren(records: readonly unknown[], { plan, fields, signal, isDeleted }: Asked, scope: Scope) {
    const children = fields === 'all' ? [] : plan.children.filter(({ field }) => isWanted(fields, field))
    if (children.length === 0) return records
    return mapConcurrently(records, async (record) => {
      if (!isObject(record) || isDeleted?.(record) === true) return record
      const raw = { ...record }
      for (const { field, listing } of children) {
        raw[field] = await fetchAll(this.#session, this.#base, listing, scopeOf({ record }, scope), signal)
      }
      return raw
    })
  }

  /** The window, the filters and the fields, over the variables of the object. */
  async #scopeOfRead(
    asked: Asked,
    requests: readonly { request: CompiledRequest }[],
    values: Record<string, unknown>,
    filters: readonly FieldFilter[] = [],
  ): Promise<Scope> {
    const { name, object, fields, signal } = asked
    const { flatten = [], filterable } = object.read
    if (filterable !== undefined) onlySearchable(filters, ({ field }) => isWanted(filterable, field), filterable)
    const applied = filters.map((filter) => ({ ...filter, field: nameToAskFor(filter.field, flatten) }))
    const links = wantedLinks(fields, object.read.links)
    const outer = scopeOf(
      {
        ...values,
        links,
        ...(applied.length > 0 && { filters: applied }),
        ...asksFor(asked.plan.associations, fields),
      },
      this.#scopeFor(name, object),
    )
    if (!requests.some(({ request }) => request.variables.has('fields'))) return outer
    return scopeOf({ fields: (await this.fieldsToAskFor(name, object, fields, signal)).first }, outer)
  }

  async fieldsToAskFor(
    name: string,
    object: ProviderObject,
    fields: 'all' | readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<FieldParts> {
    const every = async () => (await this.allFields(name, object, signal)).map(({ fieldName }) => fieldName)
    const names = await namesToAskFor(name, object, fields, every)
    return fieldParts(await spelledAsDescribed(names, object.read?.exactNames, every), object.read)
  }

  /** The records with the fields that their request had no room for. */
  async #withOtherFields(
    { name, object, plan, fields, signal, isDeleted }: Asked,
    raw: readonly unknown[],
    scope: Scope,
    isNextUrl = false,
  ): Promise<readonly unknown[]> {
    if (plan.otherFields === undefined || raw.length === 0) return raw
    const split = await this.fieldsToAskFor(name, object, fields, signal)
    const parts = isNextUrl ? partsOfNextPage(split, object.read, raw) : split
    return completeFields({ ...this.#at, plan, scope, parts, signal, isDeleted }, raw)
  }

  async #mapAsked(asked: Asked, raw: readonly unknown[], scope: Scope): Promise<ProviderRecord[]> {
    const { name, object, plan, fields, signal, isDeleted } = asked
    const extracted = await this.#extractedFields(name, object, fields, signal)
    const records = mapRecords(plan, fields, await this.#withChildren(raw, asked, scope), extracted)
    for (const record of records) if (isDeleted?.(record.raw) === true) record.deleted = true
    const present = records.filter(({ deleted }) => deleted !== true)
    await addRequestedLinks(present, plan.associations, fields, { ...this.#at, scope, signal })
    return records
  }

  /**
   * What reads the fields of a record that stand in it under other names; asks for the names where a list knows them.
   */
  async #extractedFields(
    name: string,
    object: ReadObject,
    fields: 'all' | readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<ExtractedFields | undefined> {
    return mergeExtracted(planOf(object, name).extract, await this.#customFields(name, object, fields, signal))
  }

  /** Where a provider answers strangers, too: the credential holds still, so the page was not one of theirs. */
  async #confirm(signal: AbortSignal | undefined): Promise<void> {
    if (this.#entry.healthCheck?.confirmsReads === true) await checkHealthIn(this.#entry, this.#session, signal)
  }

  async readPage(request: ReadPageRequest, object: ProviderObject): Promise<ReadPage> {
    if (!isReadObject(object)) throw unsupported(this.#entry, request.object, 'read')
    const state = request.page === undefined ? {} : decodePage(request.page)
    if (request.idsOnly === true) return this.#readListed(request, withIdsOnly(object), state)
    const wantsDeletions = request.deletions === true && request.since !== undefined
    const alone = wantsDeletions ? deletedObject(object) : undefined
    // The read may have begun before the object, or its file, was without deletions: the other records are all read.
    if (state.deleted === true) return alone === undefined ? noPage : this.#readDeleted(request, alone, state)
    if (!wantsDeletions) return this.#readListed(request, object, state)
    const page = await this.#readListed(request, withDeletedRecords(object), state, deletionMark(object))
    if (page.nextPage !== undefined || alone === undefined) return page
    // In the same page, so that a read that finds nothing has one.
    const deleted = await this.#readDeleted(request, alone, { deleted: true })
    return { ...page, ...deleted, records: [...page.records, ...deleted.records] }
  }

  /** The filters are left out: the list may not take them, and may not have the fields any more. */
  #readDeleted({ filters: _, ...request }: ReadPageRequest, alone: ReadObject, state: PageState): Promise<ReadPage> {
    const of = { object: alone, request, state, provider: this.#entry.displayName, now: this.#now() }
    return readReported(of, (asked, at) => this.#readListed(asked, alone, at, () => true))
  }

  async #readListed(
    request: ReadPageRequest,
    object: ReadObject,
    state: PageState,
    isDeleted?: Matcher,
  ): Promise<ReadPage> {
    const { object: name, fields, since, until, filters, signal } = request
    const plan = planOf(object, name)
    const asked: Asked = { name, object, plan, fields, signal, isDeleted }
    const isFiltered = filters !== undefined && filters.length > 0
    if (isFiltered && !takesFilters(object, name)) throw unsupported(this.#entry, name, 'filter')
    const window = object.incremental ?? {}
    const windowed = windowPart(window, since, until, state.step, this.#now())
    const times = windowVariables(windowed.window, windowed.since, windowed.until, textOf(this.#scopeFor(name, object)))
    const isEach = getsEach(object.read, fields) || plan.changedId !== undefined
    const gets = isEach && object.get !== undefined ? [getPlan(object.get)] : []
    const ofRead = await this.#scopeOfRead(asked, [plan.full, plan.window, ...gets], times, filters)
    const pageSizeOf = ({ pageSizeMax }: CompiledListing) =>
      Math.max(1, Math.min(request.pageSize ?? Infinity, pageSizeMax))
    const urlBytes = () => {
      const pageScope = scopeOf({ pageSize: pageSizeOf(plan.full), ...plan.full.pager.variables({}) }, ofRead)
      return Buffer.byteLength(this.#session.urlOf(plan.full.request, this.#base, pageScope).href)
    }
    const useWindow =
      state.window ??
      chooseRequest(object, name, { since, until, hasFilters: isFiltered, urlBytes }, this.#now()).request ===
        'incremental.read'
    const listing = useWindow ? plan.window : plan.full
    const inPeriod = listing.periods && periodPart(listing.periods, state.step, this.#now())
    const part = inPeriod ?? windowed
    const scope = inPeriod === undefined ? ofRead : scopeOf({ period: inPeriod.period }, ofRead)
    const pageSize = pageSizeOf(listing)

    const filter = windowFilter(window, since, until)
    const options = { state, pageSize, signal, mayWait: request.mayWait === true }
    const changedId = useWindow ? plan.changedId : undefined
    const page = await orTruncated(part, async () =>
      plan.parents === undefined || changedId !== undefined
        ? inWindow(await fetchPage(this.#session, this.#base, listing, scope, options), filter)
        : fetchFanOut(
            { ...this.#at, plan, listing, scope, parentCache: this.#parentsOf(plan), filter, pageSize, signal },
            state,
          ),
    )
    await this.#confirm(signal)
    const completion = { ...this.#at, object, plan, scope, signal, fields, isDeleted }
    const listed =
      changedId === undefined
        ? await completeRecords(completion, page.records)
        : await changedRecords(completion, changedId, page.records)
    const asksForFields = [listing, ...gets].some(({ request }) => request.variables.has('fields'))
    const isNextUrl = state.url !== undefined
    const raw = asksForFields ? await this.#withOtherFields(asked, listed, scope, isNextUrl) : listed
    const records = await this.#mapAsked(asked, raw, scope)
    const half = page.next?.truncated === undefined ? undefined : halfOf(part)
    const step = half ?? (page.next === undefined ? part.following : part.step)
    const rest = half === undefined ? page.next : {}
    const next = step === undefined ? rest : { ...rest, step }
    const result: ReadPage = { records, nextPage: nextToken(next, { useWindow, state }) }
    // Behind a key, the provider counts only what is left. Parts of a window and deleted records have their own counts.
    const isPart = state.afterKey !== undefined || part.following !== undefined || state.step !== undefined
    const counts = plan.parents === undefined && changedId === undefined && !isPart && state.deleted !== true
    const total = counts ? plan.total(page.response.json, page.response.headers) : undefined
    if (total !== undefined) result.total = total
    if (page.waitMs !== undefined) result.waitMs = page.waitMs
    return result
  }

  /**
   * The filters with what the provider calls their fields in a search.
   * @throws ProviderError for a field that it does not know there
   */
  async #inItsWords({ name, object, signal }: Asked, filters: readonly FieldFilter[]) {
    const { searchBy, searchByType } = object
    if (searchByType === undefined) return withParameters(filters, searchBy)
    const fields = await this.allFields(name, object, signal)
    const parameterOf = (type: string | undefined) =>
      type !== undefined && Object.hasOwn(searchByType, type) ? searchByType[type] : undefined
    const searchable = fields.filter(({ providerType }) => parameterOf(providerType) !== undefined)
    const find = ({ field }: FieldFilter) => searchable.find(({ fieldName }) => lower(fieldName) === lower(field))
    onlySearchable(
      filters,
      (filter) => find(filter) !== undefined,
      searchable.map(({ fieldName }) => fieldName),
    )
    return filters.map((filter) => {
      const { fieldName: field = filter.field, providerType: type } = find(filter) ?? {}
      return { ...filter, field, type, parameter: parameterOf(type) }
    })
  }

  /** Those of similar records whose fields have the values. */
  async #withValues(asked: Asked, filters: readonly FieldFilter[], similar: readonly unknown[], scope: Scope) {
    const compared = await this.#mapAsked({ ...asked, fields: filters.map(({ field }) => field) }, similar, scope)
    return similar.filter((_, at) =>
      filters.every(({ field, value: wanted }) => {
        const value = compared[at]?.fields[lower(field)]
        return (Array.isArray(value) ? value : [value]).some((one) => scalarText(one) === String(wanted))
      }),
    )
  }

  #parentsOf(plan: ObjectPlan): ParentCache {
    const parentCache = this.#parents.get(plan) ?? {}
    this.#parents.set(plan, parentCache)
    return parentCache
  }

  async search(
    { object: name, fields, filters, page, pageSize, signal }: SearchRequest,
    object: ProviderObject,
  ): Promise<ReadPage> {
    if (!isReadObject(object)) throw unsupported(this.#entry, name, 'search')
    const plan = planOf(object, name)
    const asked: Asked = { name, object, plan, fields, signal }
    if (plan.search === undefined) throw unsupported(this.#entry, name, 'search')
    if (filters.length === 0) throw new ProviderError('bad_request', 'A search needs at least one filter.')
    const { searchMax = Infinity } = object
    if (filters.length > searchMax)
      throw new ProviderError('bad_request', `A search of "${name}" has at most ${searchMax} filters here.`)
    const scope = await this.#scopeOfRead(asked, [plan.search], {}, await this.#inItsWords(asked, filters))
    const found = await fetchPage(this.#session, this.#base, plan.search, scope, {
      state: page === undefined ? {} : decodePage(page),
      pageSize: Math.max(1, Math.min(pageSize ?? Infinity, plan.search.pageSizeMax)),
      signal,
    })
    await this.#confirm(signal)
    const isSimilar = object.searchFinds === 'similar'
    const isPartial = plan.search.request.variables.has('fields')
    const whole = isPartial ? await this.#withOtherFields(asked, found.records, scope) : found.records
    const raw = isSimilar ? await this.#withValues(asked, filters, whole, scope) : whole
    return { records: await this.#mapAsked(asked, raw, scope), nextPage: nextToken(found.next) }
  }

  async recordsOf(
    name: string,
    object: ReadObject,
    fields: 'all' | readonly string[],
    raw: readonly unknown[],
    { isPartial, signal }: { isPartial: boolean; signal: AbortSignal | undefined },
  ): Promise<ProviderRecord[]> {
    const asked: Asked = { name, object, plan: planOf(object, name), fields, signal }
    const scope = this.#scopeFor(name, object)
    const whole = isPartial ? await this.#withOtherFields(asked, raw, scope) : raw
    return this.#mapAsked(asked, whole, scope)
  }

  canFilter(name: string, object: ProviderObject | undefined): boolean {
    return isReadObject(object) && takesFilters(object, name)
  }
}

const noPage: ReadPage = { records: [], nextPage: undefined }

function unsupported(entry: ProviderEntry, name: string, what: string): ProviderError {
  return new ProviderError('unsupported_object', `${entry.displayName} cannot ${what} "${name}" here.`)
}
