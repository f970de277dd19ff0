import { randomUUID } from 'node:crypto'
import type { ProviderEntry } from '../../catalogue/entry.ts'
import type { Request } from '../../catalogue/format/request.ts'
import { keySource } from '../../catalogue/format/webhook-verification.ts'
import type { HookRequest, ScopeSelection, Webhooks } from '../../catalogue/format/webhooks.ts'
import type { ConnectionContext, ProviderHttp } from '../../connector.ts'
import { NoConnector, ProviderError } from '../../provider-error.ts'
import { resolveBaseUrl } from '../base-url.ts'
import type { ParsedResponse } from '../errors.ts'
import { compileListing, fetchAll } from '../listing.ts'
import { compileMatch } from '../match.ts'
import { compilePath, scalarText } from '../path.ts'
import { idVariable, joinedId } from '../record-id.ts'
import { type CompiledRequest, compileRequest, type Scope, scopeOf, textOf } from '../request.ts'
import { openSession, type Session } from '../session.ts'
import { eventsOf, sentEvent } from './event-names.ts'
import { headerOf } from './inbound-request.ts'
import { instantOf } from './parse-events.ts'
import { secretText } from './verify-request.ts'
import { webhooksBase, webhooksOf } from './webhooks-of.ts'

/** Events that are registered together. */
export interface RegistrationPlan {
  /** The same for as long as the same is meant. */
  key: string
  /** If each object has a separate registration. */
  object?: string
  /** Where each event has one. */
  event?: string
  events: string[]
}

export interface RegistrationRequest extends RegistrationPlan {
  /** Our id of it: the same whenever it is tried again. */
  registration: string
  /** Where its events come to. */
  url: string
  /** A secret of ours that its events may be signed with. */
  secret: string
  signal?: AbortSignal
}

export interface Registered {
  /** The provider's id of it. */
  id: string
  /** The provider's own secret, where it gives one. */
  secret?: string
  expires?: Date
}

/** Subscribes at one provider as one connection. @throws ProviderError */
export interface Subscriber {
  /** Requests what names the account in events; undefined where the file declares no request for it. */
  account(signal?: AbortSignal): Promise<string | undefined>
  /** Whether `spread` asks the provider for the locations of a plan. */
  isSpread(plan: RegistrationPlan): boolean
  /**
   * Returns the plans as they are, or one for each location that is registered separately, which the provider lists.
   */
  spread(plans: readonly RegistrationPlan[], signal?: AbortSignal): Promise<RegistrationPlan[]>
  register(request: RegistrationRequest): Promise<Registered>
  /** Answers undefined where the provider knows no renewal: another one takes its place. */
  renew(request: RegistrationRequest & { id: string }): Promise<{ expires?: Date } | undefined>
  /** A registration that no longer exists is not an error. */
  unregister(request: RegistrationRequest & { id: string }): Promise<void>
}

/** Which registrations the wanted events of objects take. */
export function planRegistrations(
  webhooks: Webhooks,
  wanted: readonly { object: string; events: readonly string[] }[],
): RegistrationPlan[] {
  const { registration } = webhooks
  if (registration === undefined) return []
  const some = wanted
    .filter(({ events }) => events.length > 0)
    .map(({ object, events }) => ({ object, events: events.map((event) => sentEvent(webhooks, object, event)) }))
  if (some.length === 0) return []
  const sorted = (names: readonly string[]) => [...new Set(names)].sort()
  if (registration.per === 'installation') return [{ key: '', events: sorted(some.flatMap(({ events }) => events)) }]
  if (registration.per === 'object')
    return some.map(({ object, events }) => ({ key: object, object, events: sorted(events) }))
  return some.flatMap(({ object, events }) =>
    sorted(events).map((event) => ({ key: `${object}\n${event}`, object, event, events: [event] })),
  )
}

/**
 * @param app values of the provider app, by name
 * @throws NoConnector when nothing is registered through the provider's API
 * @throws InvalidInputs when the connection's inputs make no usable base URL
 */
