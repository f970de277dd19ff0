import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postMessages } from '../packages/server/src/features/messaging/messages/index.ts'
import { eventNames } from '../packages/server/src/features/messaging/notifications/index.ts'
import type { Installed } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { deploy, rarely } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import {
  connectionData,
  installationData,
  type Listener,
  listen,
  nothingWaits,
  ok,
  type ReadingKit,
  route,
  startReadingKit,
} from './events.testkit.ts'

/** Every event, from what causes it to a verified webhook. */

let kit: ReadingKit
let events: Listener
beforeAll(async () => {
  kit = await startReadingKit()
  events = await listen(kit.app, 'events')
  await route(kit.app, 'everything', [...eventNames], [events])
})
afterAll(async () => {
  await events?.close()
  await kit?.stop()
})

const project = '/projects/default'
const call = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  ok<T>(kit.app.call(method, path, body))
const pathOf = ({ name, installationId }: Installed) =>
  `${project}/integrations/${name}/installations/${installationId}`
const fullHistory = { backfill: { defaultPeriod: { fullHistory: true } } }

/** `data` of the notifications of a type about an installation, or else a connection, once there are so many. */
function told(type: string, about: { installationId?: string; connectionId?: string }, count = 1) {
  const key = about.installationId === undefined ? 'connectionId' : 'installationId'
  return kit.until(async () => {
    const all = events.of(type).filter(({ data }) => data[key] === about[key])
    return all.length >= count && all.map(({ data }) => data)
  })
}

/** Notifications of these types about an installation, when everything that was posted has arrived. */
async function allTold({ installationId }: Installed, prefix: string) {
  await kit.until(() => nothingWaits(kit, 'events'))
  return events.received
    .filter(
      ({ notificationType, data }) => notificationType.startsWith(prefix) && data['installationId'] === installationId,
    )
    .map(({ notificationType }) => notificationType)
}

function connect(groupRef: string, change: Record<string, unknown> = {}) {
  return call<{ id: string }>('POST', `${project}/connections:generate?verify=true`, {
    groupRef,
    consumerRef: `${groupRef}-user`,
    provider: 'sampleCrm',
    apiKey: kit.crm.apiKey,
    providerMetadata: { url: kit.crm.url },
    ...change,
  })
}

const trigger = ({ name, groupRef }: Installed, body: Record<string, unknown> = {}) =>
  call('POST', `//read/v1/projects/default/integrations/${name}/objects/contacts`, { groupRef, mode: 'async', ...body })
const verb = ({ name, installationId }: Installed, word: 'pause' | 'unpause') =>
  call('POST', `//read/v1/projects/default/integrations/${name}/installations/${installationId}:${word}`)

describe('a connection', () => {
  it('is created, and updated when the same account is connected again', async () => {
    const { id: connectionId } = await connect('people', { groupName: 'People Ltd', consumerName: 'Ada' })
    const expected = {
      ...connectionData(kit, { connectionId, groupRef: 'people' }),
      consumerName: 'Ada',
    }
    expect(await told('connection.created', { connectionId })).toEqual([expected])
    await connect('people', { consumerName: 'Ada L.' })
    expect(await told('connection.updated', { connectionId })).toEqual([{ ...expected, consumerName: 'Ada L.' }])
    expect(events.of('connection.created').filter(({ data }) => data['connectionId'] === connectionId)).toHaveLength(1)
  })

  it('has an error once when its credential is refused, and its schedules are paused', async () => {
    const installed = await kit.install()
    await connect(installed.groupRef, { apiKey: 'wrong' })
    const [data] = await told('connection.error', { connectionId: installed.connectionId })
    expect(data).toEqual({
      ...connectionData(kit, installed),
      errors: [expect.stringMatching(/^[A-Z].*\.$/)],
      error: data?.['errors'],
    })
    expect(await told('read.schedule.paused', installed)).toEqual([
      { ...installationData(kit, installed), config: expect.any(Object), error: expect.stringMatching(/^[A-Z].*\.$/) },
    ])
    // Refused once more is nothing new.
    await trigger(installed)
    await told('read.triggered.error', installed)
    await kit.until(() => nothingWaits(kit, 'events'))
    expect(await told('connection.error', { connectionId: installed.connectionId })).toHaveLength(1)
    expect(await told('read.schedule.paused', installed)).toHaveLength(1)
  })

  it('is deleted', async () => {
    const { id: connectionId } = await connect('leaving')
    await call('DELETE', `${project}/connections/${connectionId}`)
    expect(await told('connection.deleted', { connectionId })).toEqual([
      connectionData(kit, { connectionId, groupRef: 'leaving' }),
    ])
  })
})

