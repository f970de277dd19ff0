import { nextTick } from '@mortise/manifest'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { claimDueReads } from './due-reads.ts'
import { crmNow, deploy, type Installed, type ReadingKit, rarely, startReadingKit } from './reading.testkit.ts'

let kit: ReadingKit
beforeAll(async () => {
  kit = await startReadingKit()
})
afterAll(() => kit.stop())

const fullHistory = { backfill: { defaultPeriod: { fullHistory: true } } }

interface Message {
  action: string
  readType: string
  objectName: string
  rawObjectName: string
  installationId: string
  operationId: string
  groupRef: string
  result: { fields: Record<string, unknown>; mappedFields?: Record<string, unknown>; raw: { id: string } }[]
}

function messagesOf({ installationId }: Installed): Message[] {
  return (kit.receiver.bodies as Message[]).filter((message) => message.installationId === installationId)
}

function recordsOf(installed: Installed, operationId?: string) {
  return messagesOf(installed)
    .filter((message) => operationId === undefined || message.operationId === operationId)
    .flatMap((message) => message.result)
}

/** The newest operation, once it has ended and its records have arrived. */
function ended(installed: Installed, records: number, atLeast = 1) {
  return kit.until(async () => {
    const operations = await kit.operations(installed)
    const [newest] = operations
    if (operations.length < atLeast || !newest || newest.status === 'in_progress') return undefined
    return recordsOf(installed, newest.id).length >= records ? newest : undefined
  })
}

async function pausedReason({ installationId }: Installed) {
  const { rows } = await sql<{ paused: string | null }>`
    select paused from read_states where installation_id = ${installationId}`.execute(kit.app.db.sql)
  return rows[0]?.paused
}

function readApi(installed: Installed, verb: 'pause' | 'unpause', body?: unknown) {
  return kit.app.call(
    'POST',
    `//read/v1/projects/default/integrations/${installed.name}/installations/${installed.installationId}:${verb}`,
    body,
  )
}

function trigger(installed: Installed, body: Record<string, unknown> = {}, objectName = 'contacts') {
  return kit.app.call<{ operationId: string; issues?: { in: string; name: string }[] }>(
    'POST',
    `//read/v1/projects/default/integrations/${installed.name}/objects/${objectName}`,
    { groupRef: installed.groupRef, mode: 'async', ...body },
  )
}

