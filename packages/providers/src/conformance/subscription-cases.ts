import type { ProviderEntry } from '../catalogue/entry.ts'
import type { Registration, Webhooks } from '../catalogue/format/webhooks.ts'
import type { ProviderHttp } from '../connector.ts'
import {
  openSubscriber,
  planRegistrations,
  type RegistrationPlan,
  type Subscriber,
} from '../interpreter/webhooks/open-subscriber.ts'
import { ProviderError } from '../provider-error.ts'
import type { DeclaredWebhooks } from './declared-webhooks.ts'
import type { Answer } from './stand-in/http-server.ts'
import { wantedEvents } from './stand-in/sent-event.ts'
import type { StandInServer } from './stand-in/server.ts'
import type { StandIn } from './stand-in/stand-in.ts'
import { type Subject, standInFor } from './stand-in/subject.ts'
import {
  idText,
  itsExpiry,
  itsSecret,
  ours,
  type Step,
  sampleParent,
  sampleUuid,
  subscribingSubject,
  subscriptionRoutes,
} from './stand-in/subscription.ts'
import { now } from './stand-in/window-texts.ts'
import { type Tried, tryCase } from './tried.ts'

type Test = (subscriber: Subscriber, standIn: StandIn) => Promise<string[]>

const html = { body: '<!doctype html><html><head><title>Sign in</title></head></html>' }

/** Registers, renews and removes webhooks at a stand-in that refuses what the file does not declare. */
export async function subscriptionCases(
  entry: ProviderEntry,
  { module, webhooks }: DeclaredWebhooks,
  server: StandInServer,
): Promise<Tried[]> {
  const { registration, account } = webhooks
  const tried: Tried[] = []
  const none = { key: '', events: [] }
  const run = async (name: string, step: Step, plan: RegistrationPlan, test: Test, answer?: Answer) => {
    const attempt = async () => {
      const subject = subscribingSubject(entry, module, webhooks)
      const standIn = standInFor(subject, () => subscriptionRoutes(webhooks, subject, plan, step))
      if (answer !== undefined) standIn.instead = () => answer
      const found = await test(subscriberAt(subject, server.httpTo(standIn)), standIn).catch((error: unknown) => [
        `fails: ${String(error)}`,
      ])
      return [...standIn.refused.map((why) => `refused: ${why}`), ...found]
    }
    tried.push(await tryCase('subscriptions', name, attempt))
  }
  if (registration === undefined) return tried
  if (account?.lookup !== undefined)
    await run('account', 'account', none, async (subscriber) => {
      const found = await subscriber.account()
      return found === 'its-account' ? [] : [`the account is ${found}`]
    })
  const plans = plansOf(webhooks, registration)
  for (const [at, plan] of plans.entries()) {
    const name = plan.object === undefined ? '' : `${plan.object} `
    const request = { ...ours, ...plan }
    const known = { ...request, id: idText(registration) }
    await run(`${name}create`, 'create', plan, async (subscriber, { arrived }) =>
      registeredFaults(webhooks, plan, await subscriber.register(request), arrived.length),
    )
    await run(`${name}renew`, 'renew', plan, async (subscriber, { arrived }) => {
      const renewed = await subscriber.renew(known)
      const isDeclared = registration.renew !== undefined
      if (!isDeclared) return renewed === undefined ? [] : ['the file declares no renewal']
      return [...countFaults(arrived.length), ...expiryFaults(webhooks, plan, renewed?.expires)]
    })
    await run(`${name}delete`, 'delete', plan, async (subscriber, { arrived }) => {
      await subscriber.unregister(known)
      return registration.delete === undefined ? [] : countFaults(arrived.length)
    })
    if (at > 0) continue
    const fails = (call: (subscriber: Subscriber) => Promise<unknown>) => (subscriber: Subscriber) =>
      mustFail(call(subscriber))
    const register = fails((subscriber) => subscriber.register(request))
    await run('no id', 'create', plan, register, { body: {} })
    await run('html', 'create', plan, register, html)
    await run('refused', 'create', plan, register, { status: 403, body: {} })
    if (registration.renew !== undefined)
      await run(
        'renewal of a lost one',
        'renew',
        plan,
        fails((one) => one.renew(known)),
        { status: 404, body: {} },
      )
    if (registration.delete === undefined) continue
    const remove = async (one: Subscriber) => {
      await one.unregister(known)
      return []
    }
    await run('delete a lost one', 'delete', plan, remove, { status: 404, body: {} })
    await run(
      'delete refused',
      'delete',
      plan,
      fails((one) => one.unregister(known)),
      { status: 403, body: {} },
    )
  }
  return tried
}

function subscriberAt({ entry, connection }: Subject, http: ProviderHttp): Subscriber {
  const random = /\b\d{18}\b|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
  // The stand-in cannot know the id of a request.
  const known: ProviderHttp = ({ url, body, ...request }) =>
    http({
      ...request,
      url: url.replaceAll(random, sampleUuid),
      body: body?.replaceAll(random, sampleUuid),
    } as Parameters<ProviderHttp>[0])
  return openSubscriber(entry, connection, known, { now: () => now, ...(connection.app && { app: connection.app }) })
}

/** One plan for each object, with all its events; where each event has one, with its first. */
function plansOf(webhooks: Webhooks, registration: Registration): RegistrationPlan[] {
  const byObject = Map.groupBy(wantedEvents(webhooks), ({ object }) => object)
  const wanted = [...byObject].map(([object, events]) => {
    const names = events.map(({ name }) => name)
    return { object, events: registration.per === 'event' ? names.slice(0, 1) : names }
  })
  const parent = sampleParent(registration)
  return planRegistrations(webhooks, wanted).map((plan) => {
    const isOnce = plan.object !== undefined && webhooks.objects?.[plan.object]?.once === true
    return parent === undefined || isOnce ? plan : { ...plan, key: `${plan.key}\n${JSON.stringify(parent)}` }
  })
}

function registeredFaults(
  webhooks: Webhooks,
  plan: RegistrationPlan,
  { id, secret: given, expires }: Awaited<ReturnType<Subscriber['register']>>,
  count: number,
): string[] {
  const { registration } = webhooks
  if (registration === undefined) return []
  const wanted = registration.secret === undefined ? undefined : itsSecret
  return [
    ...countFaults(count),
    ...(id === idText(registration) ? [] : [`the id is ${id}`]),
    ...(given === wanted ? [] : [`the secret is ${given}`]),
    ...expiryFaults(webhooks, plan, expires),
  ]
}

const countFaults = (count: number) => (count === 1 ? [] : [`${count} requests arrived`])

function expiryFaults(
  { registration, objects }: Webhooks,
  { object }: RegistrationPlan,
  found: Date | undefined,
): string[] {
  const lifetime =
    (object === undefined ? undefined : objects?.[object]?.lifetimeSeconds) ?? registration?.lifetimeSeconds
  const byLifetime = lifetime === undefined ? undefined : new Date(now + lifetime * 1_000)
  const wanted = registration?.expires === undefined ? byLifetime : itsExpiry
  return found?.getTime() === wanted?.getTime() ? [] : [`it ends ${found?.toISOString()}, not ${wanted?.toISOString()}`]
}

async function mustFail(call: Promise<unknown>): Promise<string[]> {
  try {
    await call
    return ['it succeeds']
  } catch (error) {
    return error instanceof ProviderError ? [] : [`fails: ${String(error)}`]
  }
}
