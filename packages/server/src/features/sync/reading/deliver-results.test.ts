import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dropBufferedPages } from './on-request/drop-buffered-pages.ts'
import { deploy, type Installed, type ReadingKit, startReadingKit } from './reading.testkit.ts'

let kit: ReadingKit
beforeAll(async () => {
  kit = await startReadingKit()
})
afterAll(() => kit?.stop())

/** 250 records of the CRM in pages of 100: messages of 50, five of them. */
const onRequest = {
  mapToName: 'people',
  delivery: { mode: 'onRequest', pageSize: 50 },
  backfill: { defaultPeriod: { fullHistory: true } },
}

interface Message {
  installationId: string
  operationId: string
  result: { raw: { id: string } }[]
}

const messagesOf = ({ installationId }: Installed) =>
  (kit.receiver.bodies as Message[]).filter((message) => message.installationId === installationId)
const ids = (messages: Message[]) => messages.flatMap(({ result }) => result.map(({ raw }) => raw.id))

function ask({ name, groupRef }: Installed, pages: unknown, objectName = 'contacts') {
  return kit.app.call<{ issues?: { in: string; name: string; detail: string }[] }>(
    'POST',
    `//read/v1/projects/default/integrations/${name}/objects/${objectName}:deliverResults`,
    { groupRef, pages },
  )
}

const ended = (installed: Installed, count: number) =>
  kit.until(async () => {
    const operations = await kit.operations(installed)
    return operations.length === count && operations.every(({ status }) => status === 'success') && operations
  })

async function standing({ installationId }: Installed) {
  const { rows } = await sql<{ held: number; wanted: number | null }>`
    select (select count(*)::int from buffered_pages where installation_id = ${installationId}) as held,
           (select wanted::int from page_requests where installation_id = ${installationId}) as wanted`.execute(
    kit.app.db.sql,
  )
  return rows[0]
}
const stands = (installed: Installed, held: number, wanted: number | null) =>
  expect.poll(() => standing(installed), { timeout: 30_000 }).toEqual({ held, wanted })

/** Waits until no release waits or runs. */
const released = () =>
  expect
    .poll(
      async () => {
        const { rows } = await sql`
          select from mortise_jobs.job where name = 'reading.release' and state < 'completed'`.execute(
          kit.app.testDatabase.database.system,
        )
        return rows.length
      },
      { timeout: 30_000 },
    )
    .toBe(0)

describe('an object that is delivered on request', () => {
  it('is held, and released page by page, oldest first; what is asked for beyond comes with later reads', async () => {
    const installed = await kit.install({ object: onRequest })
    const [backfill] = await ended(installed, 1)
    await stands(installed, 5, 0)
    await released()
    expect(messagesOf(installed)).toEqual([])

    expect((await ask(installed, 2)).status).toBe(204)
    await stands(installed, 3, 0)
    await expect.poll(() => messagesOf(installed).length, { timeout: 30_000 }).toBe(2)
    expect(messagesOf(installed).map(({ result }) => result.length)).toEqual([50, 50])
    expect(messagesOf(installed).every(({ operationId }) => operationId === backfill?.id)).toBe(true)

    // By the other name; three of these are there, three are owed. Requests add up.
    expect((await ask(installed, 4, 'people')).status).toBe(204)
    expect((await ask(installed, 2)).status).toBe(204)
    await stands(installed, 0, 3)
    await expect.poll(() => messagesOf(installed).length, { timeout: 30_000 }).toBe(5)
    expect(new Set(ids(messagesOf(installed))).size).toBe(250)

    const trigger = await kit.app.call(
      'POST',
      `//read/v1/projects/default/integrations/${installed.name}/objects/contacts`,
      { groupRef: installed.groupRef, mode: 'async' },
    )
    expect(trigger.status).toBe(201)
    await ended(installed, 2)
    await stands(installed, 2, 0)
    await expect.poll(() => messagesOf(installed).length, { timeout: 30_000 }).toBe(8)
  })

  it('lets go of everything when it is delivered by itself again', async () => {
    const installed = await kit.install({ object: onRequest })
    await ended(installed, 1)
    await stands(installed, 5, 0)
    await deploy(kit.app, installed.name, { ...onRequest, delivery: { mode: 'auto' } })
    await stands(installed, 0, null)
    await expect.poll(() => ids(messagesOf(installed)).length, { timeout: 30_000 }).toBe(250)
  })

  it('takes what is held with it when it is uninstalled', async () => {
    const installed = await kit.install({ object: onRequest })
    await ended(installed, 1)
    await stands(installed, 5, 0)
    const { name, installationId } = installed
    const path = `/projects/default/integrations/${name}/installations/${installationId}`
    expect((await kit.app.call('DELETE', path)).status).toBe(204)
    await stands(installed, 0, null)
    expect(messagesOf(installed)).toEqual([])
  })
})

describe('pages that nobody asks for', () => {
  it('are dropped after their days, and a failed operation says so', async () => {
    const installed = await kit.install({ object: onRequest })
    await ended(installed, 1)
    await stands(installed, 5, 0)
    const { services } = kit.app.app
    const after = (days: number) =>
      dropBufferedPages({ ...services, now: () => new Date(services.now().getTime() + days * 86_400_000) })
    expect(await after(29)).toBe(false)
    expect(await standing(installed)).toEqual({ held: 5, wanted: 0 })
    expect(await after(31)).toBe(true)
    expect(await after(31)).toBe(false)
    expect(await standing(installed)).toEqual({ held: 0, wanted: 0 })
    const failed = (await kit.operations(installed)).filter(({ status }) => status === 'failure')
    expect(failed).toMatchObject([
      { result: '[contacts] 5 pages were dropped: they were not requested within 30 days.', actionType: 'read' },
    ])
    // Those of later reads are held as ever.
    expect((await ask(installed, 1)).status).toBe(204)
    await stands(installed, 0, 1)
    expect(messagesOf(installed)).toEqual([])
  })
})

describe('a request for pages', () => {
  it('of none takes effect on nothing; of a number that is none is refused', async () => {
    const installed = await kit.install({ object: { ...onRequest, backfill: undefined } })
    expect((await ask(installed, 0)).status).toBe(204)
    expect(await standing(installed)).toEqual({ held: 0, wanted: null })
    for (const pages of [-1, 1.5, '2', 1e12, undefined])
      expect(await ask(installed, pages)).toMatchObject({
        status: 400,
        body: { issues: [{ in: 'body', name: 'pages' }] },
      })
  })

  it('before anything was read is kept for what comes', async () => {
    const installed = await kit.install({ object: { ...onRequest, backfill: undefined } })
    expect((await ask(installed, 2)).status).toBe(204)
    await stands(installed, 0, 2)
  })

  it('of an object that is delivered by itself, is unknown, or is not installed says so', async () => {
    const installed = await kit.install()
    expect(await ask(installed, 1)).toMatchObject({
      status: 400,
      body: { issues: [{ in: 'path', name: 'objectName', detail: expect.stringContaining('No pages wait') }] },
    })
    expect(await ask(installed, 1, 'nope')).toMatchObject({ status: 400, body: { issues: [{ name: 'objectName' }] } })
    expect(await ask({ ...installed, groupRef: 'nobody' }, 1)).toMatchObject({
      status: 400,
      body: { issues: [{ in: 'body', name: 'groupRef' }] },
    })
    expect((await ask({ ...installed, name: 'nope' }, 1)).status).toBe(404)
  })
})