export function openSubscriber(
  entry: ProviderEntry,
  connection: ConnectionContext,
  http: ProviderHttp,
  { now = Date.now, app = {} }: { now?: () => number; app?: Readonly<Record<string, string>> } = {},
): Subscriber {
  const webhooks = webhooksOf(entry, connection.module)
  const registration = webhooks?.registration
  if (!webhooks || !registration) throw new NoConnector(entry.name, connection.module)
  const session = openSession(entry, connection, http, now)
  const base = resolveBaseUrl(webhooksBase(entry, connection.module), textOf(session.scope))
  const readId = compileId(registration.id)
  const readSecret = registration.secret === undefined ? undefined : compilePath(registration.secret)

  function scopeFor({ signal: _, ...request }: RegistrationRequest & { id?: string }): Scope {
    const { object, events, key } = request
    const set = object === undefined ? {} : (eventsOf(webhooks as Webhooks, object)?.set ?? {})
    const parent = isSpread(webhooks as Webhooks, object) ? { parent: scopeIn(key) } : {}
    const expires = defaultExpiry(webhooks as Webhooks, object, now())
    const own = {
      secret: secretText((webhooks as Webhooks).verify, request.secret),
      objects: objectsOf(webhooks as Webhooks, events),
      uuid: randomUUID(),
      app,
      ...(expires && { expireTime: expires.toISOString(), expireTimeMs: expires.getTime() }),
      ...('id' in request && { id: idVariable(registration?.id, request.id) }),
    }
    return scopeOf({ ...set, ...request, ...parent, ...own }, session.scope)
  }

  function send(hook: HookRequest, scope: Scope, signal?: AbortSignal, method = 'POST'): Promise<ParsedResponse> {
    return session.send(compileHook(hook, method), base, scope, signal)
  }

  /** Activates a new webhook, and finds its secret. Removes the webhook where that fails: nobody knows its id. */
  async function confirm(made: ParsedResponse, request: RegistrationRequest, id: string): Promise<string | undefined> {
    const hook = registration?.confirm
    try {
      const { json } = hook === undefined ? made : await send(hook, scopeFor({ ...request, id }), request.signal)
      return checkSecret(webhooks as Webhooks, scalarText(readSecret?.(json)))
    } catch (error) {
      await remove({ ...request, id }).catch(() => undefined)
      throw error
    }
  }

  async function remove(request: RegistrationRequest & { id: string }): Promise<void> {
    for (const [hook, method] of [
      [registration?.disable, 'POST'],
      [registration?.delete, 'DELETE'],
    ] as const) {
      if (hook === undefined) continue
      await send(hook, scopeFor(request), request.signal, method).catch((error: unknown) => {
        if (!(error instanceof ProviderError) || error.class !== 'not_found') throw error
      })
    }
  }

  return {
    account: (signal) => accountOf(webhooks, session, base, signal),
    isSpread: ({ object }) => isSpread(webhooks, object),
    async spread(plans, signal) {
      const { each } = registration
      if (each === undefined || !plans.some(({ object }) => isSpread(webhooks, object))) return [...plans]
      const listed = await fetchAll(session, base, compileListing(each, textOf(session.scope)), session.scope, signal)
      const scopes = selectedScopes(each, listed)
      return plans.flatMap((plan) =>
        isSpread(webhooks, plan.object) ? scopes.map((scope) => ({ ...plan, key: `${plan.key}\n${scope}` })) : [plan],
      )
    },
    async register(request) {
      const found: Record<string, unknown> = {}
      // What an earlier lookup found counts for a later one.
      const scope = scopeOf(found, scopeFor(request))
      for (const { name, value, unless, ...lookup } of registration.lookups ?? []) {
        if (unless !== undefined && scope(unless) !== undefined) continue
        const { json } = await session.send(compileRequest(lookup as Request), base, scope, request.signal)
        found[name] = compilePath(value)(json)
      }
      const answer = await send(registration.create, scope, request.signal)
      const id = scalarText(readId(answer))
      if (id === undefined || id === '')
        throw new ProviderError('unexpected_response', 'The provider’s answer names no id of the registration.')
      const secret = await confirm(answer, request, id)
      const expires = expiryOf(webhooks, request.object, answer.json, now())
      return { id, ...(secret !== undefined && { secret }), ...(expires && { expires }) }
    },
    async renew(request) {
      if (registration.renew === undefined) return undefined
      const answer = await send(registration.renew, scopeFor(request), request.signal)
      const expires = expiryOf(webhooks, request.object, answer.json, now())
      return expires ? { expires } : {}
    },
    unregister: remove,
  }
}