describe('a backfill', () => {
  it('delivers every record of the past once, with its fields and mappings', async () => {
    const installed = await kit.install({
      object: {
        ...fullHistory,
        mapToName: 'people',
        requiredFields: [{ fieldName: 'email' }, { fieldName: "$['company']['city']", mapToName: 'city' }],
      },
      config: {
        selectedFields: { score: true, phone: false },
        selectedFieldMappings: { lifecycle: 'stage' },
        selectedValueMappings: { stage: { won: 'customer' } },
      },
    })
    const operation = await ended(installed, 250)
    expect(operation).toMatchObject({ status: 'success', result: '[contacts] 250 records read' })
    const records = recordsOf(installed)
    expect([records.length, new Set(records.map((record) => record.raw.id)).size]).toEqual([250, 250])
    const one = records[0]
    const source = kit.crm.contact(one?.raw.id ?? '')
    expect(one).toEqual({
      id: source?.id,
      fields: { email: source?.email, score: source?.score },
      mappedFields: { city: source?.company?.city, lifecycle: source?.stage === 'customer' ? 'won' : source?.stage },
      raw: JSON.parse(JSON.stringify(source)),
    })
    expect(messagesOf(installed)[0]).toMatchObject({
      action: 'read',
      readType: 'backfill',
      objectName: 'people',
      rawObjectName: 'contacts',
      groupRef: installed.groupRef,
      operationId: operation.id,
    })
  })

  it('shows how far it has come, by either name of the object', async () => {
    const installed = await kit.install({ object: { ...fullHistory, mapToName: 'people' } })
    const { id } = await ended(installed, 250)
    const path = `/projects/default/integrations/${installed.name}/installations/${installed.installationId}/objects/people/backfill-progress`
    const { status, body } = await kit.app.call('GET', path)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      objectName: 'contacts',
      operationId: id,
      recordsProcessed: 250,
      recordsEstimatedTotal: 250,
    })
  })

  it('of some days leaves out what is older', async () => {
    const since = new Date(Date.now() - 60 * 86_400_000)
    const expected = kit.crm.contactsChangedSince(since).length
    const installed = await kit.install({ object: { backfill: { defaultPeriod: { days: 60 } } } })
    await ended(installed, expected)
    expect(recordsOf(installed).length).toBe(expected)
    expect(expected).toBeLessThan(250)
  })

  it('is not made when none is declared', async () => {
    const installed = await kit.install()
    expect(await kit.operations(installed)).toEqual([])
    const path = `/projects/default/integrations/${installed.name}/installations/${installed.installationId}/objects/contacts/backfill-progress`
    expect((await kit.app.call('GET', path)).status).toBe(404)
  })

  it('holds its messages while no destination has their name, and says so', async () => {
    const installed = await kit.install({ object: { ...fullHistory, destination: 'later' } })
    const operation = await kit.until(async () =>
      (await kit.operations(installed)).find(({ status }) => status === 'success'),
    )
    const { body } = await kit.app.call<{ message: { msg: string } }[]>(
      'GET',
      `/projects/default/operations/${operation.id}/logs`,
    )
    expect(body.map(({ message }) => message.msg)).toEqual([
      'The destination later does not exist. The messages wait until you create it.',
      '250 records read',
    ])
    expect(recordsOf(installed)).toEqual([])
    await kit.app.call('POST', '/projects/default/destinations', {
      name: 'later',
      type: 'webhook',
      metadata: { url: kit.receiver.url },
    })
    await kit.until(async () => recordsOf(installed).length === 250)
  })

  it('goes on after errors of the provider, without gaps and without giving up', async () => {
    await kit.quiet()
    kit.crm.failNext(3, 503)
    const installed = await kit.install({ object: fullHistory, skipSampling: true })
    await ended(installed, 250)
    expect(new Set(recordsOf(installed).map((record) => record.raw.id)).size).toBe(250)
  })

  it('reads only its last page again when it could not be ended after it', async () => {
    const owner = new pg.Client(kit.app.testDatabase.url)
    await owner.connect()
    await owner.query(`
      create sequence mortise.ends;
      grant usage on sequence mortise.ends to public;
      create function mortise.refuse_first_end() returns trigger language plpgsql as $$
        begin if nextval('mortise.ends') = 1 then raise 'not yet'; end if; return old; end $$;
      create trigger refuse_first_end before delete on mortise.read_runs for each row execute function mortise.refuse_first_end()`)
    const pagesBefore = kit.crm.counters().pages
    const installed = await kit.install({ object: fullHistory, skipSampling: true })
    await kit.until(async () => (await kit.operations(installed)).find(({ status }) => status === 'success'))
    await owner.query('drop trigger refuse_first_end on mortise.read_runs')
    await owner.end()
    // Three pages of 250 contacts, and the last one once more.
    expect(kit.crm.counters().pages - pagesBefore).toBe(4)
    await kit.until(async () => new Set(recordsOf(installed).map((record) => record.raw.id)).size === 250)
  })

  it('waits as long as a rate limit asks, and remembers it for the connection', async () => {
    kit.crm.setRateLimit(2, 2)
    try {
      const installed = await kit.install({ object: fullHistory, skipSampling: true })
      await ended(installed, 250)
      expect(kit.crm.counters().rateLimited).toBeGreaterThan(0)
      const { rows } = await sql<{ limited: boolean }>`
        select rate_limited_until is not null as limited from connections where id = ${installed.connectionId}`.execute(
        kit.app.db.sql,
      )
      expect(rows[0]?.limited).toBe(true)
    } finally {
      kit.crm.setRateLimit(0)
    }
  })
})

