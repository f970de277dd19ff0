import type { ProviderEntry } from '../../catalogue/entry.ts'
import type { HookRequest, Registration, Webhooks } from '../../catalogue/format/webhooks.ts'
import type { RegistrationPlan } from '../../interpreter/webhooks/open-subscriber.ts'
import { sampleAppValues } from '../sample-connection.ts'
import { StandInLimit } from '../tried.ts'
import { declaredRequest } from './declared-request.ts'
import { filledText, type Values, variablesIn } from './fill.ts'
import { isJson, type Json, namesOf, withValue } from './json-paths.ts'
import { fixedRoute, type Route } from './stand-in.ts'
import { expressionsIn, filledHeaders, type Subject, subjectsOf } from './subject.ts'
import { now } from './window-texts.ts'

/** What Mortise chooses for a registration. */
export const ours = {
  registration: 'our-id',
  url: 'https://mortise.example.com/inbound?registration=our-id',
  secret: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
}

export const sampleUuid = 'sample-uuid'
export const itsSecret = 'its-secret'
/** When a registration ends, as its response says. */
export const itsExpiry = new Date(now + 86_400_000)

/** Variables that registrations get from Mortise. */
const ofHooks = new Set([
  ...['url', 'secret', 'events', 'objects', 'event', 'object', 'registration', 'uuid', 'id', 'item', 'parent', 'app'],
  ...['expireTime', 'expireTimeMs', 'key'],
])

export type Step = 'create' | 'confirm' | 'renew' | 'disable' | 'delete' | 'account'

/** Returns a connection that subscribes; its values fill what the requests of the webhooks contain. */
export function subscribingSubject(entry: ProviderEntry, module: string, webhooks: Webhooks): Subject {
  const { subjects } = subjectsOf(entry)
  const found = subjects.find(({ connection }) => module === '' || connection.module === module)
  if (found === undefined) throw new StandInLimit('the file has no objects')
  const { registration, account, objects = {}, otherObjects = {} } = webhooks
  const own = new Set([
    ...Object.values({ ...objects, otherObjects }).flatMap(({ set = {} }) => Object.keys(set)),
    ...Object.keys(expressionsIn([registration, account])),
  ])
  const apiUrl = entry.file?.sets.get(module)?.apiUrl
  const names = variablesIn([registration, account?.lookup, apiUrl, entry.file?.headers]).filter(
    (name) => /^[A-Za-z]\w*$/.test(name) && !ofHooks.has(name) && !own.has(name),
  )
  const sampled = Object.fromEntries(names.map((name) => [name, `its-${name}`]))
  const metadata = { ...sampled, ...found.connection.metadata }
  const app = { ...sampleAppValues(entry), ...appValuesIn(registration) }
  const isOwn = module !== '' && entry.file?.sets.get(module)?.webhooks !== undefined
  const values = { ...metadata, app }
  return {
    ...found,
    base: filledText((isOwn ? apiUrl : undefined) ?? entry.baseUrl, metadata) ?? '',
    values,
    headers: filledHeaders(entry, values),
    connection: { ...found.connection, metadata, app },
  }
}

/** A value for each setting of the provider app that registrations contain. */
function appValuesIn(registration: Registration | undefined): Record<string, string> {
  const names = variablesIn(registration).filter((name) => name.startsWith('app.'))
  return Object.fromEntries(names.map((name) => [name.slice('app.'.length), `sample-${name}`]))
}

/** What is kept of an item that is registered separately. */
export function sampleParent({ each }: Registration): Record<string, string> | undefined {
  return each && Object.fromEntries(Object.keys(each.keep).map((name) => [name, `its-${name}`]))
}

/** The id as the response names it, its text, and the variable of later requests. */
function idOf({ id }: Registration): { paths: string[]; values: string[]; text: string; variable: unknown } {
  const paths = [id].flat()
  const names = paths.map((path) => namesOf(path).at(-1) ?? path)
  const values = names.map((name) => (paths.length === 1 ? 'its-registration' : `its-${name}`))
  const variable = paths.length === 1 ? values[0] : Object.fromEntries(names.map((name, at) => [name, values[at]]))
  return { paths, values, text: values.join('/'), variable }
}

