import { isDeepStrictEqual } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../kernel/net/index.ts'
import {
  testMessages as defaultMessages,
  kindsToTest,
  namesAt,
  openForTest,
  outcomeOf,
  type TestTarget,
} from './conformance.testkit.ts'
import { startCanary } from './http-target.testkit.ts'
import { destinationKinds } from './index.ts'
import type { SendResult } from './kind.ts'
import { withStoredValues } from './masks.ts'
import { secretNames, withoutSecrets } from './secret-settings.ts'
import { strayEnvironment } from './stray-environment.testkit.ts'

const publicOnly = { guard: createAddressGuard({ allow: parseAllowedNetworks('') }) }
const outcomesOf = (results: readonly SendResult[]) => results.map(({ outcome }) => outcome)

describe.each(await kindsToTest(destinationKinds))('$label', ({ kind, harness }) => {
  const testMessages = harness.messages ?? defaultMessages
  const targets: TestTarget[] = []
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    vi.unstubAllEnvs()
    for (const close of closing.splice(0)) await close()
    for (const target of targets.splice(0)) await target.stop()
  })

  async function start(behavior = 'accept') {
    const target = await harness.start()
    targets.push(target)
    target.behave(behavior)
    return target
  }
  const open = (settings: object, options?: Parameters<typeof openForTest>[2]) => {
    const { services } = targets.find((target) => target.settings === settings) ?? {}
    const opened = openForTest(kind, settings, { ...services, ...options })
    closing.push(opened.close)
    return opened
  }
  const shown = (settings: object) => withoutSecrets(kind, kind.maskSettings(settings))
  const read = (input: object, allow = 'loopback') =>
    kind.readSettings({ ...input }, 'metadata', { guard: createAddressGuard({ allow: parseAllowedNetworks(allow) }) })

  describe('settings', () => {
    it('are read whole, and without what the kind does not know', async () => {
      const target = await start()
      const isCollecting = 'maxWaitSecs' in kind.properties && !harness.excluded?.includes('maxWaitSecs')
      const settings = {
        ...target.settings,
        ...(kind.isOrdered && { ordered: true }),
        ...(isCollecting && { maxWaitSecs: 30, batchSize: 2 }),
      }
      expect(read({ ...settings, unknown: 'x' })).toEqual({ settings, issues: [] })
      const names = Object.keys({ ...kind.properties, ...kind.secretProperties })
      expect([...Object.keys(settings), ...(harness.excluded ?? [])].sort()).toEqual(names.sort())
    })

    it('that are wrong are all reported in one response', () => {
      const { input, names } = harness.wrong
      expect(read(input).issues.map(({ name }) => name)).toEqual(names.map((name) => `metadata.${name}`))
    })

    it.skipIf(harness.isInternal)('show no secret to people', async () => {
      const { settings, secret } = await start()
      expect(JSON.stringify(settings)).toContain(secret)
      expect(JSON.stringify(shown(settings))).not.toContain(secret)
      expect(kind.endpoint(settings)).not.toContain(secret)
      expect(kind.secretsOf(settings)).toContain(secret)
    })

    it('say who gets each secret, and change it with the server', async () => {
      const { settings } = await start()
      const masked = kind.maskSettings(settings)
      const hidden = Object.keys(settings).filter(
        (name) => !isDeepStrictEqual(Reflect.get(settings, name), Reflect.get(masked, name)),
      )
      expect(Object.keys(kind.receivers)).toEqual(expect.arrayContaining([...secretNames(kind), ...hidden]))
      if (harness.isInternal) return
      const [one, other] = ['one.example.com', 'other.example.com'].map(
        (host) => read(harness.settingsFor(host, 8443), '').settings,
      ) as [object, object]
      for (const [name, { settings: decided, of }] of Object.entries(kind.receivers)) {
        const isSame = isDeepStrictEqual(Reflect.get(one, name), Reflect.get(other, name))
        if (Reflect.get(one, name) === undefined || !isSame || decided.length === 0) continue
        expect([name, of(other)]).not.toEqual([name, of(one)])
        expect([name, of(one)]).toEqual([name, of({ ...one })])
      }
    })

    it('that come back masked are the stored ones, and stored nowhere are refused', async () => {
      const { settings } = await start()
      const masked = shown(settings)
      expect(withStoredValues({ ...masked }, settings, masked)).toEqual(withoutSecrets(kind, settings))
      if (!harness.hasOptionalSecrets) expect(read(masked).issues).not.toEqual([])
    })

    it.skipIf(harness.isInternal)('with a private address are refused, and a name at one too', async () => {
      const literal = read(harness.settingsFor('10.1.2.3', 8443), '')
      expect(literal.issues).toMatchObject([{ detail: expect.stringContaining('10.1.2.3') }])
      const { settings, issues } = read(harness.settingsFor('inside.example.com', 8443), '')
      expect(issues).toEqual([])
      const services = { ...publicOnly, project: 'project-1' }
      expect(await kind.checkSettings(settings, 'metadata', { ...services, names: namesAt('10.1.2.3') })).toHaveLength(
        1,
      )
      expect(await kind.checkSettings(settings, 'metadata', { ...services, names: namesAt('8.8.8.8') })).toEqual([])
    })
  })

  describe('sending', () => {
    it('delivers a batch in its order, signed where it says so', async () => {
      const target = await start()
      const { send, secret } = open(target.settings)
      const messages = testMessages('first', 'second', 'third').slice(0, kind.limits.maxBatch)
      expect(outcomesOf(await send(messages))).toEqual(messages.map(() => 'delivered'))
      expect((await target.received()).map(({ id, body }) => ({ id, body }))).toEqual(
        messages.map(({ id, body }) => ({ id: harness.hasNoIds ? '' : id, body: body.toString() })),
      )
      for (const { body, headers } of harness.isUnsigned ? [] : await target.received())
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    })

    it('sends again on the same sender, after failures too', async () => {
      const target = await start('hang')
      const { send } = open(target.settings)
      await send(testMessages('lost'), { timeoutMs: 100 }).catch(() => undefined)
      target.behave('accept')
      for (const text of ['one', 'two']) expect(outcomesOf(await send(testMessages(text)))).toEqual(['delivered'])
    })

    it('settles each message of a batch that fails in part', async () => {
      const target = await start()
      const { send } = open(target.settings)
      const messages = testMessages('first', 'bad', 'third')
      const results: SendResult[] = []
      for (let at = 0; at < messages.length; at += kind.limits.maxBatch)
        results.push(...(await send(messages.slice(at, at + kind.limits.maxBatch))))
      expect(outcomesOf(results)).toEqual(['delivered', harness.refusesBad ? 'refused' : 'retry', 'delivered'])
      expect(await target.received()).toHaveLength(2)
    })

    it('ends at the deadline when the destination hangs, to be retried', async () => {
      const target = await start()
      // A status alone delivers some messages.
      const isConfirmed = 'answers with nothing' in harness.failures
      for (const behavior of ['hang', ...(isConfirmed ? (target.slow ?? []) : [])]) {
        target.behave(behavior)
        const { send } = open(target.settings)
        expect([behavior, await outcomeOf(send(testMessages('x'), { timeoutMs: 200 }))]).toEqual([behavior, 'retry'])
      }
    })

    it('ends when it is cancelled', async () => {
      const target = await start('hang')
      const { send } = open(target.settings)
      const cancel = new AbortController()
      const sending = outcomeOf(send(testMessages('x'), { signal: cancel.signal }))
      await vi.waitFor(() => expect(target.connections().total).toBe(1))
      cancel.abort()
      expect(await sending).toBe('cancelled')
    })

    it('has a meaning for each failure', async () => {
      for (const [behavior, expected] of Object.entries(harness.failures)) {
        const target = await start(behavior)
        const { send } = open(target.settings)
        expect([behavior, await outcomeOf(send(testMessages('x')))]).toEqual([behavior, expected])
        expect(await target.received()).toEqual([])
        expect([behavior, target.redirected?.() ?? 0]).toEqual([behavior, 0])
      }
    })

    it.skipIf(harness.isInternal)('explains a failure without a secret', async () => {
      const target = await start('echo')
      const [result] = await open(target.settings).send(testMessages('x'))
      expect(result?.response?.toString()).toContain(target.secret)
      expect(result?.error).toMatch(/\w.*\.$/)
      expect(result?.error).not.toContain(target.secret)
    })

    it.skipIf(harness.isInternal)('reaches no private address, whatever the name resolved to before', async () => {
      const target = await start()
      for (const host of ['127.0.0.1', 'rebound.example.com']) {
        const settings = harness.settingsFor(host, target.port)
        const { send } = open(settings, { allow: '', names: namesAt('127.0.0.1') })
        await expect(send(testMessages('x'))).rejects.toMatchObject({ kind: 'refused_address' })
      }
      expect(target.connections().total).toBe(0)
    })

    it.skipIf(harness.isInternal)('goes where its settings say, whatever the environment says', async () => {
      const [target, canary] = [await start(), await startCanary()]
      closing.push(async () => canary.stop())
      for (const [name, value] of Object.entries(strayEnvironment(canary.port))) vi.stubEnv(name, value)
      const { send } = open(target.settings)
      expect(outcomesOf(await send(testMessages('x')))).toEqual(['delivered'])
      expect(canary.requests()).toBe(0)
    })

    it('leaves no connection after it was closed', async () => {
      const target = await start()
      const { send, close } = openForTest(kind, target.settings, target.services)
      await send(testMessages('x'))
      expect(target.connections().total).toBeGreaterThan(0)
      await close()
      await vi.waitFor(() => expect(target.connections().open).toBe(0))
    })
  })
})
