import { MortiseProblem, type ProblemDocument } from '@mortise/client'
import { describe, expect, test } from 'vitest'
import { forms } from '../../stories/forms.ts'
import { connection, info } from '../../stories/scenarios.ts'
import type { ConnectApi } from './api.ts'
import { type ConnectOptions, ConnectStore } from './connect-store.ts'
import type { OpenedWindow, Windows } from './windows.ts'
import type { ConnectBody, ConnectInfo, ConnectOutcome } from './wire.ts'

/** A service and a browser that do what a test says. */
function kit(options: Partial<ConnectOptions> & { first?: Partial<ConnectInfo> } = {}) {
  const sent: ConnectBody[] = []
  const state = {
    info: info(options.first),
    outcome: { outcome: 'connected', connection: connection('new', 'sampleCrm') } as ConnectOutcome | Error,
    blocked: false,
    left: undefined as string | undefined,
    now: 0,
  }
  const opened = {
    url: undefined as string | undefined,
    closed: false,
    listener: undefined as ((data: unknown) => void) | undefined,
    origin: undefined as string | undefined,
  }
  const opening: OpenedWindow = {
    navigate: (url) => {
      opened.url = url
    },
    isClosed: () => opened.closed,
    close: () => {
      opened.closed = true
    },
    onMessage: (origin, listener) => {
      Object.assign(opened, { origin, listener })
      return () => {
        opened.listener = undefined
      }
    },
  }
  let woken: (() => void)[] = []
  const windows: Windows = {
    open: () => (state.blocked ? undefined : opening),
    leave: (url) => {
      state.left = url
    },
    address: () => 'https://app.example/integrations',
    wait: (_, signal) =>
      new Promise((resolve) => {
        woken.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      }),
  }
  const api = {
    getInfo: async () => structuredClone(state.info),
    getForm: async (provider: string) => structuredClone(forms[provider]!),
    connect: async (_: string, body: ConnectBody) => {
      sent.push(body)
      if (state.outcome instanceof Error) throw state.outcome
      return state.outcome
    },
  } as Partial<ConnectApi> as ConnectApi
  const connected: string[] = []
  const store = new ConnectStore({
    api,
    windows,
    server: 'https://mortise.example',
    onConnected: ({ id }) => connected.push(id),
    ...options,
  })
  /** Lets a wait of the store end. */
  const tick = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    const waiting = woken
    woken = []
    for (const wake of waiting) wake()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { store, state, sent, opened, connected, tick, access: () => store.getState().access! }
}

const refusal = (status: number, code: string, more: object = {}) =>
  new MortiseProblem(
    {
      title: code,
      status,
      detail: 'Invalid API key',
      context: { code },
      ...more,
    } as Partial<ProblemDocument> as ProblemDocument,
    status,
    'req-1',
  )

