import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type RecordsKit, startRecordsKit } from './records.testkit.ts'

/** Destinations of connections, in a destination of type `by-group`. `by-group.test.ts` tests those of groups. */

interface Installed {
  id: string
  groupRef: string
  connectionId: string
}
interface Shown {
  connectionId: string
  groupRef: string
  provider: string
  destinationName: string
}
interface Problem {
  issues: { in: string; name: string; detail: string }[]
  context: { code: string }
}

let kit: RecordsKit
let acme: Installed
let globex: Installed
beforeAll(async () => {
  kit = await startRecordsKit()
  acme = await install('acme')
  globex = await install('globex')
})
afterAll(() => kit?.stop())

interface Receiving {
  id: string
  name: string
  receiver: WebhookReceiver
}
let made = 0
let own: Receiving
let ofGroup: Receiving
let fallback: Receiving
/** A destination of type `by-group`: `acme` and all others have a destination. */
let customers: { id: string; name: string }
beforeEach(async () => {
  own = await receiving()
  ofGroup = await receiving()
  fallback = await receiving()
  customers = await create('by-group', { default: fallback.name })
  expect((await put(`${customers.name}/groups/acme`, ofGroup.name)).status).toBe(200)
})
afterEach(() => Promise.all([own, ofGroup, fallback].map((one) => one?.receiver.close())))

async function install(groupRef: string): Promise<Installed> {
  const { id } = await kit.install(groupRef)
  const { rows } = await sql<{ connectionId: string }>`
    select connection_id as "connectionId" from installations where id = ${id}`.execute(kit.app.db.sql)
  return { id, groupRef, connectionId: rows[0]!.connectionId }
}

async function create(type: string, metadata: object) {
  const name = `${type}-${made++}`
  const { status, body } = await call<{ id: string }>('POST', '', { name, type, metadata })
  expect(status).toBe(201)
  return { id: body.id, name }
}

async function receiving(): Promise<Receiving> {
  const receiver = await startWebhookReceiver({ storeBodies: true, respond: () => ({ status: 204 }) })
  return { ...(await create('webhook', { url: receiver.url })), receiver }
}

const call = <T>(method: string, below: string, body?: unknown) =>
  kit.app.call<T>(method, `${kit.base}/destinations${below}`, body)
const put = (below: string, destination: unknown) => call<Problem & Shown>('PUT', `/${below}`, { destination })
const set = (connectionId: string, destination: unknown) =>
  put(`${customers.name}/connections/${connectionId}`, destination)
const unset = (connectionId: string) => call<Problem>('DELETE', `/${customers.name}/connections/${connectionId}`)
const list = (query = '') => call<Shown[]>('GET', `/${customers.name}/connections${query}`)

/** Posts messages, and returns how many each of the three receivers got of them. */
async function counts(...messages: Parameters<RecordsKit['post']>[1][]): Promise<number[]> {
  await kit.post(customers.name, ...messages)
  await kit.deliver(customers.id)
  const all = [own, ofGroup, fallback]
  for (const { id } of all) await kit.deliver(id)
  return all.map(({ receiver }) => receiver.bodies.length)
}

const notification = (data: object) => ({
  kind: 'notification' as const,
  eventType: 'connection.error',
  payload: Buffer.from(JSON.stringify({ notificationType: 'connection.error', data })),
})

describe('a message of a connection', () => {
  it('goes to the destination of the connection, others of its group to that of the group', async () => {
    await set(acme.connectionId, own.name)
    const other = { groupRef: 'acme', connectionId: newId() }
    const of = [kit.message(acme, []), notification({ ...acme }), notification(other), kit.message(globex, [])]
    expect(await counts(...of)).toEqual([2, 1, 1])
  })

  it('goes to it without a destination of the group, and without a default', async () => {
    await call('DELETE', `/${customers.name}/groups/acme`)
    expect(
      (await call('PATCH', `/${customers.name}`, { updateMask: ['metadata'], destination: { metadata: {} } })).status,
    ).toBe(200)
    await set(acme.connectionId, own.name)
    expect(await counts(kit.message(acme, []))).toEqual([1, 0, 0])
  })

  it.each([
    ['an installation that is not there', { installationId: newId(), groupRef: 'acme' }],
    ['an installation that is no id', { installationId: 'x', groupRef: 'acme' }],
    ['a connection that is no id', { groupRef: 'acme', data: { connectionId: '../x' } }],
    ['a connection of the wrong type', { groupRef: 'acme', data: { connectionId: 7 } }],
  ])('that names %s goes by its group', async (_, body) => {
    await set(acme.connectionId, own.name)
    expect(await counts({ kind: 'read', payload: Buffer.from(JSON.stringify(body)) })).toEqual([0, 1, 0])
  })

  it('goes by its group again when the destination is removed', async () => {
    await set(acme.connectionId, own.name)
    expect((await unset(acme.connectionId)).status).toBe(204)
    expect(await counts(kit.message(acme, []))).toEqual([0, 1, 0])
    expect(await unset(acme.connectionId)).toMatchObject({
      status: 404,
      body: { context: { code: 'destination-connection-not-found' } },
    })
  })
})

