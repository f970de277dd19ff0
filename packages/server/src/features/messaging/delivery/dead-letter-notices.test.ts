import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deadLettersEvent, noticeDeadLetters } from '../destinations/index.ts'
import { type NewMessage, postMessages } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

let rig: DeliveryRig
let alerts: { id: string; name: string }
/** Messages of the group `.` have no path of a URL, so this type refuses them without a request. */
const refusing = 'http://127.0.0.1:59999/hooks/{{groupRef}}'

beforeAll(async () => {
  rig = await startDeliveryRig()
  alerts = await rig.create(refusing)
  await routed(alerts)
})
afterAll(() => rig?.app.stop())

const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const response = await rig.app.call<T>(method, `/projects/default/${path}`, body)
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300)
  return response.body
}

let topics = 0
async function routed({ id: destinationId }: { id: string }): Promise<void> {
  const { id: topicId } = await call<{ id: string }>('POST', 'topics', { name: `dead-letters-${topics++}` })
  await call('POST', 'notification-event-topic-routes', { eventType: deadLettersEvent, topicId })
  await call('POST', 'topic-destination-routes', { topicId, destinationId })
}

async function refused({ id, name }: { id: string; name: string }, count: number): Promise<void> {
  await rig.post(name, ...Array.from({ length: count }, () => ({ groupRef: '.' })))
  await rig.deliver(id)
}

const notice = () => noticeDeadLetters(rig.app.app.services)

/** Counts in the notices to a destination about another, oldest first. */
async function notices(about: { id: string }, to = alerts.name): Promise<number[]> {
  const rows = await rig.app.db.sql
    .selectFrom('messages')
    .select('payload')
    .where('destination_name', '=', to)
    .where('event_type', '=', deadLettersEvent)
    .orderBy('id')
    .execute()
  return rows
    .map(
      ({ payload }) => JSON.parse(payload.toString()) as { data: { destinationId: string; deadLetterCount: number } },
    )
    .flatMap(({ data }) => (data.destinationId === about.id ? [data.deadLetterCount] : []))
}

async function pass(destination: { id: string }, minutes: number): Promise<void> {
  await sql`
    update destinations
       set dead_letters_due_at = dead_letters_due_at - make_interval(mins => ${minutes}),
           dead_letters_noticed_at = dead_letters_noticed_at - make_interval(mins => ${minutes})
     where id = ${destination.id}`.execute(rig.app.db.sql)
}

describe('new dead letters', () => {
  it('are reported once, and then once an hour with their number', async () => {
    const orders = await rig.create(refusing)
    await refused(orders, 3)
    expect(await notices(orders)).toEqual([])
    await notice()
    await notice()
    expect(await notices(orders)).toEqual([3])

    await refused(orders, 2)
    await refused(orders, 4)
    await notice()
    await pass(orders, 59)
    await notice()
    expect(await notices(orders)).toEqual([3])
    await pass(orders, 1)
    await notice()
    expect(await notices(orders)).toEqual([3, 9])

    await pass(orders, 600)
    await notice()
    expect(await notices(orders)).toEqual([3, 9])
  })

  it('are reported with their destination', async () => {
    const named = await rig.create(refusing)
    await refused(named, 1)
    await notice()
    const [last] = await rig.app.db.sql
      .selectFrom('messages')
      .select('payload')
      .where('destination_name', '=', alerts.name)
      .orderBy('id', 'desc')
      .limit(1)
      .execute()
    expect(JSON.parse(String(last?.payload))).toEqual({
      notificationType: 'destination.deadletter.added',
      data: {
        projectId: rig.app.projectId,
        destinationId: named.id,
        destinationName: named.name,
        deadLetterCount: 1,
      },
    })
  })

  it('are not reported after they were discarded', async () => {
    const cleaned = await rig.create(refusing)
    await refused(cleaned, 2)
    await call('POST', 'dead-letters:discard', { destination: cleaned.name })
    await notice()
    expect(await notices(cleaned)).toEqual([])
    // And the next ones need not wait for an hour.
    await refused(cleaned, 1)
    await notice()
    expect(await notices(cleaned)).toEqual([1])
  })

  it('of messages that were tried until the end are reported, too', async () => {
    const down = await rig.create('http://127.0.0.1:59999/hooks')
    await rig.post(down.name, { n: 1 })
    await sql`update messages set attempt = 7 where destination_id = ${down.id}`.execute(rig.app.db.sql)
    await rig.deliver(down.id)
    await notice()
    expect(await notices(down)).toEqual([1])
  })

  it('are reported by one of two nodes', async () => {
    const shared = await rig.create(refusing)
    await refused(shared, 1)
    await Promise.all([notice(), notice()])
    expect(await notices(shared)).toEqual([1])
  })
})

describe('a destination of notifications', () => {
  it('gets none about its own dead letters, but others do', async () => {
    const watched = await rig.create(refusing)
    await routed(watched)
    await refused(watched, 1)
    await notice()
    expect([await notices(watched, watched.name), await notices(watched)]).toEqual([[], [1]])
  })

  it('causes no notice when a notice itself becomes a dead letter', async () => {
    const other = await rig.create('http://127.0.0.1:59999/hooks')
    await routed(other)
    const message: NewMessage = {
      destinationName: alerts.name,
      kind: 'notification',
      eventType: deadLettersEvent,
      payload: Buffer.from(JSON.stringify({ groupRef: '.' })),
    }
    await rig.app.db.transaction((tx) => postMessages(tx, rig.app.app.services, [message]))
    await rig.deliver(alerts.id)
    const { deadLetterCount } = await call<{ deadLetterCount?: number }>('GET', `destinations/${alerts.id}`)
    expect(deadLetterCount).toBeGreaterThan(0)
    await notice()
    expect(await notices(alerts, other.name)).toEqual([])
  })
})
