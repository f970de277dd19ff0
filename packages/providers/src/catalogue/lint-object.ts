import { mergeTree } from '../interpreter/merge-tree.ts'
import { idPaths } from '../interpreter/record-id.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import { isReadObject, type ProviderObject, type ReadObject } from './format/provider-file.ts'
import type { Child, Read } from './format/read.ts'
import type { Window } from './format/window.ts'
import { lintDeletions } from './lint-deletions.ts'
import { lintFieldsPerRequest } from './lint-fields-per-request.ts'
import { lintJob } from './lint-job.ts'
import { lintListing } from './lint-listing.ts'
import { lintMakeFields } from './lint-make-fields.ts'
import { lintPath } from './lint-paths.ts'
import { lintPeriods, lintWithPeriods } from './lint-periods.ts'
import { lintRequest, usedVariables } from './lint-request.ts'
import { lintWrite } from './lint-write.ts'

/**
 * What the schema cannot say of an object: variables, paging that would not move, a window that filters nothing.
 *
 * @param ofName variables that the name of the object has
 */
export function lintObject(
  object: ProviderObject,
  connectionVariables: Iterable<string>,
  ofName: readonly string[] = [],
): Flaw[] {
  const flaws: Flaw[] = []
  const named = ['object', ...Object.keys(object.set ?? {}), ...ofName]
  const shared = ['workspace', ...connectionVariables, ...named]
  flaws.push(...(isReadObject(object) ? lintRead(object, shared, named) : lintWithoutRead(object)))
  object.fields?.forEach((source, at) => {
    if (source.source === 'live' || source.source === 'choices') {
      const { only: _, ...list } = { only: undefined, ...source }
      flaws.push(...lintListing(['fields', at], list, shared, named))
      if (source.source === 'choices' && (source.fields === undefined) === (source.byField === undefined))
        flaws.push({ path: ['fields', at], message: 'needs one of "fields" and "byField"' })
      const further = source.source === 'live' ? (source.choices ?? []) : []
      further.forEach((list, index) => {
        flaws.push(...lintListing(['fields', at, 'choices', index], list, [...shared, 'field'], named))
      })
    } else if (source.source === 'required') flaws.push(...lintRequest(['fields', at], source, shared))
  })
  flaws.push(...lintWrite(object, shared))
  flaws.push(...lintMakeFields(object, shared))
  return flaws
}

/** What an object cannot have without `read`, and what it has to have then. */
function lintWithoutRead({
  incremental,
  deletions,
  listIds,
  search,
  readByIds,
  write,
  get,
  fields = [],
}: ProviderObject): Flaw[] {
  const flaws: Flaw[] = []
  if (write === undefined && get === undefined) {
    flaws.push({ path: [], message: 'needs at least one of "read", "write" and "get"' })
  }
  const needs = 'needs "read", which the object does not have'
  if (incremental !== undefined) flaws.push({ path: ['incremental'], message: needs })
  if (deletions !== undefined) flaws.push({ path: ['deletions'], message: needs })
  if (listIds !== undefined) flaws.push({ path: ['listIds'], message: needs })
  if (search !== undefined) flaws.push({ path: ['search'], message: needs })
  if (readByIds !== undefined) flaws.push({ path: ['readByIds'], message: needs })
  fields.forEach(({ source }, at) => {
    if (source === 'sample') flaws.push({ path: ['fields', at], message: needs })
  })
  return flaws
}