describe('an installation', () => {
  it('is created, updated and deleted, with its configs', async () => {
    const installed = await kit.install({ config: { selectedFields: { phone: true } } })
    const fields = installationData(kit, installed)
    const { config: before } = await call<{ config: { content: unknown } }>('GET', pathOf(installed))
    expect(await told('installation.created', installed)).toEqual([{ ...fields, config: before.content }])

    const { config: after } = await call<{ config: { content: unknown } }>(
      'PATCH',
      `${project}/integrations/${installed.name}/objects/contacts/config-content`,
      {
        installationId: installed.installationId,
        action: 'read',
        changes: [{ op: 'add', path: '/selectedFields/score', value: true }],
      },
    )
    expect(after.content).not.toEqual(before.content)
    expect(await told('installation.updated', installed)).toEqual([
      { ...fields, config: after.content, lastConfig: before.content },
    ])

    await call('DELETE', pathOf(installed))
    expect(await told('installation.deleted', installed)).toEqual([{ ...fields, config: after.content }])
    // Nothing else used its connection.
    expect(await told('connection.deleted', { connectionId: installed.connectionId })).toEqual([
      connectionData(kit, installed),
    ])
  })

  it('is deleted with its integration', async () => {
    const installed = await kit.install()
    await call('DELETE', `${project}/integrations/${installed.name}`)
    expect(await told('installation.deleted', installed)).toEqual([
      { ...installationData(kit, installed), config: expect.any(Object) },
    ])
  })

  it('is not updated by a deploy, whether it changes anything or nothing', async () => {
    const installed = await kit.install()
    await told('installation.created', installed)
    await deploy(kit.app, installed.name)
    await deploy(kit.app, installed.name, { schedule: '0 0 28 2 *' })
    await kit.until(
      async () =>
        !(await kit.app.db.sql
          .selectFrom('read_states')
          .where('schedule', '=', rarely)
          .where('installation_id', '=', installed.installationId)
          .selectAll()
          .executeTakeFirst()),
    )
    expect(await allTold(installed, '')).toEqual(['installation.created'])
  })
})

describe('a read', () => {
  it('tells of the end of a backfill', async () => {
    const installed = await kit.install({ object: fullHistory })
    expect(await told('read.backfill.done', installed)).toEqual([
      { ...installationData(kit, installed), objectName: 'contacts' },
    ])
  })

  it('tells of the end of a triggered one, with its window, and nothing of scheduled ones', async () => {
    const installed = await kit.install()
    const [since, until] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
    await trigger(installed, { sinceTimestamp: since, untilTimestamp: until })
    const window = { fromTimestamp: since, untilTimestamp: until }
    const expected = { ...installationData(kit, installed), objectName: 'contacts', ...window }
    expect(await told('read.triggered.done', installed)).toEqual([expected])
    await kit.quiet()
    kit.crm.failNext(1, 400)
    await trigger(installed, { sinceTimestamp: since, untilTimestamp: until })
    expect(await told('read.triggered.error', installed)).toEqual([
      { ...expected, error: expect.stringContaining('status 400') },
    ])
    await kit.makeDue(installed.installationId)
    await kit.until(
      async () => (await kit.operations(installed)).filter(({ status }) => status !== 'in_progress').length === 3,
    )
    expect(await allTold(installed, 'read.')).toEqual(['read.triggered.done', 'read.triggered.error'])
  })

  it('tells of a pause on request, without an error, and not of its end', async () => {
    const installed = await kit.install()
    await verb(installed, 'pause')
    const paused = { ...installationData(kit, installed), config: expect.any(Object) }
    expect(await told('read.schedule.paused', installed)).toEqual([paused])
    // What is paused already is not paused again.
    await verb(installed, 'pause')
    await verb(installed, 'unpause')
    expect(await allTold(installed, '')).toEqual(['installation.created', 'read.schedule.paused'])
  })

  it('tells of a pause after ten failures, with the error', async () => {
    const installed = await kit.install()
    for (let failure = 1; failure <= 10; failure++) {
      await kit.quiet()
      kit.crm.failNext(1, 400)
      await kit.makeDue(installed.installationId)
      await kit.until(
        async () => (await kit.operations(installed)).filter(({ status }) => status === 'failure').length === failure,
      )
    }
    const [data, ...more] = await told('read.schedule.paused', installed)
    expect(more).toEqual([])
    expect(data).toEqual({
      ...installationData(kit, installed),
      config: expect.any(Object),
      error: expect.stringContaining('status 400'),
    })
  })

  it('tells of a pause by a destructive deploy', async () => {
    const installed = await kit.install()
    await deploy(kit.app, installed.name, { objectName: 'companies' }, true)
    expect(await told('read.schedule.paused', installed)).toEqual([
      { ...installationData(kit, installed), config: expect.any(Object) },
    ])
  })
})