export const idText = (registration: Registration) => idOf(registration).text

/**
 * Returns the requests about a registration, as the file declares them.
 *
 * @param tested the step whose response a case replaces
 */
export function subscriptionRoutes(
  webhooks: Webhooks,
  subject: Subject,
  plan: RegistrationPlan,
  tested: Step,
): Route[] {
  const { registration, account } = webhooks
  const { base } = subject
  const routes: Route[] = []
  if (account?.lookup !== undefined) {
    const { value, ...lookup } = account.lookup
    const request = declaredRequest(lookup as Json, base, subject.values)
    routes.push(fixedRoute(request, withValue({}, value, 'its-account'), tested === 'account'))
  }
  if (registration === undefined) return routes
  let values = planValues(webhooks, registration, subject.values, plan)
  for (const { name, value, unless, ...lookup } of registration.lookups ?? []) {
    if (unless !== undefined && values[unless] !== undefined) continue
    routes.push(fixedRoute(declaredRequest(lookup as Json, base, values), withValue({}, value, `found-${name}`)))
    values = { ...values, [name]: `found-${name}` }
  }
  const { paths, values: ids, variable } = idOf(registration)
  let body: unknown = {}
  const headers: Record<string, string> = {}
  for (const [at, path] of paths.entries()) {
    if (path.startsWith('header:')) headers[path.slice('header:'.length)] = ids[at] ?? ''
    else body = withValue(body, path, ids[at])
  }
  const { secret, expires, create } = registration
  if (secret !== undefined) body = withValue(body, secret, itsSecret)
  if (expires !== undefined) body = withValue(body, expires, itsExpiry.toISOString())
  routes.push(fixedRoute(hookRequest(create, 'POST', base, values), body, tested === 'create', headers))
  const later = { ...planValues(webhooks, registration, subject.values, plan), id: variable }
  for (const step of ['confirm', 'renew', 'disable', 'delete'] as const) {
    const hook = registration[step]
    if (hook === undefined) continue
    const request = hookRequest(hook, step === 'delete' ? 'DELETE' : 'POST', base, later)
    routes.push(fixedRoute(request, body, tested === step))
  }
  // Some renew with the request that creates.
  return routes.toSorted((one, other) => Number(other.isTested) - Number(one.isTested))
}

function hookRequest(hook: HookRequest, method: string, base: string, values: Values) {
  return declaredRequest({ method, ...hook } as Json, base, values)
}

/** Variables of the requests about a plan. */
function planValues(webhooks: Webhooks, registration: Registration, own: Values, plan: RegistrationPlan): Values {
  const { objects = {}, otherObjects, verify } = webhooks
  const declared = plan.object === undefined ? undefined : (objects[plan.object] ?? otherObjects)
  const wanted = (events: object) => Object.values(events).some((names) => hasAny(names, plan.events))
  const lifetime = declared?.lifetimeSeconds ?? registration.lifetimeSeconds
  const expiry = lifetime === undefined ? undefined : now + lifetime * 1_000
  const isGenerated = !('key' in verify) && verify.secret.from === 'generated'
  const parent = declared?.once === true ? undefined : sampleParent(registration)
  return {
    ...own,
    ...declared?.set,
    ...plan,
    ...ours,
    secret: isGenerated ? ours.secret.slice(0, verify.secret.characters) : ours.secret,
    uuid: sampleUuid,
    objects: Object.values(objects)
      .filter(({ create, update, delete: gone, association, changed }) =>
        wanted({ create, update, gone, association, changed }),
      )
      .map(({ set = {} }) => set),
    ...(parent && { parent }),
    ...(expiry !== undefined && { expireTime: new Date(expiry).toISOString(), expireTimeMs: expiry }),
  }
}

function hasAny(names: unknown, wanted: readonly string[]): boolean {
  return isJson(names) && Object.values(names).some((name) => wanted.includes(String(name)))
}
