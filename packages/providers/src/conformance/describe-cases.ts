import type { ObjectMetadata } from '../connector.ts'
import { factsOf, getRoute } from './read-case.ts'
import { canonical, declaredRequest } from './stand-in/declared-request.ts'
import { filledBody, filledText, variablesIn } from './stand-in/fill.ts'
import { fitted, isJson, type Json, valueAt, withValue } from './stand-in/json-paths.ts'
import { namesNextPage } from './stand-in/list-pages.ts'
import type { StandInServer } from './stand-in/server.ts'
import { sourceOf } from './stand-in/sources.ts'
import { anyTime, fixedRoute, type Route, routesOf } from './stand-in/stand-in.ts'
import { connectorTo, type Subject, standInFor } from './stand-in/subject.ts'
import { type Tried, tryCase } from './tried.ts'

/** A list that a source of fields requests, and the items that it has. */
interface FieldList {
  listing: Json
  values: Json
  items: unknown[]
}

/** Describes an object: each field of the file is there, and those that each of its other sources has. */
export async function describeCases(subject: Subject, server: StandInServer): Promise<Tried[]> {
  return [await tryCase('describe', 'fields', () => describeFaults(subject, server))]
}

async function describeFaults(subject: Subject, server: StandInServer): Promise<string[]> {
  const { object, base } = subject
  const sources = (object['fields'] ?? (object['read'] === undefined ? [] : [{ source: 'sample' }])) as Json[]
  const lists = sources.flatMap((source, at) => listsOf(subject, source, at))
  const required = sources.filter(({ source }) => source === 'required')
  const routes = [
    ...routesOfLists(lists, base),
    ...required.map((one) =>
      fixedRoute(declaredRequest(one, base, subject.values), withValue({}, String(one['names']), [])),
    ),
    ...sources.flatMap((source) => (source['source'] === 'sample' ? sampleRoutes(subject, source) : [])),
  ]
  const standIn = standInFor(subject, () => routes)
  const found = await connectorTo(server, subject, standIn)
    .describeObject(String(subject.values['object']))
    .then((described) => missing(subject, described, sources))
    .catch((error: unknown) => [`fails: ${String(error)}`])
  return [...standIn.refused.map((why) => `refused: ${why}`), ...found]
}

/** Fields of the sources that the description lacks. */
function missing(subject: Subject, { fields }: ObjectMetadata, sources: readonly Json[]): string[] {
  const wanted = sources.flatMap((source, at): string[] => {
    if (source['source'] === 'static') return Object.keys(source['fields'] as Json)
    const name = source['source'] === 'live' ? nameOf(source, listedField(subject, source, at)) : undefined
    return name === undefined ? [] : [name]
  })
  const unlisted = sources.flatMap((source, at): string[] => {
    const item = selectField(subject, source, at)
    const name = item === undefined ? undefined : nameOf(source, item)
    const field = name === undefined || !Object.hasOwn(fields, name) ? undefined : fields[name]
    return field?.valueType?.endsWith('Select') && field.values?.[0]?.value !== choice ? [`${name} has no choices`] : []
  })
  const lacks = wanted.filter((name) => !Object.hasOwn(fields, name)).map((name) => `lacks ${name}`)
  const isSampled = sources.some(({ source }) => source === 'sample')
  const sampled = isSampled && Object.keys(fields).length === 0 ? ['has no field of the sample'] : []
  return [...lacks, ...unlisted, ...sampled]
}

const choice = 'choice_1'

/** A listed field with choices, where the file says how it has them. */
function selectField(subject: Subject, source: Json, at: number): unknown {
  const { valueType = [], values } = source as { valueType?: Json[]; values?: Json }
  const rule = valueType.find(({ is }) => String(is).endsWith('Select'))
  if (source['source'] !== 'live' || values === undefined || rule === undefined) return undefined
  const [path = ''] = [values['path']].flat() as string[]
  const one = withValue(
    withValue({}, String(values['label'] ?? 'label'), 'One'),
    String(values['value'] ?? 'value'),
    choice,
  )
  const item = fitted(listedField(subject, source, at, 'select'), rule['when'] as Json | undefined)
  return isJson(item) ? withValue(item, path, [one]) : undefined
}

