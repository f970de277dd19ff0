import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { eventNames } from './index.ts'

let app: TestApp
beforeAll(async () => {
  // No worker: messages stay where they were posted.
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

interface Body {
  id: string
  name: string
  topicId: string
  detail: string
  context: { code: string }
  issues: { in: string; name: string; value: unknown }[]
}

const topics = '/projects/default/topics'
const eventRoutes = '/projects/default/notification-event-topic-routes'
const topicRoutes = '/projects/default/topic-destination-routes'
const as = { apiKey: '' }
const post = (path: string, body: unknown) => app.call<Body>('POST', path, body)
const idsOf = async (path: string) => (await app.call<Body[]>('GET', path)).body.map(({ id }) => id)
const short = ({ status, body }: { status: number; body: Body }) => [status, body.context?.code]
const issuesOf = ({ body }: { body: Body }) => body.issues.map(({ in: where, name, value }) => [where, name, value])

let count = 0
async function newTopic() {
  return (await post(topics, { name: `topic-${count++}` })).body.id
}
async function newDestination(name = `destination-${count++}`) {
  const metadata = { url: 'https://203.0.114.5/hooks' }
  return (await post('/projects/default/destinations', { name, type: 'webhook', metadata })).body.id
}

/** As the other tenant sees its own project. */
async function theirs(path: string, body: unknown): Promise<string> {
  as.apiKey = app.otherProject.apiKey
  return (await app.call<Body>('POST', path.replace('default', 'other'), body, as)).body.id
}

describe('a topic', () => {
  it('is made, renamed and listed, oldest first', async () => {
    const before = await idsOf(topics)
    const made = await post(topics, { name: 'Errors-1' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      name: 'Errors-1',
      projectId: app.projectId,
      createTime: expect.any(String),
    })
    const second = await newTopic()
    const renamed = await app.call<Body>('PATCH', `${topics}/${made.body.id}`, { name: 'errors-2' })
    expect(renamed.status).toBe(200)
    expect(renamed.body).toEqual({ ...made.body, name: 'errors-2', updateTime: expect.any(String) })
    expect(await idsOf(topics)).toEqual([...before, made.body.id, second])
    // Its own name is not taken.
    expect((await app.call('PATCH', `${topics}/${made.body.id}`, { name: 'errors-2' })).status).toBe(200)
  })

  it.each(['', 'a b', 'ä', 'a_b', 'a'.repeat(65), 'a\n'])('is not called %j', async (name) => {
    const made = await post(topics, { name })
    expect([made.status, issuesOf(made)]).toEqual([400, [['body', 'name', name]]])
    const renamed = await app.call<Body>('PATCH', `${topics}/${await newTopic()}`, { name })
    expect([renamed.status, issuesOf(renamed)]).toEqual([400, [['body', 'name', name]]])
  })

  it('may be called with 64 letters, digits and dashes', async () => {
    expect((await post(topics, { name: `${'a'.repeat(62)}-9` })).status).toBe(201)
  })

  it('has a name of its own, in its project', async () => {
    await post(topics, { name: 'taken' })
    expect(short(await post(topics, { name: 'taken' }))).toEqual([409, 'topic-name-taken'])
    const other = await newTopic()
    expect(short(await app.call<Body>('PATCH', `${topics}/${other}`, { name: 'taken' }))).toEqual([
      409,
      'topic-name-taken',
    ])
    expect(await theirs(topics, { name: 'taken' })).toEqual(expect.any(String))
  })

  it('takes its routes along when it is deleted, and is gone then', async () => {
    const topicId = await newTopic()
    const kept = await newTopic()
    const destinationId = await newDestination()
    for (const id of [topicId, kept]) {
      await post(eventRoutes, { eventType: 'connection.error', topicId: id })
      await post(topicRoutes, { topicId: id, destinationId })
    }
    const deleted = await app.call('DELETE', `${topics}/${topicId}`)
    expect([deleted.status, deleted.body]).toEqual([204, ''])
    expect(await idsOf(`${eventRoutes}?topicId=${topicId}`)).toEqual([])
    expect(await idsOf(`${topicRoutes}?topicId=${topicId}`)).toEqual([])
    expect(await idsOf(`${eventRoutes}?topicId=${kept}`)).toHaveLength(1)
    expect(await idsOf(`${topicRoutes}?topicId=${kept}`)).toHaveLength(1)
    expect(short(await app.call<Body>('DELETE', `${topics}/${topicId}`))).toEqual([404, 'topic-not-found'])
  })
})

describe('what is not there', () => {
  it('answers alike for an unknown id and for one of another project, and 400 for what is no id', async () => {
    const theirTopic = await theirs(topics, { name: 'theirs' })
    const theirDestination = await theirs('/projects/default/destinations', {
      name: 'theirs',
      type: 'webhook',
      metadata: { url: 'https://203.0.114.5/hooks' },
    })
    const theirEventRoute = await theirs(eventRoutes, { eventType: 'connection.error', topicId: theirTopic })
    const theirTopicRoute = await theirs(topicRoutes, { topicId: theirTopic, destinationId: theirDestination })
    const cases = [
      ['DELETE', topics, theirTopic, 'topic-not-found', 'topicId'],
      ['PATCH', topics, theirTopic, 'topic-not-found', 'topicId'],
      ['DELETE', eventRoutes, theirEventRoute, 'route-not-found', 'routeId'],
      ['DELETE', topicRoutes, theirTopicRoute, 'route-not-found', 'routeId'],
    ] as const
    for (const [method, path, id, code, name] of cases) {
      const body = method === 'PATCH' ? { name: 'mine' } : undefined
      const [unknown, foreign] = [
        await app.call<Body>(method, `${path}/${newId()}`, body),
        await app.call<Body>(method, `${path}/${id}`, body),
      ]
      expect(short(unknown)).toEqual([404, code])
      expect([short(foreign), foreign.body.detail]).toEqual([short(unknown), unknown.body.detail])
      const malformed = await app.call<Body>(method, `${path}/no-id`, body)
      expect([malformed.status, issuesOf(malformed)]).toEqual([400, [['path', name, 'no-id']]])
    }
    expect(await idsOf(topics)).not.toContain(theirTopic)
    const still = await app.call<Body[]>('GET', '/projects/other/topics', undefined, as)
    expect(still.body.map(({ id }) => id)).toContain(theirTopic)
  })
})

describe('a route from events to a topic', () => {
  it('is made once for each pair', async () => {
    const topicId = await newTopic()
    const made = await post(eventRoutes, { eventType: 'connection.error', topicId })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      eventType: 'connection.error',
      topicId,
      projectId: app.projectId,
      createTime: expect.any(String),
    })
    expect(short(await post(eventRoutes, { eventType: 'connection.error', topicId }))).toEqual([409, 'route-exists'])
    expect((await app.call('DELETE', `${eventRoutes}/${made.body.id}`)).status).toBe(204)
    expect(short(await app.call<Body>('DELETE', `${eventRoutes}/${made.body.id}`))).toEqual([404, 'route-not-found'])
    expect((await post(eventRoutes, { eventType: 'connection.error', topicId })).status).toBe(201)
  })

  it('can be made for every type of event, and for no other', async () => {
    const topicId = await newTopic()
    for (const eventType of eventNames) expect((await post(eventRoutes, { eventType, topicId })).status).toBe(201)
    const unknown = await post(eventRoutes, { eventType: 'connection.lost', topicId })
    expect([unknown.status, issuesOf(unknown)]).toEqual([400, [['body', 'eventType', 'connection.lost']]])
  })

  it('needs a topic of the project', async () => {
    const foreign = await theirs(topics, { name: `theirs-${count++}` })
    for (const topicId of [newId(), foreign, 'no-id']) {
      const made = await post(eventRoutes, { eventType: 'connection.error', topicId })
      expect([made.status, issuesOf(made)]).toEqual([422, [['body', 'topicId', topicId]]])
    }
  })

  it('is listed by each filter and by both, oldest first', async () => {
    const [one, two] = [await newTopic(), await newTopic()]
    const pairs = [
      ['write.async.done', two],
      ['write.async.done', one],
      ['subscribe.create.error', one],
    ] as const
    // Only those of this test.
    await sql`delete from event_topic_routes where event_type = any(${pairs.map(([type]) => type)})`.execute(app.db.sql)
    const ids: string[] = []
    for (const [eventType, topicId] of pairs) ids.push((await post(eventRoutes, { eventType, topicId })).body.id)
    expect(await idsOf(`${eventRoutes}?topicId=${one}`)).toEqual([ids[1], ids[2]])
    expect(await idsOf(`${eventRoutes}?eventType=write.async.done`)).toEqual([ids[0], ids[1]])
    expect(await idsOf(`${eventRoutes}?eventType=write.async.done&topicId=${one}`)).toEqual([ids[1]])
    expect(await idsOf(eventRoutes)).toEqual(expect.arrayContaining(ids))
    expect(await idsOf(`${eventRoutes}?topicId=${newId()}`)).toEqual([])
    expect(await idsOf(`${eventRoutes}?topicId=no-id`)).toEqual([])
    const unknown = await app.call<Body>('GET', `${eventRoutes}?eventType=connection.lost`)
    expect([unknown.status, issuesOf(unknown)]).toEqual([400, [['query', 'eventType', 'connection.lost']]])
  })
})

