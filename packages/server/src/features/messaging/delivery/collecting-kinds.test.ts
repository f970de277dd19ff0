import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
// biome-ignore lint/style/noRestrictedImports: the servers that the tests of the kinds use.
import { kindsToTest } from '../kinds/conformance.testkit.ts'
import { type DestinationKind, destinationKinds } from '../kinds/index.ts'
// biome-ignore lint/style/noRestrictedImports: what a request has in `secrets`.
import { secretNames, withoutSecrets } from '../kinds/secret-settings.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

/** Kinds that send immediately collect messages on request. */

let rig: DeliveryRig
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterAll(() => rig?.app.stop())

/** Kinds that always collect, or only for files. */
const others = ['clickhouse', 'bigquery', 'snowflake', 'redshift', 's3', 'gcs', 'azureblob']
const onRequest = (await kindsToTest(destinationKinds)).filter(
  ({ kind }) => 'maxWaitSecs' in kind.properties && !others.includes(kind.name),
)

const given = (kind: DestinationKind, settings: object) => ({
  metadata: withoutSecrets(kind, settings),
  secrets: Object.fromEntries(secretNames(kind).map((key) => [key, Reflect.get(settings, key)])),
})

it('are those with batches, but for records', () => {
  const named = (kinds: readonly DestinationKind[]) =>
    kinds.map(({ name }) => name).filter((name) => ![...others, 'records'].includes(name))
  const collecting = destinationKinds.filter(({ properties }) => 'maxWaitSecs' in properties)
  expect(named(collecting)).toEqual(named(destinationKinds.filter(({ limits }) => limits.maxBatch > 1)))
})

let created = 0
describe.each(onRequest)('$label', ({ label, kind, harness }) => {
  async function create(settings: object) {
    const target = await harness.start()
    onTestFinished(() => target.stop())
    const name = `collecting-${label}-${created++}`
    const body = { name, type: kind.name, ...given(kind, { ...target.settings, ...settings }) }
    const made = await rig.app.call<{ id: string }>('POST', '/projects/default/destinations', body)
    expect([made.status, made.body]).toMatchObject([201, {}])
    const { id } = made.body
    const deliver = async () => {
      await rig.deliver(id)
      return (await rig.messages(name)).map(({ state }) => state)
    }
    const age = (seconds: number) =>
      sql`update messages set create_time = create_time - make_interval(secs => ${seconds}) where destination_id = ${id}`.execute(
        rig.app.db.sql,
      )
    onTestFinished(async () => {
      await rig.app.call('DELETE', `/projects/default/destinations/${id}`)
    })
    return { name, deliver, age, target }
  }

  it('sends together what was collected: as many as are enough, or what waited long enough', async () => {
    const { name, deliver, age, target } = await create({ maxWaitSecs: 30, batchSize: 2 })
    await rig.post(name, { text: 'one' })
    expect(await deliver()).toEqual(['pending'])
    expect(await target.received()).toEqual([])
    await rig.post(name, { text: 'two' })
    expect(await deliver()).toEqual(['delivered', 'delivered'])
    await rig.post(name, { text: 'three' })
    await age(29)
    expect((await deliver()).toSorted()).toEqual(['delivered', 'delivered', 'pending'])
    await age(2)
    expect(await deliver()).toEqual(['delivered', 'delivered', 'delivered'])
    await rig.post(name, { text: 'x'.repeat(2 ** 20) })
    expect((await deliver()).includes('pending')).toBe(false)
  })

  it('sends immediately by default, and refuses a size without a time', async () => {
    const { name, deliver, target } = await create({})
    await rig.post(name, { text: 'one' })
    expect(await deliver()).toEqual(['delivered'])
    expect(kind.collecting?.(target.settings)).toBeUndefined()
    const body = { name: 'none', type: kind.name, ...given(kind, { ...target.settings, batchSize: 2 }) }
    const { status, body: problem } = await rig.app.call('POST', '/projects/default/destinations', body)
    expect([status, JSON.stringify(problem)]).toEqual([400, expect.stringContaining('Set maxWaitSecs')])
  })
})