function listsOf(subject: Subject, source: Json, at: number): FieldList[] {
  const { values } = subject
  const { keyed, choices = [] } = source as { keyed?: boolean; choices?: Json[] }
  if (source['source'] === 'choices') return [{ listing: source, values, items: [] }]
  if (source['source'] !== 'live') return []
  const item = listedField(subject, source, at)
  const listing = keyed === true ? { ...source, keyedBy: '$key' } : source
  const further = choices.map((one) => ({ listing: one, values: { ...values, field: item }, items: [] }))
  const { unwrap = '' } = source
  const select = selectField(subject, source, at)
  const items = [item, ...(select === undefined || nameOf(source, select) === nameOf(source, item) ? [] : [select])]
  return [{ listing, values, items: items.map((one) => withValue({}, String(unwrap), one)) }, ...further]
}

/** A field as the provider lists it. */
function listedField({ values }: Subject, source: Json, at: number, kind = 'field'): unknown {
  const { name, only, choices, keyed } = source as Record<string, unknown>
  const path = String(name)
  if (path === '') return `${kind}_${at}`
  const [first] = [only].flat() as (Json | undefined)[]
  let item = fitted({}, first && (filledBody(first, values) as Json))
  const names = path.includes('{{') ? variablesIn(path) : [path]
  const used = variablesIn(choices).flatMap((one) => (one.startsWith('field.') ? [one.slice('field.'.length)] : []))
  for (const one of [...names, ...used, ...(keyed === true ? ['$key'] : [])])
    if (valueAt(item, one) === undefined) item = withValue(item, one, `${kind}_${at}`)
  return item
}

function nameOf({ name }: Json, item: unknown): string | undefined {
  const path = String(name)
  return path.includes('{{') ? filledText(path, isJson(item) ? item : {}) : String(valueAt(item, path))
}

/** The routes of all lists. Sources may read several parts of one response. */
function routesOfLists(lists: readonly FieldList[], base: string): Route[] {
  const routes = new Map<string, Route & { bodies: Route[] }>()
  for (const { listing, values, items } of lists) {
    const same = lists.filter(
      (other) =>
        canonical(declaredRequest(other.listing, base, other.values)) ===
          canonical(declaredRequest(listing, base, values)) && other.listing['records'] === listing['records'],
    )
    const records = same.flatMap((one) => one.items)
    const list = { listing, base, values, records: records.length > 0 ? records : items }
    for (const route of routesOf({ ...list, shortPages: namesNextPage(listing) }, false)) {
      const key = canonical([route.request, route.mark])
      const known = routes.get(key)
      if (known === undefined) routes.set(key, { ...route, bodies: [route] })
      else known.bodies.push(route)
    }
  }
  return [...routes.values()].map(({ bodies, ...route }) => ({
    ...route,
    answer(url) {
      const answers = bodies.map((one) => one.answer(url))
      return { ...answers[0], body: answers.map(({ body }) => body).reduce(merged) }
    },
  }))
}

function merged(one: unknown, two: unknown): unknown {
  if (!isJson(one) || !isJson(two) || Array.isArray(one) || Array.isArray(two)) return two
  const keys = [...new Set([...Object.keys(one), ...Object.keys(two)])]
  return Object.fromEntries(
    keys.map((key) => [key, key in one && key in two ? merged(one[key], two[key]) : key in one ? one[key] : two[key]]),
  )
}

/** The list of which the first record is the sample. It is requested without names of fields. */
function sampleRoutes(subject: Subject, { infer, whole }: Json): Route[] {
  const { object, base } = subject
  if (object['read'] === undefined) return []
  const read = object['read'] as Json
  const { history, stepDays } = (object['incremental'] ?? {}) as Json
  // A list that is only read in windows is requested with the newest one.
  const window = { since: anyTime, ...(stepDays !== undefined && { until: anyTime }) }
  const values = { ...subject.values, ...(history !== undefined && window) }
  const size = infer === true ? { pageSize: 1 } : {}
  const { routes, ids } = sourceOf(factsOf(subject, read), base, values, size)
  const isWhole = whole === true || read['getEach'] === true
  return isWhole ? [...routes, ...ids.slice(0, 1).map((id) => getRoute(subject, values, id))] : routes
}