describe('the destinations of connections', () => {
  it('are set, replaced and listed by page', async () => {
    const shown = { connectionId: acme.connectionId, groupRef: 'acme', provider: 'sampleCrm' }
    const first = await set(acme.connectionId, own.id)
    expect(first.body).toEqual({ ...shown, destinationName: own.name, createTime: expect.any(String) })
    const replaced = { ...shown, destinationName: ofGroup.name, updateTime: expect.any(String) }
    expect((await set(acme.connectionId, ofGroup.name)).body).toMatchObject(replaced)
    await set(globex.connectionId, own.name)
    const all = (await list()).body
    expect(all).toHaveLength(2)
    expect(all).toContainEqual(expect.objectContaining(replaced))
    const page = await kit.app.call<Shown[]>('GET', `${kit.base}/destinations/${customers.name}/connections?pageSize=1`)
    expect(page.body).toEqual(all.slice(0, 1))
  })

  it('are refused for a connection that does not exist, and a destination that does not send', async () => {
    for (const connectionId of [newId(), 'x', '%00', '..%2Fgroups'])
      expect(await set(connectionId, own.name)).toMatchObject({
        status: 400,
        body: { issues: [{ in: 'path', name: 'connectionId' }] },
      })
    for (const [destination, detail] of [
      ['nobody', 'destination names no destination of this project.'],
      [customers.name, `destination names ${customers.name}, which is a destination of type by-group.`],
    ])
      expect(await set(acme.connectionId, destination)).toMatchObject({ status: 400, body: { issues: [{ detail }] } })
    for (const destination of [undefined, 7, '', 'x'.repeat(513)])
      expect((await set(acme.connectionId, destination)).status).toBe(400)
    for (const id of ['x', newId()]) expect((await unset(id)).status).toBe(404)
    expect(await put(`${own.name}/connections/${acme.connectionId}`, own.name)).toMatchObject({
      status: 422,
      body: { context: { code: 'destination-not-by-group' } },
    })
    expect((await list()).body).toEqual([])
  })

  it('of another project look like missing ones', async () => {
    const { id: project, apiKey } = kit.app.otherProject
    const path = `/projects/${project}/destinations`
    const their = <T>(method: string, below: string, body: object) =>
      kit.app.call<T>(method, `${path}${below}`, body, { apiKey })
    await their('POST', '', { name: 'their-hook', type: 'webhook', metadata: { url: own.receiver.url } })
    await their('POST', '', { name: 'theirs', type: 'by-group', metadata: {} })
    const answers = []
    for (const connectionId of [acme.connectionId, newId()]) {
      const { status, body } = await their<Problem>('PUT', `/theirs/connections/${connectionId}`, {
        destination: 'their-hook',
      })
      answers.push([status, body.issues[0]?.detail])
    }
    expect(answers[0]).toEqual([400, 'connectionId is the id of no connection of this project.'])
    expect(answers[1]).toEqual(answers[0])
  })

  it('are deleted with the connection, with the destination, and with its type', async () => {
    const left = async () => {
      const { rows } = await sql`
        select from destination_connections where destination_id = ${customers.id}`.execute(kit.app.db.sql)
      return rows.length
    }
    const initech = await kit.connect('initech')
    expect((await set(initech, own.name)).status).toBe(200)
    await set(acme.connectionId, own.name)
    expect((await kit.app.call('DELETE', `${kit.base}/connections/${initech}`)).status).toBe(204)
    expect(await left()).toBe(1)
    const destination = { type: 'webhook', metadata: { url: own.receiver.url }, secrets: {} }
    const updateMask = ['type', 'metadata', 'secrets']
    expect((await call('PATCH', `/${customers.name}`, { updateMask, destination })).status).toBe(200)
    expect(await left()).toBe(0)
    customers = await create('by-group', {})
    await set(acme.connectionId, own.name)
    expect((await call('DELETE', `/${customers.name}`)).status).toBeLessThan(300)
    expect(await left()).toBe(0)
  })

  it('send: none can become a fan-out', async () => {
    await set(acme.connectionId, own.name)
    const destination = { type: 'fan-out', metadata: { destinations: [ofGroup.name] }, secrets: {} }
    const changed = await call<Problem>('PATCH', `/${own.name}`, {
      ...{ updateMask: ['type', 'metadata', 'secrets'], destination },
    })
    expect(changed).toMatchObject({
      status: 400,
      body: {
        issues: [{ detail: `${own.name} is a destination of ${customers.name}, so it must have a type that sends.` }],
      },
    })
  })
})
