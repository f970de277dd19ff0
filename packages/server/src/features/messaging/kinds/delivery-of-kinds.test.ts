import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { postMessages } from '../messages/index.ts'
import { kindsToTest } from './conformance.testkit.ts'
import { type DestinationKind, destinationKinds } from './index.ts'
import { secretNames, withoutSecrets } from './secret-settings.ts'

interface Found {
  id: string
  metadata: object
  status: string
}
interface FoundMessage {
  id: string
  state: string
  attempts: number
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ logLevel: 'trace' })
})
afterAll(() => app?.stop())

const destinations = '/projects/default/destinations'
const post = (destinationName: string, text: string) =>
  app.db.transaction((tx) =>
    postMessages(tx, app.app.services, [
      { destinationName, kind: 'read', payload: Buffer.from(JSON.stringify({ text })) },
    ]),
  )
const messagesTo = async (id: string) =>
  (await app.call<FoundMessage[]>('GET', `/projects/default/messages?destination=${id}`)).body

/** Settings as a request gives them. */
const given = (kind: DestinationKind, settings: object) => ({
  metadata: withoutSecrets(kind, settings),
  secrets: Object.fromEntries(secretNames(kind).map((key) => [key, Reflect.get(settings, key)])),
})

// `delivery/records.test.ts` has the same for the kind that stores in the database of the service.
const external = (await kindsToTest(destinationKinds)).filter(({ harness }) => !harness.isInternal)

describe.each(external)('the service with $label', ({ label, kind, harness }) => {
  it('delivers, tries again what failed, and shows no secret', async () => {
    const target = await harness.start()
    const settings = { ...target.settings, ...('maxWaitSecs' in target.settings && { maxWaitSecs: 1 }) }
    const body = { name: `kind-${label}`, type: kind.name, ...given(kind, settings) }
    const made = await app.call<Found>('POST', destinations, body)
    expect([made.status, made.body.metadata]).toEqual([201, withoutSecrets(kind, kind.maskSettings(settings))])
    const { id } = made.body

    await post(body.name, 'good')
    await expect.poll(() => messagesTo(id)).toMatchObject([{ state: 'delivered', attempts: 1 }])
    expect((await target.received()).map(({ body }) => body)).toEqual(['{"text":"good"}'])

    target.behave('echo')
    await post(body.name, 'later')
    await expect.poll(async () => (await messagesTo(id))[0]).toMatchObject({ state: 'pending', attempts: 1 })
    const [failed] = await messagesTo(id)
    const attempts = await app.call<{ error: string; response: string }[]>(
      'GET',
      `/projects/default/messages/${failed?.id}/attempts`,
    )
    expect(attempts.body).toMatchObject([{ error: expect.any(String), response: expect.any(String) }])
    const shown = await app.call<Found>('GET', `${destinations}/${id}`)
    expect(shown.body.status).toBe('failing')
    const list = await app.call('GET', destinations)
    const texts = [made.body, attempts.body, shown.body, list.body, app.logs]
    for (const text of texts) expect(JSON.stringify(text)).not.toContain(target.secret)

    target.behave('accept')
    const test = await app.call<{ delivered: boolean }>('POST', `${destinations}/${id}:test`)
    expect(test.body.delivered).toBe(true)
    if (kind.sendsDataOnly?.(settings)) {
      const last = (await target.received()).at(-1)
      expect(JSON.parse(last?.body ?? '')).toMatchObject({ destinationId: id, destinationName: body.name })
      const types = ['notificationType', 'notificationtype', 'eventType'].map((name) => last?.headers[name])
      expect(types).toContain('destination.test')
    }
    await target.stop()
  })

  it('keeps masked settings that an update sends back, and starts again after a change of the address', async () => {
    const target = await harness.start()
    const body = { name: `updated-${label}`, type: kind.name, ...given(kind, target.settings) }
    const { id, metadata } = (await app.call<Found>('POST', destinations, body)).body
    await app.call('POST', `${destinations}/${id}:disable`)
    const updateMask = kind.addressKeys.filter((key) => key in metadata).map((key) => `metadata.${key}`)
    const updated = await app.call<Found>('PATCH', `${destinations}/${id}`, { updateMask, destination: { metadata } })
    expect([updated.status, updated.body.status]).toEqual([200, 'active'])
    const whole = await app.call<Found>('GET', `${destinations}/${id}?includeSecrets=true`)
    expect(whole.body.metadata).toEqual(withoutSecrets(kind, target.settings))
    await target.stop()
  })
})
