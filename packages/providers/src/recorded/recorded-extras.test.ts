import { describe, expect, it } from 'vitest'
import type { ProviderEntry } from '../catalogue/entry.ts'
import {
  type ConnectionContext,
  eventNamesOf,
  fetchPostAuthentication,
  loadCatalogue,
  openSubscriber,
  type ProviderHttp,
  parseBody,
  parseEvents,
  planRegistrations,
  verifyingKeys,
  verifyRequest,
  type Webhooks,
  webhooksOf,
} from '../index.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { type CaseHere, caseHere, differencesOf } from './differences.testkit.ts'
import { foldersWithExtras, type RecordedCase, type Recordings, recordingsOf } from './recorded-cases.testkit.ts'

/** Recorded webhooks, subscriptions, and values that are read after authentication. */

interface RecordedExtra extends Omit<RecordedCase, 'input' | 'expect'> {
  input: {
    secret?: string
    now?: string
    toleranceSeconds?: number
    method?: string
    url?: string
    headers?: Record<string, string>
    body?: unknown
    bodyText?: string
    bodyFile?: string
    webhookUrl?: string
    events?: Record<string, { events?: ('create' | 'update' | 'delete')[]; passThroughEvents?: string[] }>
    previous?: { result: unknown }
  }
  expect: {
    valid?: boolean
    events?: RecordedEvent[]
    error?: { class: string }
    variables?: Record<string, string>
    workspaceRef?: string
  }
}

interface RecordedEvent {
  eventType: 'create' | 'update' | 'delete' | 'other'
  rawEvent: string
  object: string
  recordId?: string
  workspace?: string
  timestamp?: string
  updatedFields?: string[]
}

type RecordedExtras = Recordings<RecordedExtra>

const catalogue = await loadCatalogue({ cacheDir: testCache })

function entryOf(recordings: RecordedExtras): ProviderEntry {
  const entry = catalogue.find(recordings.provider)
  if (entry === undefined) throw new Error(`no provider ${recordings.provider}`)
  return entry
}

const moduleOf = (recordings: RecordedExtras, recorded: RecordedExtra) => recorded.module ?? recordings.context.module

function webhooksFor(recordings: RecordedExtras, recorded: RecordedExtra): Webhooks {
  const webhooks = webhooksOf(entryOf(recordings), moduleOf(recordings, recorded))
  if (webhooks === undefined) throw new Error(`${recordings.provider} has no webhooks`)
  return webhooks
}

function requestOf(recordings: RecordedExtras, { input }: RecordedExtra) {
  const { body, bodyText = body === undefined ? '' : JSON.stringify(body), bodyFile, headers = {} } = input
  return {
    method: input.method ?? 'POST',
    url: input.url ?? 'https://hooks.example.com/in',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: bodyFile === undefined ? Buffer.from(bodyText) : recordings.bytes(bodyFile),
  }
}

/** Whether any object has events of this name. */
function isEvent(webhooks: Webhooks, name: string): boolean {
  const objects = Object.keys(webhooks.objects ?? {})
  return objects.some((object) =>
    Object.values(eventNamesOf(webhooks, object) ?? {}).some((names) => names.includes(name)),
  )
}

/** A server of the provider as recorded, and what reaches it. */
async function serve(recordings: RecordedExtras, recorded: RecordedExtra) {
  const server = await startServer((request) => recordings.answer(recorded, request))
  const http: ProviderHttp = (request) =>
    plainHttp(fetch)({ ...request, url: request.url.replace(/^https:\/\/[^/]+/, server.origin) })
  const module = moduleOf(recordings, recorded)
  const context: ConnectionContext = {
    ...(module !== undefined && { module }),
    metadata: recorded.metadata ?? recordings.context.metadata ?? {},
    credential: { scheme: 'oauth2', accessToken: 'token-of-the-test' },
  }
  return { server, http, context }
}