describe('a destination', () => {
  it('that is disabled is told to others, once each time, and not to itself', async () => {
    let status = 410
    const gone = await listen(kit.app, 'gone', () => status)
    const topicId = await route(kit.app, 'for-gone', ['connection.created', 'destination.webhook.disabled'], [gone])
    const disabled = () =>
      events.of('destination.webhook.disabled').filter(({ data }) => data['destinationId'] === gone.id)
    await connect('first')
    await kit.until(async () => disabled().length === 1)
    expect(disabled()[0]?.data).toEqual({
      projectId: kit.app.projectId,
      destinationId: gone.id,
      destinationName: 'gone',
      url: gone.receiver.url,
    })
    // While it is disabled, what is routed to it is held.
    await connect('second')
    await call('PATCH', `${project}/destinations/gone`, {
      updateMask: ['metadata.url'],
      destination: { metadata: { url: gone.receiver.url } },
    })
    await kit.until(async () => disabled().length === 2)
    status = 204
    await call('PATCH', `${project}/destinations/gone`, {
      updateMask: ['metadata.url'],
      destination: { metadata: { url: gone.receiver.url } },
    })
    await kit.until(async () => gone.received.length >= 1)
    await kit.until(() => nothingWaits(kit, 'events'))
    expect(disabled()).toHaveLength(2)
    const toItself = await kit.app.db.sql
      .selectFrom('messages')
      .select('id')
      .where('destination_name', '=', 'gone')
      .where('event_type', '=', 'destination.webhook.disabled')
      .execute()
    expect(toItself).toEqual([])
    await call('DELETE', `${project}/topics/${topicId}`)
    await gone.close()
  })
})

describe('dead letters', () => {
  it('of a destination are reported to others with their number', async () => {
    // Messages of the group `..` have no path, so the destination refuses them.
    const metadata = { url: 'https://203.0.114.5/hooks/{{groupRef}}' }
    const body = { name: 'refusing', type: 'webhook', metadata }
    const { id } = await call<{ id: string }>('POST', `${project}/destinations`, body)
    const payload = Buffer.from('{"groupRef":".."}')
    const message = { destinationName: 'refusing', kind: 'read' as const, payload }
    await kit.app.db.transaction((tx) => postMessages(tx, kit.app.app.services, [message]))
    const of = () => events.of('destination.deadletter.added').filter(({ data }) => data['destinationId'] === id)
    await kit.until(async () => of().length > 0)
    const expected = { destinationId: id, destinationName: 'refusing', deadLetterCount: 1 }
    expect(of().map(({ data }) => data)).toEqual([{ projectId: kit.app.projectId, ...expected }])
  })
})