describe('a form', () => {
  test('providers are found without accents and case, those that begin with the text first', async () => {
    const { store } = kit({
      first: {
        providers: ['Über CRM', 'CRM of Übersee', 'Other'].map((displayName) => ({
          name: displayName,
          displayName,
          methods: [],
        })),
      },
    })
    await store.start()
    store.setSearch('uber')
    expect(store.getState().providers.map(({ displayName }) => displayName)).toEqual(['Über CRM', 'CRM of Übersee'])
  })

  test('a single provider is not asked for', async () => {
    const { store } = kit({ provider: 'sampleCrm' })
    await store.start()
    expect(store.getState()).toMatchObject({
      step: 'access',
      canGoBack: false,
      access: { form: { name: 'sampleCrm' } },
    })
  })

  test('all gaps are shown together, and nothing is sent', async () => {
    const { store, sent, access } = kit({ provider: 'zendeskSupport' })
    await store.start()
    await store.submit()
    expect(sent).toEqual([])
    expect(access().issues.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'providerMetadata.workspace required',
      'basicAuth.username required',
      'basicAuth.password required',
    ])
    expect(access().attempts).toBe(1)
  })

  test('a pasted address loses what the field shows around it', async () => {
    const { store, access } = kit({ provider: 'zendeskSupport' })
    await store.start()
    store.setValue('providerMetadata.workspace', ' https://acme.zendesk.com/agent/dashboard')
    store.tidyValue('providerMetadata.workspace')
    expect(access().values['providerMetadata.workspace']).toBe('acme')
  })

  test('a refused key keeps what was typed, says why, and works the second time', async () => {
    const { store, state, sent, connected, access } = kit({ provider: 'sampleCrm' })
    await store.start()
    store.setValue('apiKey', 'old')
    state.outcome = refusal(422, 'credential-refused')
    await store.submit()
    expect(access()).toMatchObject({
      phase: 'editing',
      values: { apiKey: 'old' },
      result: { kind: 'trouble', trouble: { kind: 'refused', detail: 'Invalid API key' } },
    })
    state.outcome = { outcome: 'connected', connection: connection('new', 'sampleCrm') }
    store.setValue('apiKey', 'good')
    await store.submit()
    expect(sent.map(({ scheme, values }) => ({ scheme, values }))).toEqual([
      { scheme: 'key', values: { apiKey: 'old' } },
      { scheme: 'key', values: { apiKey: 'good' } },
    ])
    expect([store.getState().step, connected]).toEqual(['done', ['new']])
  })

  test('what the service refuses of a value is shown at its field', async () => {
    const { store, state, access } = kit({ provider: 'sampleCrm' })
    await store.start()
    store.setValue('apiKey', 'x')
    state.outcome = refusal(400, 'invalid-input', {
      issues: [{ in: 'body', name: 'values.apiKey', detail: 'Too short.' }],
    })
    await store.submit()
    expect(access().issues).toEqual([{ field: 'apiKey', code: 'refused', detail: 'Too short.' }])
  })

  test('what was typed stays when the method changes', async () => {
    const { store, access } = kit({ provider: 'several' })
    await store.start()
    store.chooseMethod('basic')
    store.setValue('basicAuth.username', 'ada')
    store.chooseMethod('key')
    store.chooseMethod('basic')
    expect(access().values['basicAuth.username']).toBe('ada')
  })
})

describe('a window', () => {
  const started = async (options: Parameters<typeof kit>[0] = {}) => {
    const one = kit({ provider: 'hubspot', ...options })
    await one.store.start()
    one.state.outcome = { outcome: 'redirect', url: 'https://mortise.example/go' }
    return one
  }

  test('it is opened before anything is awaited, and its message ends the step', async () => {
    const { store, state, opened, connected, tick } = await started()
    const submitted = store.submit()
    expect(store.getState().access?.phase).toBe('window')
    await tick()
    expect([opened.url, opened.origin]).toEqual(['https://mortise.example/go', 'https://mortise.example'])
    state.info.connections.push(connection('con-9', 'hubspot'))
    opened.listener?.({ eventType: 'AUTHORIZATION_SUCCEEDED', data: { connection: 'con-9' } })
    await submitted
    expect([connected, opened.closed]).toEqual([['con-9'], true])
  })

  test('other messages are ignored; a denial is shown in its words', async () => {
    const { store, opened, tick, access } = await started()
    const submitted = store.submit()
    await tick()
    for (const data of [null, 'x', {}, { eventType: 'OTHER' }]) opened.listener?.(data)
    opened.listener?.({ eventType: 'AUTHORIZATION_FAILED', message: 'You declined.' })
    await submitted
    expect(access()).toMatchObject({ phase: 'editing', result: { kind: 'denied', detail: 'You declined.' } })
  })

  test('a closed window is noticed, and a connection that arrives later still counts', async () => {
    const { store, state, opened, connected, tick, access } = await started()
    const submitted = store.submit()
    await tick()
    opened.closed = true
    await tick()
    expect(access().result).toEqual({ kind: 'closed' })
    state.info.connections.push(connection('con-9', 'hubspot'))
    await tick()
    await submitted
    expect(connected).toEqual(['con-9'])
  })

  test('an account that was there before the window is not taken for the result', async () => {
    const before = connection('con-1', 'hubspot')
    const { store, state, opened, connected, tick, access } = await started({ first: { connections: [before] } })
    const submitted = store.submit()
    await tick()
    opened.closed = true
    await tick()
    expect([connected, access().result]).toEqual([[], { kind: 'closed' }])
    // The same account again: it keeps its id.
    state.info.connections = [{ ...before, updateTime: new Date().toISOString() }]
    await tick()
    await submitted
    expect(connected).toEqual(['con-1'])
  })

  test('a denial without a message is known from the session', async () => {
    const { store, state, opened, tick, access } = await started()
    const submitted = store.submit()
    await tick()
    state.info.session = { id: 's', purpose: 'manage', expireTime: '', failure: 'Access to HubSpot was not granted.' }
    opened.closed = true
    await tick()
    await submitted
    expect(access().result).toEqual({ kind: 'denied', detail: 'Access to HubSpot was not granted.' })
  })

  test('a blocked window can be replaced by a redirect to this page', async () => {
    const { store, state, sent, access } = await started()
    state.blocked = true
    await store.submit()
    expect([access().result, sent.length]).toEqual([{ kind: 'blocked' }, 0])
    await store.submit('redirect')
    expect(sent[0]).toMatchObject({ mode: 'redirect', returnUrl: 'https://app.example/integrations' })
    expect(state.left).toBe('https://mortise.example/go')
  })

  test('an address that is not a page is never opened', async () => {
    const { store, state, opened, access } = await started()
    state.outcome = { outcome: 'redirect', url: 'javascript:alert(1)' }
    await store.submit()
    expect([opened.url, access().result?.kind]).toEqual([undefined, 'trouble'])
  })

  test('a redirect that returned with a connection is done, with an error it can be tried again', async () => {
    const done = kit({ returned: { connectionId: 'c' }, first: { connections: [connection('c', 'hubspot')] } })
    await done.store.start()
    expect(done.connected).toEqual(['c'])
    const failed = kit({ returned: { provider: 'hubspot', error: 'access_denied' } })
    await failed.store.start()
    expect(failed.access()).toMatchObject({
      provider: { name: 'hubspot' },
      result: { kind: 'denied', detail: 'access_denied' },
    })
  })
})