/** @throws ProviderError where the response lacks the secret: with one of ours in its place, every event is refused */
function checkSecret({ verify }: Webhooks, secret: string | undefined): string | undefined {
  if (secret || keySource(verify).from !== 'answer') return secret
  throw new ProviderError(
    'bad_request',
    'The provider’s response has no secret for the signatures of the webhook. An administrator may have to create it first.',
  )
}

async function accountOf(
  webhooks: Webhooks,
  session: Session,
  base: URL,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (webhooks.account?.lookup === undefined) return undefined
  const { value, ...lookup } = webhooks.account.lookup
  const { json } = await session.send(compileRequest(lookup as Request), base, session.scope, signal)
  return scalarText(compilePath(value)(json))
}

/** A path in the response, `header:` and the name of a header, or several paths. */
function compileId(location: string | string[]): (answer: ParsedResponse) => unknown {
  if (typeof location !== 'string') {
    const reads = location.map(compilePath)
    return ({ json }) => joinedId(reads.map((read) => read(json)))
  }
  if (location.startsWith('header:')) return (answer) => headerOf(answer, location.slice('header:'.length))
  const read = compilePath(location)
  return ({ json }) => read(json)
}

/**
 * What is kept of each item, as text; the same for as long as the same is meant. Items that lack some of it are none.
 */
function selectedScopes({ only, keep }: ScopeSelection, listed: readonly unknown[]): string[] {
  const fits = compileMatch(only)
  const reads = Object.entries(keep).map(([name, path]) => [name, compilePath(path)] as const)
  const scopes = listed.filter(fits).flatMap((item) => {
    const kept = reads.map(([name, read]) => [name, scalarText(read(item))] as const)
    return kept.some(([, value]) => value === undefined) ? [] : [JSON.stringify(Object.fromEntries(kept))]
  })
  return [...new Set(scopes)]
}

/** Whether every item of a list of the provider is registered, for this object. */
function isSpread(webhooks: Webhooks, object: string | undefined): boolean {
  const isOnce = object !== undefined && eventsOf(webhooks, object)?.once === true
  return webhooks.registration?.each !== undefined && !isOnce
}

/**
 * The place that a plan was spread to: its key ends in it, and JSON holds no line break. A registration that was made
 * before its file had `each` has none.
 */
function scopeIn(key: string): unknown {
  try {
    return JSON.parse(key.slice(key.lastIndexOf('\n') + 1)) as unknown
  } catch {
    return undefined
  }
}

/** The variables of the objects that any of these events is of. */
function objectsOf({ objects = {} }: Webhooks, events: readonly string[]): Record<string, string>[] {
  const wanted = new Set(events)
  return Object.values(objects)
    .filter(({ create = [], update = [], delete: gone = [], association = [], changed = [] }) =>
      [...create, ...update, ...gone, ...association, ...changed].some((name) => wanted.has(name)),
    )
    .map(({ set = {} }) => set)
}

/** When a registration expires that is made now, as far as the file says. */
function defaultExpiry(webhooks: Webhooks, object: string | undefined, now: number): Date | undefined {
  const own = object === undefined ? undefined : eventsOf(webhooks, object)?.lifetimeSeconds
  const lifetime = own ?? webhooks.registration?.lifetimeSeconds
  return lifetime === undefined ? undefined : new Date(now + lifetime * 1_000)
}

function expiryOf(webhooks: Webhooks, object: string | undefined, answer: unknown, now: number): Date | undefined {
  const path = webhooks.registration?.expires
  const expiry = path === undefined ? undefined : instantOf(compilePath(path)(answer))
  return expiry ?? defaultExpiry(webhooks, object, now)
}

const hooks = new WeakMap<HookRequest, CompiledRequest>()

/** @param method where the file names none */
function compileHook(hook: HookRequest, method: string): CompiledRequest {
  const known = hooks.get(hook)
  if (known !== undefined) return known
  const made = compileRequest({ ...hook, method: (hook.method ?? method) as 'POST' })
  hooks.set(hook, made)
  return made
}