function lintRead(object: ReadObject, shared: readonly string[], named: readonly string[]): Flaw[] {
  const flaws: Flaw[] = []
  const { read, incremental } = object
  const window = incremental === undefined ? [] : ['since', 'until']
  const parent = read.each === undefined ? [] : ['parent']
  const period = read.periods === undefined ? [] : ['period']
  const ofRead = [...shared, ...window, ...parent, ...period, 'fields', 'associations', 'filters', 'links']
  const lint = (path: Flaw['path'], listing: Child, allowed: readonly string[]) =>
    lintListing(path, listing, allowed, named)
  flaws.push(...lint(['read'], read, ofRead), ...lintPeriods(['read'], read, object), ...lintWithPeriods(object))
  for (const path of idPaths(read.id)) flaws.push(...lintPath(['read', 'id'], path, named))
  for (const field of read.fieldsAlways ?? []) flaws.push(...lintPath(['read', 'fieldsAlways'], field, named))
  flaws.push(...lintPath(['read', 'total'], read.total, named))
  if (read.links !== undefined && usedVariables(read)?.has('links') === false)
    flaws.push({ path: ['read', 'links'], message: 'needs a request that uses {{links}}' })
  if (read.each !== undefined)
    flaws.push(...lintParents(read.each, (path, each, more) => lint(path, each, [...shared, ...window, ...more])))
  if (read.each !== undefined && read.paging?.kind === 'result')
    flaws.push({ path: ['read', 'each'], message: 'cannot be used with results of queries' })
  if (read.customFields !== undefined && (read.customFields.key === undefined) !== (read.customFields.keyed === true))
    flaws.push({ path: ['read', 'customFields'], message: 'needs one of "key" and "keyed"' })
  if (read.customFields?.definitions !== undefined) {
    flaws.push(...lint(['read', 'customFields', 'definitions'], read.customFields.definitions, shared))
  }
  if (object.listIds !== undefined) {
    const merged = mergeTree(read, object.listIds)
    flaws.push(...lint(['listIds'], merged, ofRead), ...lintPeriods(['listIds'], merged, object))
  }
  if (object.search !== undefined) {
    const merged = mergeTree(read, object.search)
    flaws.push(...lint(['search'], merged, [...shared, ...window, 'fields', 'associations', 'filters', 'links']))
    if (![...(usedVariables(merged) ?? ['filters'])].some((name) => name.split('.', 1)[0] === 'filters'))
      flaws.push({ path: ['search'], message: 'does not use {{filters}}: it would find every record' })
    if (merged.each !== undefined) flaws.push({ path: ['search'], message: 'cannot have "each"' })
  }
  for (const path of getEachPaths(object)) flaws.push({ path, message: 'needs "get", which the object does not have' })
  for (const key of ['searchBy', 'searchByType', 'searchFinds', 'searchMax'] as const)
    if (object[key] !== undefined && object.search === undefined) flaws.push({ path: [key], message: 'needs "search"' })
  if (object.searchFinds === 'ids' && object.get === undefined && object.readByIds === undefined)
    flaws.push({ path: ['searchFinds'], message: 'needs "get" or "readByIds", which the object does not have' })
  for (const [field, from] of Object.entries(read.lift ?? {})) {
    if (typeof from === 'string') continue
    if (from.when !== undefined && from.list === undefined)
      flaws.push({ path: ['read', 'lift', field, 'when'], message: 'needs "list"' })
    if (from.join !== undefined && from.each === undefined)
      flaws.push({ path: ['read', 'lift', field, 'join'], message: 'needs "each"' })
  }
  if (object.readByIds !== undefined) {
    const { max: _, ...listing } = object.readByIds
    flaws.push(...lint(['readByIds'], listing, [...shared, 'ids', 'fields', 'associations', 'links']))
    if (usedVariables(listing)?.has('ids') === false) flaws.push({ path: ['readByIds'], message: 'must use {{ids}}' })
    if (Array.isArray(read.id)) flaws.push({ path: ['readByIds'], message: 'does not support composite ids' })
  }
  for (const [name, child] of Object.entries(read.children ?? {})) {
    flaws.push(...lint(['read', 'children', name], child, [...shared, 'record']))
  }
  flaws.push(...lintAssociations(read, shared, named))
  if (incremental?.zone !== undefined) flaws.push(...lintZone(incremental, shared))
  if (incremental !== undefined) {
    const merged = mergeTree(read, incremental.read ?? {})
    if (incremental.read !== undefined) {
      flaws.push(
        ...lint(['incremental', 'read'], merged, ofRead),
        ...lintPeriods(['incremental', 'read'], merged, object),
      )
      const { each, getEach } = incremental.read
      if (Array.isArray(getEach))
        flaws.push({ path: ['incremental', 'read', 'getEach'], message: 'cannot be a list of fields' })
      if (each !== undefined && (each !== null || getEach !== true))
        flaws.push({
          path: ['incremental', 'read', 'each'],
          message: 'cannot differ from "read.each", and can be null only with "getEach"',
        })
    }
    const submit = merged.job?.always === true ? merged.job.submit : undefined
    const requests = [merged, merged.each, merged.each?.each, submit]
    const filters = incremental.filter !== undefined || usesInAny(requests, 'since')
    if (incremental.stepDays !== undefined && !usesInAny(requests, 'until'))
      flaws.push({ path: ['incremental', 'stepDays'], message: 'needs {{until}} in a request' })
    flaws.push(...lintParts(incremental), ...lintSettling(incremental))
    if (!filters) flaws.push({ path: ['incremental'], message: 'needs {{since}} in a request, or "filter"' })
  }
  flaws.push(...lintFieldsPerRequest(object, shared, named))
  flaws.push(...lintReach(object), ...lintDeletions(object, ofRead, named), ...lintJob(object, ofRead))
  return flaws
}

