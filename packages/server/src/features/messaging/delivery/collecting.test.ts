import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

/** Messages of warehouses are collected before they are inserted together. */

let rig: DeliveryRig
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterAll(() => rig?.app.stop())

let created = 0
/** A warehouse that collects two messages, for 30 seconds. */
async function warehouse() {
  const target = { isDown: false }
  const server = createServer((request, response) => {
    const id = new URL(request.url ?? '/', 'http://localhost').searchParams.get('query_id') ?? ''
    request.resume().on('end', () => {
      response.statusCode = target.isDown ? 500 : 200
      response.setHeader('x-clickhouse-query-id', id).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const name = `warehouse-${created++}`
  const made = await rig.app.call<{ id: string }>('POST', '/projects/default/destinations', {
    name,
    type: 'clickhouse',
    metadata: { url: `http://127.0.0.1:${port}/`, username: 'a', tableName: 'events', batchSize: 2, maxWaitSecs: 30 },
    secrets: { password: 'b' },
  })
  expect(made.status).toBe(201)
  const { id } = made.body
  const states = async () => (await rig.messages(name)).map(({ state }) => state)
  const age = (seconds: number) =>
    sql`update messages set create_time = create_time - make_interval(secs => ${seconds}) where destination_id = ${id}`.execute(
      rig.app.db.sql,
    )
  return { id, name, target, states, age }
}

it('waits until there are enough messages', async () => {
  const { id, name, states } = await warehouse()
  await rig.post(name, { text: 'one' })
  await rig.deliver(id)
  expect(await states()).toEqual(['pending'])
  await rig.post(name, { text: 'two' })
  await rig.deliver(id)
  expect(await states()).toEqual(['delivered', 'delivered'])
  await rig.post(name, { text: 'three' })
  await rig.deliver(id)
  expect((await states()).toSorted()).toEqual(['delivered', 'delivered', 'pending'])
})

it('sends what is there when the oldest message has waited long enough', async () => {
  const { id, name, states, age } = await warehouse()
  await rig.post(name, { text: 'one' })
  await age(29)
  await rig.deliver(id)
  expect(await states()).toEqual(['pending'])
  await age(2)
  await rig.deliver(id)
  expect(await states()).toEqual(['delivered'])
})

it('sends a message early that is as large as a batch', async () => {
  const { id, name, states } = await warehouse()
  await rig.post(name, { text: 'x'.repeat(5 * 2 ** 20) })
  await rig.deliver(id)
  expect(await states()).toEqual(['delivered'])
})

it('does not collect messages that are tried again', async () => {
  const { id, name, target, states, age } = await warehouse()
  await rig.post(name, { text: 'one' })
  await age(31)
  target.isDown = true
  await rig.deliver(id)
  expect(await states()).toEqual(['pending'])
  await sql`update messages set create_time = now() where destination_id = ${id}`.execute(rig.app.db.sql)
  await rig.pass(id, 60 * 60_000)
  target.isDown = false
  await rig.deliver(id)
  expect(await states()).toEqual(['delivered'])
})