describe('a scheduled read', () => {
  it('delivers what changed since the last one, and nothing else', async () => {
    const installed = await kit.install()
    await age(installed)
    const changed = kit.crm.change(25)
    await kit.makeDue(installed.installationId)
    const operation = await ended(installed, 25)
    expect(operation.result).toBe('[contacts] 25 records read')
    expect(
      recordsOf(installed)
        .map((record) => record.raw.id)
        .sort(),
    ).toEqual(changed.map(({ id }) => id).sort())
    expect(messagesOf(installed).every((message) => message.readType === 'scheduled')).toBe(true)
  })

  it('sends no message when nothing changed', async () => {
    const installed = await kit.install()
    await kit.makeDue(installed.installationId)
    const operation = await ended(installed, 0)
    expect(operation).toMatchObject({ status: 'success', result: '[contacts] No new data found' })
    expect(messagesOf(installed)).toEqual([])
  })

  it('covers the window of a failed one too', async () => {
    const installed = await kit.install()
    await age(installed)
    kit.crm.change(5)
    await kit.quiet()
    kit.crm.failNext(1, 400)
    await kit.makeDue(installed.installationId)
    expect(await ended(installed, 0)).toMatchObject({ status: 'failure' })
    await kit.makeDue(installed.installationId)
    expect(await ended(installed, 5, 2)).toMatchObject({ status: 'success' })
    expect(recordsOf(installed)).toHaveLength(5)
  })

  it('is skipped while the destination is disabled, and its changes come with the next one', async () => {
    const installed = await kit.install()
    await age(installed)
    kit.crm.change(4)
    await sql`update destinations set disabled_time = now() where name = 'hook'`.execute(kit.app.db.sql)
    await kit.makeDue(installed.installationId)
    expect(await ended(installed, 0)).toMatchObject({ result: '[contacts] Skipped: the destination is disabled.' })
    await sql`update destinations set disabled_time = null where name = 'hook'`.execute(kit.app.db.sql)
    await kit.makeDue(installed.installationId)
    await ended(installed, 4, 2)
    expect(recordsOf(installed)).toHaveLength(4)
  })

  it('takes a schedule that a patch sets at once', async () => {
    const installed = await kit.install()
    const { status } = await kit.app.call(
      'PATCH',
      `/projects/default/integrations/${installed.name}/objects/contacts/config-content`,
      {
        installationId: installed.installationId,
        action: 'read',
        changes: [{ op: 'replace', path: '/schedule', value: '0 0 28 2 *' }],
      },
    )
    expect(status).toBe(200)
    const { rows } = await sql<{ schedule: string; next_run_at: Date }>`
      select schedule, next_run_at from read_states
       where installation_id = ${installed.installationId}`.execute(kit.app.db.sql)
    expect(rows).toEqual([{ schedule: '0 0 28 2 *', next_run_at: nextTick('0 0 28 2 *', new Date()) }])
  })

  it('of a refused credential marks the connection and pauses the object', async () => {
    const installed = await kit.install({ apiKey: 'wrong', skipSampling: true })
    await kit.makeDue(installed.installationId)
    await kit.until(async () => (await pausedReason(installed)) === 'credentials')
    const connection = await kit.app.call('GET', `/projects/default/connections/${installed.connectionId}`)
    expect(connection.body).toMatchObject({ status: 'bad_credentials' })
    const path = `/projects/default/integrations/${installed.name}/installations/${installed.installationId}`
    expect((await kit.app.call('GET', path)).body).toMatchObject({ healthStatus: 'unhealthy' })
  })

  it('and a backfill go on when the credential is good again, with nothing missing', async () => {
    const installed = await kit.install({ object: fullHistory, apiKey: 'wrong', skipSampling: true })
    expect(await pausedReason(installed)).toBe('credentials')
    await kit.reconnect(installed)
    await ended(installed, 250)
    expect(new Set(recordsOf(installed).map((record) => record.raw.id)).size).toBe(250)
    expect(await pausedReason(installed)).toBeNull()
  })

  it('that fails ten times in a row pauses the object until somebody resumes it', async () => {
    const installed = await kit.install()
    for (let failure = 1; failure <= 10; failure++) {
      await kit.quiet()
      kit.crm.failNext(1, 400)
      await kit.makeDue(installed.installationId)
      await ended(installed, 0, failure)
    }
    expect(await pausedReason(installed)).toBe('failures')
    expect((await readApi(installed, 'unpause')).status).toBe(204)
    expect(await pausedReason(installed)).toBeNull()
  })
})