function lintSettling({ stepDays, overlapSeconds = 0, settleSeconds = 0 }: Window): Flaw[] {
  if (settleSeconds === 0 || (stepDays !== undefined && overlapSeconds >= settleSeconds)) return []
  return [
    { path: ['incremental', 'settleSeconds'], message: 'needs `stepDays`, and `overlapSeconds` of at least as many' },
  ]
}

function lintParts({ stepDays, upperBound, format, zone }: Window): Flaw[] {
  if (upperBound !== undefined)
    return stepDays === undefined || format !== 'date' || zone !== undefined
      ? [{ path: ['incremental', 'upperBound'], message: 'needs `stepDays` and `format: date`, without a zone' }]
      : []
  return format === 'date' && stepDays === 1
    ? [
        {
          path: ['incremental', 'stepDays'],
          message: 'needs `upperBound: inclusive`, or at least 2 with `format: date`',
        },
      ]
    : []
}

function usesInAny(listings: readonly (Parameters<typeof usedVariables>[0] | undefined)[], name: string): boolean {
  return listings.some((listing) => listing !== undefined && usedVariables(listing)?.has(name) === true)
}

function lintZone({ zone = '', format }: Window, allowed: readonly string[]): Flaw[] {
  const path = ['incremental', 'zone']
  const flaws: Flaw[] = []
  if (format !== 'dateTime' && format !== 'date') flaws.push({ path, message: 'needs `format: dateTime` or `date`' })
  for (const name of parseTemplate(zone).variables)
    if (!allowed.includes(name)) flaws.push({ path, message: `uses the unknown variable "${name}"` })
  return flaws
}

function lintParents(
  { path, each: outer, ...each }: NonNullable<Read['each']>,
  lint: (at: Flaw['path'], each: Child, variables: string[]) => Flaw[],
  at: Flaw['path'] = ['read', 'each'],
): Flaw[] {
  const flaws = outer === undefined ? [] : lintParents(outer, lint, [...at, 'each'])
  if (path !== undefined) return [...flaws, ...lint(at, { ...each, path }, outer === undefined ? [] : ['parent'])]
  if (outer !== undefined) return [...flaws, { path: at, message: 'needs "path" where it has "each"' }]
  return each.values === undefined ? [{ path: at, message: 'needs at least one of "path" and "values"' }] : []
}

/** Where records are requested one by one, if the object has no request for that. */
function getEachPaths({ read, incremental, get, fields = [] }: ReadObject): Flaw['path'][] {
  if (get !== undefined) return []
  return [
    ...(read.getEach === undefined || read.getEach === false ? [] : [['read', 'getEach']]),
    ...(incremental?.read?.getEach === true ? [['incremental', 'read', 'getEach']] : []),
    ...fields.flatMap((of, at) => (of.source === 'sample' && of.whole === true ? [['fields', at, 'whole']] : [])),
  ]
}

/** What only a request that lists every record can do: stand in for `read`. */
function lintReach({ read, incremental }: ReadObject): Flaw[] {
  const flaws: Flaw[] = []
  const { reach } = incremental ?? {}
  const needs = 'needs `incremental.reach: everything`: the request of `incremental.read` then replaces `read`'
  if (reach !== undefined && incremental?.read === undefined)
    flaws.push({ path: ['incremental', 'reach'], message: 'needs `incremental.read`' })
  if (reach === 'everything') return flaws
  if (read.urlBytesMax !== undefined) flaws.push({ path: ['read', 'urlBytesMax'], message: needs })
  const merged = incremental?.read && mergeTree(read, incremental.read)
  if (merged && usedVariables(merged)?.has('filters') === true && usedVariables(read)?.has('filters') === false)
    flaws.push({
      path: ['incremental', 'read'],
      message: `uses {{filters}}, but \`read\` does not: to filter the full history, it ${needs}`,
    })
  return flaws
}

function lintAssociations(read: ReadObject['read'], shared: readonly string[], named: readonly string[]): Flaw[] {
  const flaws: Flaw[] = []
  const { associations = {} } = read
  for (const [field, { ask, request }] of Object.entries(associations)) {
    const path = ['read', 'associations', field]
    if ((ask === undefined) === (request === undefined))
      flaws.push({ path, message: 'needs one of "ask" and "request"' })
    if (request === undefined) continue
    const { of: _, next: __, max: ___, ...listing } = request
    flaws.push(...lintListing([...path, 'request'], listing, [...shared, 'records', 'association'], named))
    if (usedVariables(listing)?.has('records') === false)
      flaws.push({ path: [...path, 'request'], message: 'must use the list "records"' })
  }
  const isAsked = Object.values(associations).some(({ ask }) => ask !== undefined)
  if (isAsked && usedVariables(read)?.has('associations') === false)
    flaws.push({ path: ['read', 'associations'], message: 'needs a request that uses {{associations}}' })
  return flaws
}
