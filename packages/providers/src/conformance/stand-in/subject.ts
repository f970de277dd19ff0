import type { ProviderEntry } from '../../catalogue/entry.ts'
import type { ObjectSet, ProviderObject } from '../../catalogue/format/provider-file.ts'
import type { ConnectionContext, Connector } from '../../connector.ts'
import { openCookies } from '../../custom/session-cookies.ts'
import { type ConnectorOptions, createConnector } from '../../interpreter/create-connector.ts'
import { sampleAppValues, sampleValues } from '../sample-connection.ts'
import { type SampleCredential, sampleCredentials } from '../sample-credentials.ts'
import { declaredRequest } from './declared-request.ts'
import { filledText, type Values, variablesIn } from './fill.ts'
import { isJson, type Json, textFor } from './json-paths.ts'
import { namesNextPage } from './list-pages.ts'
import type { StandInServer } from './server.ts'
import { fixedRoute, type Route, routesOf, type StandIn } from './stand-in.ts'
import { clockOf } from './window-texts.ts'

/** An object of a provider file, and the connection that it is tested with. */
export interface Subject {
  entry: ProviderEntry
  name: string
  object: Json
  base: string
  /** Variables of the connection and of the object. */
  values: Values
  /** Headers of every request, by lowercase name. */
  headers: Record<string, string>
  connection: ConnectionContext
  sample: SampleCredential
}

/** Names for objects that the file knows by a pattern only. */
const customNames = [
  'Custom__c',
  'custom_1',
  'p1_custom',
  'CustomHistory',
  'CustomShare',
  'ab12'.repeat(6),
  '0123abcd-0123-0123-0123-0123456789ab',
  'appCustom/tblCustom',
  'docs/custom/tables/custom/rows',
  'sheets/1001',
  'orders?id=order_id&changed=updated_at',
  'orders?id=order_id',
  'orders?changed=updated_at',
  'orders?full',
  'orders?id=order_id&full',
]

/** Objects of a provider. */
export interface Subjects {
  subjects: Subject[]
  /** Patterns of names that fit no name of the stand-in. */
  unnamed: string[]
}

/**
 * Returns every object of a provider.
 *
 * @param sample the credential of the connections; by default that of the preferred scheme
 */
export function subjectsOf(entry: ProviderEntry, sample = sampleCredentials(entry)[0]): Subjects {
  if (sample === undefined) return { subjects: [], unnamed: [] }
  const unnamed: string[] = []
  const subjects = [...(entry.file?.sets ?? [])].flatMap(([module, set]) => {
    const others = set.others.flatMap(({ match, object }) => {
      const names = [...customNames, textFor(match.source)]
      const name = names.find((one) => match.fits(one) && !set.objects.has(one))
      if (name === undefined) unnamed.push(match.source)
      return name === undefined ? [] : [{ name, object, ofName: match.groups(name) }]
    })
    const listed = [...set.objects].map(([name, object]) => ({ name, object, ofName: {} }))
    return [...listed, ...others].map((own) => subjectOf(entry, { module, set, ...own }, sample))
  })
  return { subjects, unnamed }
}

interface OwnObject {
  module: string
  set: ObjectSet
  name: string
  object: ProviderObject
  /** Variables that the name has. */
  ofName: Json
}

function subjectOf(
  entry: ProviderEntry,
  { module, set, name, object, ofName }: OwnObject,
  plain: SampleCredential,
): Subject {
  const own = { ...object.set, ...ofName, object: name }
  const names = variablesIn([object, entry.file?.headers, set.apiUrl, entry.healthCheck])
  const further = names.filter((one) => /^[A-Za-z]\w*$/.test(one) && !ofRequests.has(one) && !(one in own))
  const composed = new Set(Object.keys(expressionsIn(object)))
  const zone = filledNames(object.incremental?.zone)
  const sampled = Object.fromEntries(
    further
      .filter((one) => !composed.has(one))
      .map((one) => [one, zone.includes(one) ? 'Europe/Berlin' : `its-${one}`]),
  )
  const metadata: Record<string, string> = { ...sampled, ...sampleValues(entry) }
  for (const one of zone) metadata[one] = 'Europe/Berlin'
  const app = sampleAppValues(entry)
  const values = { ...metadata, ...own, ...(entry.appValues && { app }) }
  const base = filledText(set.apiUrl ?? entry.baseUrl, metadata) ?? ''
  const sample = withCookie(entry, base, plain)
  return {
    entry,
    name: module === '' ? name : `${module}/${name}`,
    object: object as Json,
    base,
    values,
    headers: filledHeaders(entry, values),
    connection: { metadata, app, credential: sample.credential, ...(module !== '' && { module }) },
    sample,
  }
}

