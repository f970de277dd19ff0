import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type PostgresTarget,
  startPostgresTarget,
} from '../packages/server/src/features/messaging/kinds/postgres/conformance.testkit.ts'
import { type OddFront, startOddFront } from '../packages/server/src/features/sync/reading/odd-answers.testkit.ts'
import { type ReadingKit, startReadingKit } from '../packages/server/src/features/sync/reading/reading.testkit.ts'

let kit: ReadingKit
let front: OddFront
let target: PostgresTarget
beforeAll(async () => {
  kit = await startReadingKit({ contacts: 250 })
  front = await startOddFront(kit.crm.url, fetch)
  target = await startPostgresTarget()
})
afterAll(async () => {
  await kit?.stop()
  await front?.close()
  await target?.stop()
})

const path = '/projects/default/destinations/tables'

it('the first rows of a resend can be selected while it is in progress', async () => {
  const { caCertificate: _, ...metadata } = target.settings as { caCertificate: string }
  const created = await kit.app.call('POST', '/projects/default/destinations', {
    ...{ name: 'tables', type: 'postgres', metadata },
  })
  expect(created.status).toBe(201)
  await kit.install({ object: { destination: 'tables' }, url: front.url, skipSampling: true })
  await kit.quiet()
  const tables = () => target.query("select from pg_tables where tablename = 'contacts'")
  const rows = async () =>
    (await tables()).length === 0 ? [] : await target.query<{ email: string }>('select email from contacts')
  const resend = async () => {
    const { body } = await kit.app.call<{ status: string; reads: { done: number }; records: number }>(
      'GET',
      `${path}/resend`,
    )
    return body
  }
  expect(await rows()).toEqual([])

  const { promise: seen, resolve: release } = Promise.withResolvers<void>()
  front.hold(seen, { afterPages: 1 })
  expect((await kit.app.call('POST', `${path}:resend`)).status).toBe(202)
  // One page of the CRM: the second is not answered before these rows are found.
  await expect.poll(async () => (await rows()).length).toBe(100)
  expect((await rows()).filter(({ email }) => email.includes('@'))).toHaveLength(100)
  expect(await resend()).toMatchObject({ status: 'in_progress', reads: { done: 0 } })
  await expect.poll(() => front.cursors).toEqual(['', expect.stringMatching(/./)])

  release()
  await expect.poll(async () => (await resend()).status).toBe('success')
  expect(await resend()).toMatchObject({ status: 'success', records: 250 })
  await expect.poll(async () => (await rows()).length).toBe(250)
})
