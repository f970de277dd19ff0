import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { Request } from './format/request.ts'
import type { Webhooks } from './format/webhooks.ts'
import { lintListing } from './lint-listing.ts'
import { lintRequest } from './lint-request.ts'
import { lintHandshakes, lintVerification } from './lint-verification.ts'

const ofRegistration = [
  ...['url', 'secret', 'events', 'objects', 'event', 'object', 'registration', 'uuid', 'id', 'expireTime'],
  ...['expireTimeMs', 'app'],
]

/**
 * What the schema cannot say of webhooks: variables that nobody fills, secrets that nobody has, events that nobody
 * gets.
 */
export function lintWebhooks(webhooks: Webhooks, connectionVariables: readonly string[]): Flaw[] {
  const { endpoint, account, registration, objects = {}, otherObjects, association } = webhooks
  const flaws: Flaw[] = []
  const add = (path: Flaw['path'], message: string) => flaws.push({ path: ['webhooks', ...path], message })
  if ((endpoint === 'app') !== (account !== undefined))
    add(['account'], 'is required with `endpoint: app`, and not allowed otherwise')
  if (endpoint === 'app' && /\{\{(?:url|secret)\b/.test(JSON.stringify(registration ?? '')))
    add(['registration'], 'has the URL or the secret of an installation; `endpoint: app` has neither')
  if (account !== undefined && (account.is === undefined) === (account.lookup === undefined))
    add(['account'], 'needs one of "is" and "lookup"')
  if (account?.lookup !== undefined) {
    if (registration === undefined) add(['account', 'lookup'], 'is requested to register, and needs a registration')
    const { value: _, ...lookup } = account.lookup
    flaws.push(...lintRequest(['webhooks', 'account', 'lookup'], lookup as Request, connectionVariables))
  }
  for (const name of account?.is === undefined ? [] : parseTemplate(account.is).variables)
    if (!connectionVariables.includes(name))
      add(['account', 'is'], `uses the variable "${name}", which is not declared`)
  flaws.push(...lintVerification(webhooks))
  if ((webhooks.event.name === undefined) === (webhooks.event.named === undefined))
    add(['event'], 'needs one of "name" and "named"')
  if (webhooks.event.keepRepeated && webhooks.event.key !== undefined)
    add(['event', 'keepRepeated'], 'is not allowed with "key", which identifies each event')
  flaws.push(...lintHandshakes(webhooks))

  const sets = [...Object.values(objects), ...(otherObjects ? [otherObjects] : [])].map(({ set = {} }) => set)
  const shared = sets.length === 0 ? [] : Object.keys(sets[0] ?? {}).filter((name) => sets.every((set) => name in set))
  const lookups = registration?.lookups ?? []
  const { each } = registration ?? {}
  if (each !== undefined) {
    const path = ['webhooks', 'registration', 'each']
    flaws.push(...lintListing(path, each, connectionVariables, []))
  }
  const allowed = [...connectionVariables, ...ofRegistration, ...shared, ...(each === undefined ? [] : ['parent'])]
  lookups.forEach(({ name: _, value: __, unless, ...lookup }, at) => {
    const known = lookups.slice(0, at).map(({ name }) => name)
    const path = ['webhooks', 'registration', 'lookups', at]
    if (unless !== undefined && ![...allowed, ...known, ...sets.flatMap(Object.keys)].includes(unless))
      add(['registration', 'lookups', at, 'unless'], `names the variable "${unless}", which is not declared`)
    flaws.push(...lintRequest(path, lookup as Request, [...allowed, ...known]))
  })
  const found = lookups.map(({ name }) => name)
  if (registration?.renewAfterSeconds !== undefined && registration.expires === undefined) {
    const { lifetimeSeconds = Number.POSITIVE_INFINITY, renewAfterSeconds } = registration
    if (renewAfterSeconds >= lifetimeSeconds)
      add(['registration', 'renewAfterSeconds'], 'must be shorter than "lifetimeSeconds"')
  }
  for (const part of ['create', 'confirm', 'renew', 'disable', 'delete'] as const) {
    const hook = registration?.[part]
    // What was looked up is known while registering, and not afterwards.
    const names = part === 'create' ? [...allowed, ...found] : allowed
    if (hook) flaws.push(...lintRequest(['webhooks', 'registration', part], hook as Request, names))
  }
  const idOf = new Map<string, string>()
  for (const [name, { id, lifetimeSeconds, once, create = [], update = [], delete: gone = [] }] of Object.entries(
    objects,
  )) {
    if (lifetimeSeconds !== undefined && registration?.per !== 'object')
      add(['objects', name, 'lifetimeSeconds'], 'needs a registration with `per: object`')
    if (once === true && (each === undefined || registration?.per === 'installation'))
      add(['objects', name, 'once'], 'needs a registration with `each`, and `per: object` or `per: event`')
    if (id === undefined && webhooks.event.id === undefined && [...create, ...update, ...gone].length > 0)
      add(['objects', name], 'has events of records, whose "id" is not declared')
    const idText = JSON.stringify(id)
    for (const event of [...create, ...update, ...gone]) {
      if ((idOf.get(event) ?? idText) !== idText)
        add(['objects', name], `has its id in another location of "${event}" than another object`)
      idOf.set(event, idText)
    }
  }
  if (Object.keys(objects).length === 0 && otherObjects === undefined) add(['objects'], 'names no object with events')
  for (const [name, events] of [...Object.entries(objects), ['', otherObjects] as const]) {
    const path = name === '' ? ['otherObjects'] : ['objects', name]
    for (const kind of ['create', 'update', 'delete', 'association', 'changed'] as const)
      for (const [at, text] of (events?.[kind] ?? []).entries())
        for (const variable of parseTemplate(text).variables)
          if (variable !== 'object') add([...path, kind, at], `uses the variable "${variable}", which is not declared`)
    for (const variable of events?.idAs === undefined ? [] : parseTemplate(events.idAs).variables)
      if (variable !== 'id') add([...path, 'idAs'], `uses the variable "${variable}"; only {{id}} is available`)
    if (events?.changed !== undefined && name === '')
      add([...path, 'changed'], 'is of listed objects: other objects cannot be read after a change')
    if (events?.association !== undefined && association === undefined)
      add([...path, 'association'], 'needs the key "association" of `webhooks`')
  }
  return flaws
}