describe('a run that was taken over', () => {
  it('commits nothing for the one who lost it', async () => {
    const installed = await kit.install()
    const { installationId } = installed
    const { body } = await readApi(installed, 'pause').then(() => trigger(installed))
    // Somebody else takes the run under a new fence again and again while the service reads it: no record may come
    // twice from it.
    await sql`update read_runs set fence = ${newId()}, lease_until = now() + interval '1 s'
               where installation_id = ${installationId}`.execute(kit.app.db.sql)
    await kit.until(async () =>
      (await kit.operations(installed)).find(({ id, status }) => id === body.operationId && status === 'success'),
    )
    await kit.until(async () => recordsOf(installed).length >= 250)
    expect(recordsOf(installed)).toHaveLength(250)
  })
})

describe('a triggered read', () => {
  it('reads everything when no time is given', async () => {
    const installed = await kit.install()
    const { status, body } = await trigger(installed)
    expect(status).toBe(201)
    const operation = await ended(installed, 250)
    expect(operation).toMatchObject({ id: body.operationId, status: 'success' })
    expect(messagesOf(installed)[0]).toMatchObject({ readType: 'triggered' })
  })

  it('reads the window that it is asked for, and leaves the schedule alone', async () => {
    const installed = await kit.install()
    const since = new Date(Date.now() - 200 * 86_400_000)
    const until = new Date(Date.now() - 100 * 86_400_000)
    const expected = kit.crm.contactsChangedSince(since).length - kit.crm.contactsChangedSince(until).length
    await trigger(installed, { sinceTimestamp: since.toISOString(), untilTimestamp: until.toISOString() })
    await ended(installed, expected)
    expect(recordsOf(installed)).toHaveLength(expected)
  })

  it('is refused with every reason at once', async () => {
    const installed = await kit.install()
    const { status, body } = await trigger(
      installed,
      { groupRef: 'nobody', sinceTimestamp: '2026-02-01T00:00:00Z', untilTimestamp: '2026-01-01T00:00:00Z' },
      'unknown',
    )
    expect(status).toBe(400)
    expect(body.issues?.map((issue) => issue.name)).toEqual(['untilTimestamp', 'groupRef'])
    expect((await trigger(installed, { mode: 'now' })).status).toBe(400)
    expect((await trigger(installed, { sinceTimestamp: 'yesterday' })).status).toBe(400)
    expect((await trigger(installed, {}, 'unknown')).status).toBe(400)
  })

  it('is refused for an object that the config disables', async () => {
    const installed = await kit.install({ config: { disabled: true } })
    const { status, body } = await trigger(installed)
    expect(status).toBe(400)
    expect(body.issues?.[0]).toMatchObject({ in: 'path', name: 'objectName' })
  })
})