describe('a config that is too large', () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`field_${n}_${'x'.repeat(40)}`, true]))

  it('is fetched by URL, for fifteen minutes, without a key', async () => {
    const installed = await kit.install({ config: { selectedFields: fields(6_000) }, skipSampling: true })
    const { config } = await call<{ config: { content: unknown } }>('GET', pathOf(installed))
    const [data] = await told('installation.created', installed)
    expect(data).toEqual({ ...installationData(kit, installed), configURL: expect.any(String) })
    expect(await download(data?.['configURL'])).toEqual([200, config.content])

    await call('PATCH', `${pathOf(installed)}?skipSampling=true`, {
      updateMask: ['config.content.read.objects.contacts'],
      installation: {
        config: {
          content: { read: { objects: { contacts: { objectName: 'contacts', selectedFields: fields(6_500) } } } },
        },
      },
    })
    const { config: after } = await call<{ config: { content: unknown } }>('GET', pathOf(installed))
    const [both] = await told('installation.updated', installed)
    expect(both).toEqual({
      ...installationData(kit, installed),
      configURL: expect.any(String),
      lastConfigURL: expect.any(String),
    })
    expect(await download(both?.['configURL'])).toEqual([200, after.content])
    expect(await download(both?.['lastConfigURL'])).toEqual([200, config.content])

    await call('PATCH', `${pathOf(installed)}?skipSampling=true`, {
      updateMask: ['config.content.read.objects.contacts'],
      installation: {
        config: { content: { read: { objects: { contacts: { objectName: 'contacts', selectedFields: {} } } } } },
      },
    })
    const [, last] = await told('installation.updated', installed, 2)
    expect(last).toEqual({
      ...installationData(kit, installed),
      config: expect.any(Object),
      lastConfigURL: expect.any(String),
    })
    const url = String(last?.['lastConfigURL'])
    expect(await download(url)).toEqual([200, after.content])
    const claims = Buffer.from(JSON.stringify({ project: kit.app.projectId, part: 'config' })).toString('base64url')
    expect((await download(url.replace(/claims=[^&]+/, `claims=${claims}`)))[0]).toBe(403)
    kit.app.clock.advance(16 * 60_000)
    expect((await download(url))[0]).toBe(410)
    kit.app.clock.advance(-16 * 60_000)
  })

  async function download(url: unknown): Promise<[number, unknown]> {
    // The address of the test's server: it listens on a port that its own settings do not know.
    const { pathname, search } = new URL(String(url))
    const answer = await fetch(`${kit.app.url}${pathname}${search}`)
    return [answer.status, await answer.json()]
  }
})

describe('routes', () => {
  it('bring an event once to each destination, whatever leads there', async () => {
    const [one, two] = [await listen(kit.app, 'one'), await listen(kit.app, 'two')]
    const topics = [
      await route(kit.app, 'a', ['connection.created'], [one, two]),
      await route(kit.app, 'b', ['connection.created', 'connection.updated'], [one]),
    ]
    await connect('fan-out')
    await connect('fan-out')
    await kit.until(async () => one.received.length >= 2 && two.received.length >= 1)
    await kit.until(() => nothingWaits(kit, 'one', 'two'))
    expect(one.received.map(({ notificationType }) => notificationType).toSorted()).toEqual([
      'connection.created',
      'connection.updated',
    ])
    expect(two.received.map(({ notificationType }) => notificationType)).toEqual(['connection.created'])
    // Three messages, each with an id of its own.
    expect(new Set([...one.received, ...two.received].map(({ id }) => id)).size).toBe(3)
    for (const topicId of topics) await call('DELETE', `${project}/topics/${topicId}`)
    await Promise.all([one.close(), two.close()])
  })

  it('are asked when something happens: what was routed before its topic was deleted is delivered', async () => {
    let status = 503
    const slow = await listen(kit.app, 'slow', () => status)
    const topicId = await route(kit.app, 'short-lived', ['connection.created'], [slow])
    await connect('before')
    await slow.receiver.waitFor(({ failed }) => failed === 1)
    await call('DELETE', `${project}/topics/${topicId}`)
    await connect('after')
    status = 204
    await kit.until(async () => {
      await kit.app.db.sql
        .updateTable('messages')
        .set({ next_attempt_at: new Date(0) })
        .where('destination_id', '=', slow.id)
        .where('lease_token', 'is', null)
        .where('state', '=', 'pending')
        .execute()
      return slow.received.length > 0
    })
    await kit.until(() => nothingWaits(kit, 'slow'))
    expect(slow.received.map(({ data }) => data['groupRef'])).toEqual(['before'])
    await slow.close()
  })
})
