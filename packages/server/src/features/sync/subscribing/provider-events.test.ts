import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { eraseProviderEvents, type ProviderEvent, providerEventsTicks } from '../provider-events/index.ts'
import { type SubscribingKit, startSubscribingKit } from './subscribing.testkit.ts'

interface Page {
  results: ProviderEvent[]
  pagination: { done: boolean; nextPageToken?: string }
}

let kit: SubscribingKit
beforeAll(async () => {
  kit = await startSubscribingKit()
})
afterAll(() => kit?.stop())

const contacts = { objectName: 'contacts', destination: 'hook', createEvent: { enabled: 'always' } }
const made = (eventId = randomBytes(8).toString('hex')) => ({
  type: 'made',
  recordId: '1',
  eventId,
  record: { id: '1', email: 'a-secret@x.test' },
})

const page = async (query: Record<string, string>) => {
  await kit.app.app.services.providerEvents.flush()
  return await kit.call<Page>('GET', `/provider-events?${new URLSearchParams(query)}`)
}
const list = async (query: Record<string, string>) => (await page(query)).results
const outcomes = async (query: Record<string, string>) => (await list(query)).map(({ outcome }) => outcome)

describe('what a provider sends', () => {
  it('is listed with its outcome, without its content', async () => {
    const { id, integrationId, integration } = await kit.install({ objects: [contacts] })
    const hook = await kit.hookOf(id)
    const event = made()
    expect(await kit.send(hook, [event, made()])).toBe(200)
    expect(await kit.send(hook, [event])).toBe(200)
    expect(await kit.send({ ...hook, secret: 'wrong' }, [made()])).toBe(401)
    expect(await kit.send(hook, [], { body: 'not JSON' })).toBe(400)
    const found = await list({ installationId: id })
    expect(found.map(({ outcome, reason, events, newEvents }) => [outcome, reason, events, newEvents])).toEqual([
      ['malformed', 'The signature is valid, but the body is not JSON, and not a form.', 0, 0],
      ['unverified', 'The signature is missing, wrong, or too old.', 0, 0],
      ['duplicate', undefined, 1, 0],
      ['accepted', undefined, 2, 2],
    ])
    expect(found[3]).toEqual({
      id: expect.any(String),
      time: expect.any(String),
      outcome: 'accepted',
      provider: 'hookCrm',
      integrationId,
      installationId: id,
      groupRef: expect.any(String),
      objectName: 'contacts',
      eventName: 'made',
      requests: 1,
      events: 2,
      newEvents: 2,
      bytes: JSON.stringify({ events: [event, event] }).length,
    })
    expect(JSON.stringify(found)).not.toContain('a-secret')
    expect(await outcomes({ integrationId: integration, outcome: 'unverified' })).toEqual(['unverified'])
    expect(await outcomes({ installationId: id, provider: 'hookApp' })).toEqual([])
    expect(await outcomes({ integrationId: 'nothing' })).toEqual([])
    expect(await outcomes({ installationId: 'nonsense' })).toEqual([])

    const first = await page({ installationId: id, pageSize: '3' })
    expect([first.results, first.pagination.done]).toEqual([found.slice(0, 3), false])
    const second = await page({ installationId: id, pageSize: '3', pageToken: first.pagination.nextPageToken ?? '' })
    expect(second).toEqual({ results: found.slice(3), pagination: { done: true } })
    expect(await list({ installationId: id, endTime: '2020-01-01T00:00:00Z' })).toEqual([])
  })

  it('is listed as dropped when no installation wants it', async () => {
    const { id } = await kit.install({ objects: [contacts] })
    const hook = await kit.hookOf(id)
    expect(await kit.send(hook, [{ ...made(), type: 'gone' }])).toBe(200)
    await kit.until(async () => (await outcomes({ installationId: id })).includes('dropped'))
    expect((await list({ installationId: id, outcome: 'dropped' }))[0]).toMatchObject({
      reason: 'No installation subscribes to events of this kind.',
      eventName: 'gone',
      requests: 0,
      events: 1,
    })
  })

  it('to an unknown URL is one of the project; nothing is stored for projects that do not exist', async () => {
    const send = (projectId: string) =>
      fetch(`${kit.app.url}/subscribe/v1/projects/${projectId}/integrations/nothing`, { method: 'POST', body: '{}' })
    expect((await send(kit.app.projectId)).status).toBe(404)
    expect((await send(newId())).status).toBe(404)
    const [found, ...others] = await list({ outcome: 'unknown' })
    expect([found?.requests, found?.integrationId, others]).toEqual([1, undefined, []])
  })
})

describe('what is stored', () => {
  it('is limited: an attack shares one entry a minute after the first ten', async () => {
    const { providerEvents } = kit.app.app.services
    const { id: installationId, integrationId } = await kit.install({ objects: [contacts] })
    for (let request = 0; request < 1_000; request++)
      providerEvents.add({
        projectId: kit.app.projectId,
        outcome: 'unverified',
        provider: 'hookCrm',
        integrationId,
        installationId,
        requests: 1,
        events: 0,
        newEvents: 0,
        bytes: 10,
      })
    const found = await list({ installationId, pageSize: '200' })
    expect(found).toHaveLength(11)
    expect(found.reduce((sum, { requests }) => sum + requests, 0)).toBe(1_000)
    expect(Math.max(...found.map(({ bytes }) => bytes))).toBe(9_900)
  })

  it('is deleted with the installations of an erased group, and after its retention', async () => {
    const { id } = await kit.install({ objects: [contacts] })
    const hook = await kit.hookOf(id)
    await kit.send(hook, [made()])
    expect(await outcomes({ installationId: id })).toEqual(['accepted'])
    expect(await eraseProviderEvents(kit.app.db, [id], 100)).toBe(false)
    expect(await outcomes({ installationId: id })).toEqual([])
    await kit.send(hook, [made()])
    expect(await outcomes({ installationId: id })).toEqual(['accepted'])
    const { services } = kit.app.app
    const inAYear = () => new Date(Date.now() + 365 * 86_400_000)
    for (const tick of providerEventsTicks({ ...services, now: inAYear })) await tick.run(new AbortController().signal)
    expect(await list({})).toEqual([])
  })
})