/** The credential with a cookie of the base URL, where the file keeps those of a sign-in. */
function withCookie({ authentication }: ProviderEntry, base: string, sample: SampleCredential): SampleCredential {
  const keepsCookies = authentication.some((scheme) => scheme.scheme === 'custom' && scheme.token?.cookies === true)
  const { credential, placement } = sample
  if (!keepsCookies || credential.scheme !== 'custom') return sample
  const cookies = openCookies()
  cookies.keep(base, { 'set-cookie': 'session=cookie-of-the-stand-in; Path=/; Secure' })
  return {
    ...sample,
    credential: { ...credential, cookies: cookies.stored() },
    placement: { ...placement, headers: { ...placement.headers, Cookie: 'session=cookie-of-the-stand-in' } },
  }
}

const filledNames = (part: unknown) => variablesIn(part)

/** Variables that requests get from Mortise. */
const ofRequests = new Set(
  [
    'pageSize',
    'cursor',
    'page',
    'session',
    'offset',
    'afterKey',
    'fields',
    'since',
    'until',
    'filters',
    'links',
    'item',
  ].concat(
    ['record', 'parent', 'id', 'ids', 'records', 'association', 'associations', 'idempotencyKey', 'items', 'allOrNone'],
    ['key', 'value', 'definition', 'field', 'job', 'result'],
  ),
)

/** Expressions anywhere in an object, and names of lookups, by name. */
export function expressionsIn(part: unknown): Json {
  if (!isJson(part)) return {}
  const { expressions, lookups } = part as { expressions?: Json; lookups?: { name: string }[] }
  const found: Json = { ...expressions }
  for (const { name } of Array.isArray(lookups) ? lookups : []) found[name] = true
  for (const inner of Object.values(part)) Object.assign(found, expressionsIn(inner))
  return found
}

/** Returns the headers of every request that the file declares, by lowercase name. */
export function filledHeaders({ file }: ProviderEntry, values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(file?.headers ?? {}).flatMap(([name, text]) => {
      const value = filledText(text, values)
      return value === undefined ? [] : [[name.toLowerCase(), value]]
    }),
  )
}

/**
 * Returns the subject whose requests another file makes, at the same stand-in.
 *
 * @param entry the provider as the tested file declares it
 */
export function requestedBy(subject: Subject, entry: ProviderEntry): Subject {
  const app = { ...sampleAppValues(entry), ...subject.connection.app }
  return { ...subject, entry, connection: { ...subject.connection, app } }
}

/** Routes of a case. */
export function standInFor(subject: Subject, routes: () => readonly Route[]): StandIn {
  const helpers = helperRoutes(subject)
  const all = memoized(() => [...routes(), ...helpers])
  const rules = (subject.entry.file?.errors.rules ?? []) as Json[]
  const { placement } = subject.sample
  const withHeaders = memoized(() =>
    all().map((route) => ({
      ...route,
      request: { ...route.request, headers: { ...subject.headers, ...route.request.headers } },
    })),
  )
  return { routes: withHeaders, placement, rules, instead: undefined, refused: [], arrived: [] }
}

/** Makes a value on first use. */
export function memoized<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Requests next to those of the object: the check of the credential, and the definitions of custom fields. */
function helperRoutes({ entry, object, base, values }: Subject): Route[] {
  const routes: Route[] = []
  const { healthCheck } = entry
  if (healthCheck?.confirmsReads === true) {
    const { url, path, method = 'GET' } = healthCheck
    const address = filledText(url ?? path ?? '', values) ?? ''
    const slash = url?.indexOf('/', 'https://'.length) ?? 0
    const [from, to] = url === undefined ? [base, address] : [address.slice(0, slash), address.slice(slash)]
    routes.push(fixedRoute(declaredRequest({ method, path: to }, from, {}), {}))
  }
  const lists = [object['read'], object['write']].map((part) => isJson(part) && isJson(part['customFields']) && part)
  for (const part of lists) {
    const { definitions } = (part ? part['customFields'] : {}) as { definitions?: Json }
    if (definitions === undefined) continue
    const list = { listing: definitions, base, values, records: [] }
    routes.push(...routesOf({ ...list, shortPages: namesNextPage(definitions) }, false))
  }
  return routes
}

export function connectorTo(
  server: StandInServer,
  { entry, object, connection }: Subject,
  standIn: StandIn,
  options: ConnectorOptions = {},
): Connector {
  const pause = async () => undefined
  const now = clockOf((object['read'] ?? {}) as Json)
  return createConnector(entry, connection, server.httpTo(standIn), { now: () => now, pause, ...options })
}

/** Changes over a request, as `incremental.read` and others declare them: null removes a key. */
export function changed(base: unknown, changes: unknown): unknown {
  if (!isPlain(base) || !isPlain(changes)) return changes
  if ('$value' in base || '$value' in changes) return changes
  if ('kind' in changes && changes['kind'] !== base['kind']) return changes
  const made: Json = { ...base }
  for (const [key, change] of Object.entries(changes)) {
    if (change === null) delete made[key]
    else made[key] = changed(made[key], change)
  }
  return made
}

const isPlain = (value: unknown): value is Json => isJson(value) && !Array.isArray(value)