const replays: Record<string, (recordings: RecordedExtras, one: CaseHere<RecordedExtra>) => Promise<void>> = {
  async webhookVerify(recordings, recorded) {
    const { secret = '', now, toleranceSeconds } = recorded.input
    const { verify } = structuredClone(webhooksFor(recordings, recorded))
    if (toleranceSeconds !== undefined && 'timestamp' in verify)
      Object.assign(verify.timestamp ?? {}, { toleranceSeconds })
    const at = now === undefined ? Date.now() : Date.parse(now)
    const keys = verifyingKeys(verify, secret)
    const verdict = await verifyRequest(verify, requestOf(recordings, recorded), keys, at)
    expect(verdict === 'genuine', verdict).toBe(recorded.expect.valid)
  },

  async webhookEvent(recordings, recorded) {
    const webhooks = webhooksFor(recordings, recorded)
    const request = requestOf(recordings, recorded)
    const found = parseEvents(webhooks, parseBody(request).value, request.headers)
    const { events = [], error } = recorded.expect
    if (error) {
      expect(found.filter(({ name, id }) => id !== undefined && isEvent(webhooks, name))).toEqual([])
      return
    }
    expect(found).toHaveLength(events.length)
    for (const [index, wanted] of events.entries()) {
      const { eventType, rawEvent, object, recordId, workspace, timestamp, updatedFields = [] } = wanted
      const event = found[index]
      const name = recorded.names[rawEvent] ?? rawEvent
      expect(event).toMatchObject({
        name,
        ...(recordId !== undefined && { id: recordId }),
        ...(timestamp !== undefined && { time: new Date(timestamp) }),
        ...(workspace !== undefined && { account: workspace }),
      })
      if (updatedFields.length > 0) expect(event?.fieldsUpdated?.toSorted()).toEqual(updatedFields.toSorted())
      const called = recorded.names[object] ?? object
      if (event?.object !== undefined) expect(event.object).toBe(called)
      if (eventType !== 'other') expect(eventNamesOf(webhooks, called)?.[eventType]).toContain(name)
    }
  },

  async subscribe(recordings, recorded) {
    const { server, http, context } = await serve(recordings, recorded)
    await using _ = server
    const webhooks = webhooksFor(recordings, recorded)
    const { events = {}, webhookUrl: url = '' } = recorded.input
    const wanted = Object.entries(events).map(([object, { events: kinds = [], passThroughEvents = [] }]) => ({
      object,
      events: [...kinds.flatMap((kind) => eventNamesOf(webhooks, object)?.[kind] ?? []), ...passThroughEvents],
    }))
    const subscriber = openSubscriber(entryOf(recordings), context, http)
    for (const plan of planRegistrations(webhooks, wanted)) {
      const registered = await subscriber.register({ ...plan, registration: 'our-id', url, secret: 'our-secret' })
      expect(registered.id).toBeTruthy()
    }
    expect(server.seen).toHaveLength(recorded.exchanges.length)
  },

  async unsubscribe(recordings, recorded) {
    const { server, http, context } = await serve(recordings, recorded)
    await using _ = server
    const [, id = ''] = /"webhookI[dD]":"([^"]+)"/.exec(JSON.stringify(recorded.input.previous?.result)) ?? []
    const subscriber = openSubscriber(entryOf(recordings), context, http)
    const plan = { key: '', events: [], registration: 'our-id', url: 'https://hooks.example.com/in', secret: 's' }
    await subscriber.unregister({ ...plan, id })
    expect(server.seen).toHaveLength(recorded.exchanges.length)
  },

  async postAuthentication(recordings, recorded) {
    const { server, http, context } = await serve(recordings, recorded)
    await using _ = server
    const { variables = {}, workspaceRef } = recorded.expect
    const values = await fetchPostAuthentication(entryOf(recordings), context, http)
    const found = Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]))
    if (workspaceRef === undefined) expect(found).toEqual(variables)
    else expect(Object.values(found)).toContain(workspaceRef)
  },
}

for (const folder of foldersWithExtras()) {
  const recordings = recordingsOf<RecordedExtra>(folder, 'extra.json')
  const differs = await differencesOf(folder)
  describe(`recorded webhooks and values of ${folder}`, () => {
    for (const recorded of recordings?.cases ?? []) {
      const here = caseHere(recorded, differs)
      const passes = here.fails ? it.fails : it
      passes(here.id, async () => {
        const replay = replays[here.op]
        if (recordings === undefined || replay === undefined) throw new Error(`nothing replays ${here.op}`)
        await replay(recordings, here)
      })
    }
  })
}