describe('a route from a topic to a destination', () => {
  it('is made once for each pair, listed by each filter, and deleted', async () => {
    const [topicId, destinationId] = [await newTopic(), await newDestination()]
    const made = await post(topicRoutes, { topicId, destinationId })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      topicId,
      destinationId,
      projectId: app.projectId,
      createTime: expect.any(String),
    })
    expect(short(await post(topicRoutes, { topicId, destinationId }))).toEqual([409, 'route-exists'])
    const second = (await post(topicRoutes, { topicId: await newTopic(), destinationId })).body.id
    expect(await idsOf(`${topicRoutes}?destinationId=${destinationId}`)).toEqual([made.body.id, second])
    expect(await idsOf(`${topicRoutes}?destinationId=${destinationId}&topicId=${topicId}`)).toEqual([made.body.id])
    expect(await idsOf(`${topicRoutes}?destinationId=no-id`)).toEqual([])
    expect((await app.call('DELETE', `${topicRoutes}/${made.body.id}`)).status).toBe(204)
    expect(await idsOf(`${topicRoutes}?topicId=${topicId}`)).toEqual([])
  })

  it('needs both to be there', async () => {
    const [topicId, destinationId] = [await newTopic(), await newDestination()]
    const foreign = await theirs(topics, { name: `theirs-${count++}` })
    for (const id of [newId(), foreign, 'no-id']) {
      expect(short(await post(topicRoutes, { topicId: id, destinationId }))).toEqual([404, 'topic-not-found'])
      expect(short(await post(topicRoutes, { topicId, destinationId: id }))).toEqual([404, 'destination-not-found'])
    }
  })

  it('goes with its destination', async () => {
    const [topicId, destinationId] = [await newTopic(), await newDestination()]
    await post(topicRoutes, { topicId, destinationId })
    expect((await app.call('DELETE', `/projects/default/destinations/${destinationId}`)).status).toBe(204)
    expect(await idsOf(`${topicRoutes}?topicId=${topicId}`)).toEqual([])
  })
})

it('of equal requests at the same moment one makes the topic and one the route', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => post(topics, { name: 'raced' })))
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  const topicId = await newTopic()
  const routes = await Promise.all(
    Array.from({ length: 8 }, () => post(eventRoutes, { eventType: 'connection.error', topicId })),
  )
  expect(routes.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
})