describe('an object without a schedule', () => {
  it('is backfilled at the installation, then read only when triggered', async () => {
    const installed = await kit.install({ object: { ...fullHistory, schedule: undefined } })
    const backfill = await ended(installed, 250)
    expect(backfill).toMatchObject({ status: 'success' })

    const state = async () => {
      const { rows } = await sql`select schedule, next_run_at from read_states
        where installation_id = ${installed.installationId}`.execute(kit.app.db.sql)
      return rows
    }
    expect(await state()).toEqual([{ schedule: null, next_run_at: null }])
    expect((await readApi(installed, 'pause')).status).toBe(204)
    expect((await readApi(installed, 'unpause')).status).toBe(204)
    expect(await claimDueReads(kit.app.app.services, 100)).toEqual([])
    expect(await state()).toEqual([{ schedule: null, next_run_at: null }])
    expect(await kit.operations(installed)).toEqual([expect.objectContaining({ id: backfill.id })])

    const { body } = await trigger(installed)
    await kit.until(async () => recordsOf(installed, body.operationId).length === 250)
    expect(await kit.operations(installed)).toHaveLength(2)
  })

  it('is installed without a read, and takes the schedule of a config', async () => {
    const installed = await kit.install({ object: { schedule: undefined } })
    expect(await kit.operations(installed)).toEqual([])
    const { status } = await kit.app.call(
      'PATCH',
      `/projects/default/integrations/${installed.name}/objects/contacts/config-content`,
      {
        installationId: installed.installationId,
        action: 'read',
        changes: [{ op: 'add', path: '/schedule', value: rarely }],
      },
    )
    expect(status).toBe(200)
    await age(installed)
    kit.crm.change(3)
    await kit.makeDue(installed.installationId)
    await ended(installed, 3)
    expect(messagesOf(installed).every(({ readType }) => readType === 'scheduled')).toBe(true)
  })
})

describe('pausing', () => {
  it('stops the named objects, by either name, and is idempotent', async () => {
    const installed = await kit.install({ object: { mapToName: 'people' } })
    expect((await readApi(installed, 'pause', { objects: ['people'] })).status).toBe(204)
    expect((await readApi(installed, 'pause', { objects: ['contacts'] })).status).toBe(204)
    expect(await pausedReason(installed)).toBe('request')
    await kit.makeDue(installed.installationId)
    expect(await claimDueReads(kit.app.app.services, 100)).toEqual([])
    expect(await kit.operations(installed)).toEqual([])
    expect((await readApi(installed, 'unpause')).status).toBe(204)
    await ended(installed, 0)
  })

  it('names every object that is unknown', async () => {
    const installed = await kit.install()
    const { status, body } = await readApi(installed, 'pause', { objects: ['contacts', 'x', 'y'] })
    expect(status).toBe(400)
    expect((body['issues'] as { name: string }[]).map((issue) => issue.name)).toEqual(['objects[1]', 'objects[2]'])
  })

  it('of another project looks like a missing installation', async () => {
    const installed = await kit.install()
    const missing = { ...installed, installationId: newId() }
    const answer = await readApi(missing, 'pause')
    expect(answer.status).toBe(404)
    const foreign = await kit.app.call(
      'POST',
      `//read/v1/projects/other/integrations/${installed.name}/installations/${installed.installationId}:pause`,
      undefined,
      { apiKey: kit.app.otherProject.apiKey },
    )
    expect(foreign.status).toBe(404)
    expect((foreign.body as { title: string }).title).toBe((answer.body as { title: string }).title)
  })
})

describe('a deploy', () => {
  it('that changes the schedule reaches the installations', async () => {
    const installed = await kit.install()
    await deploy(kit.app, installed.name, { schedule: '0 0 28 2 *' })
    await kit.until(async () => {
      const { rows } = await sql<{ schedule: string }>`
        select schedule from read_states where installation_id = ${installed.installationId}`.execute(kit.app.db.sql)
      return rows[0]?.schedule === '0 0 28 2 *'
    })
  })

  it.each([
    [false, null],
    [true, 'removed'],
  ])('that leaves the object out, destructive %s, pauses it for %s', async (destructive, paused) => {
    const installed = await kit.install()
    await deploy(kit.app, installed.name, { objectName: 'companies' }, destructive)
    expect(await pausedReason(installed)).toBe(paused)
  })
})

/** Puts the mark of an installation at the CRM's present, before any change of the test. */
async function age({ installationId }: Installed): Promise<void> {
  await sql`update read_states set high_water_mark = ${new Date(crmNow())} where installation_id = ${installationId}`.execute(
    kit.app.db.sql,
  )
}