describe('permissions that an account did not grant', () => {
  const use = { objectName: 'contacts', displayName: 'People', action: 'read' as const }
  const partial = (isRequired: boolean) =>
    connection('con-9', 'hubspot', {
      missingPermissions: [{ scope: 'crm.objects.contacts.read', neededFor: [{ ...use, isRequired }] }],
    })

  test('are named before the end, and asked for again in the same connection', async () => {
    const { store, state, sent, opened, connected, tick } = kit({ provider: 'hubspot' })
    state.outcome = { outcome: 'redirect', url: 'https://mortise.example/go' }
    await store.start()
    const submitted = store.submit()
    await tick()
    state.info.connections.push(partial(false))
    opened.listener?.({ eventType: 'AUTHORIZATION_SUCCEEDED', data: { connection: 'con-9' } })
    await submitted
    expect(store.getState()).toMatchObject({ step: 'permissions', canContinue: true, connection: { id: 'con-9' } })
    expect(connected).toEqual([])
    opened.closed = false
    const again = store.submit()
    await tick()
    expect(sent.at(-1)).toMatchObject({ connectionId: 'con-9' })
    state.info.connections = [connection('con-9', 'hubspot')]
    opened.listener?.({ eventType: 'AUTHORIZATION_SUCCEEDED', data: { connection: 'con-9' } })
    await again
    expect([store.getState().step, connected]).toEqual(['done', ['con-9']])
  })

  test.each([
    [false, 'done'],
    [true, 'permissions'],
  ])('can be left out unless an object is always read (%s)', async (isRequired, step) => {
    const session = { id: 's', purpose: 'connect' as const, connectionId: 'con-9', expireTime: '' }
    const { store, connected } = kit({ first: { session, connections: [partial(isRequired)] } })
    await store.start()
    store.continueWithout()
    expect([store.getState().step, connected]).toEqual([step, isRequired ? [] : ['con-9']])
  })

  test('a refusal of the second request is shown, also after a redirect', async () => {
    const session = { id: 's', purpose: 'connect' as const, connectionId: 'con-9', expireTime: '' }
    const returned = { provider: 'hubspot', error: 'access_denied' }
    const { store, access } = kit({ first: { session, connections: [partial(false)] }, returned })
    await store.start()
    expect([store.getState().step, access().result]).toEqual([
      'permissions',
      { kind: 'denied', detail: 'access_denied' },
    ])
  })
})
