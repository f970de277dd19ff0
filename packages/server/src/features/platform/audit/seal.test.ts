import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serviceLog } from '../../../kernel/http/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { auditTicks } from './index.ts'
import type { AuditVerification } from './model.ts'
import { sealLogs } from './seal.ts'

let app: TestApp
let database: pg.Client
beforeEach(async () => {
  // Without workers: the tests seal.
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  database = new pg.Client({ connectionString: app.testDatabase.url, options: '-c search_path=mortise' })
  await database.connect()
})
afterEach(async () => {
  await database?.end()
  await app?.stop()
})

const change = async (name: string) => {
  const { body } = await app.call<{ id: string }>('POST', '/projects/default/topics', { name })
  const { body: entries } = await app.call<{ id: string }[]>('GET', `/projects/default/audit-log?resourceId=${body.id}`)
  return entries[0]?.id ?? ''
}
const seal = () => sealLogs(app.app.services)

/** Verifies all parts, and returns the sums. */
async function verify() {
  const sum = { checkedSeals: 0, checkedEntries: 0, expiredEntries: 0, unsealedEntries: 0 }
  let token: string | undefined
  do {
    const query = token === undefined ? '' : `?pageToken=${token}`
    const { status, body } = await app.call<AuditVerification>('GET', `/projects/default/audit-log:verify${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += body[name]
    if (body.fault) return { ...sum, fault: body.fault }
    token = body.nextPageToken
  } while (token !== undefined)
  return sum
}

describe('the seals of a log', () => {
  it('form a chain over all entries, and new entries wait for the next one', async () => {
    await change('one')
    await change('two')
    await seal()
    await change('three')
    await seal()
    await change('four')
    expect(await verify()).toEqual({ checkedSeals: 2, checkedEntries: 3, expiredEntries: 0, unsealedEntries: 1 })
  })

  it('do not fork when nodes seal at the same time', async () => {
    for (const name of ['one', 'two', 'three']) await change(name)
    await Promise.all([seal(), seal(), seal()])
    await seal()
    expect(await verify()).toEqual({ checkedSeals: 1, checkedEntries: 3, expiredEntries: 0, unsealedEntries: 0 })
  })

  it('include an entry that commits after later ones', async () => {
    await change('later')
    await seal()
    const { record } = { record: app.app.services.now() }
    app.clock.set(new Date(record.getTime() - 60_000))
    await change('earlier')
    await seal()
    expect(await verify()).toEqual({ checkedSeals: 2, checkedEntries: 2, expiredEntries: 0, unsealedEntries: 0 })
  })

  it('are verified in parts, however many there are', async () => {
    for (let number = 0; number < 23; number++) {
      await change(`topic-${number}`)
      await seal()
    }
    expect(await verify()).toMatchObject({ checkedSeals: 23, checkedEntries: 23 })
  })
})

describe('a verification', () => {
  const sealed = async () => {
    const ids = [await change('one'), await change('two'), await change('three')]
    await seal()
    return ids[1] ?? ''
  }

  it('names an entry that was changed', async () => {
    const entryId = await sealed()
    await database.query(`update audit_entries set actor_name = 'somebody else' where id = $1`, [entryId])
    expect(await verify()).toMatchObject({ fault: { kind: 'changedEntry', entryId, sealNumber: 1, sequence: 2 } })
  })

  it('names an entry that was removed', async () => {
    const entryId = await sealed()
    await database.query('delete from audit_entries where id = $1', [entryId])
    expect(await verify()).toMatchObject({ fault: { kind: 'missingEntry', entryId, sealNumber: 1, sequence: 2 } })
  })

  it('names an entry that was inserted past the service', async () => {
    await sealed()
    const entryId = '0198c0de-0000-7000-8000-000000000001'
    await database.query(
      `insert into audit_entries (project_id, id, actor_kind, action, verb, outcome, resource_kind)
       values ($1, $2, 'system', 'createTopic', 'create', 'success', 'topic')`,
      [app.projectId, entryId],
    )
    expect(await verify()).toMatchObject({ fault: { kind: 'insertedEntry', entryId } })
  })

  it('names a seal that was changed, and one that was removed', async () => {
    await sealed()
    await change('four')
    await seal()
    await database.query(
      `update audit_seals set entry_ids = entry_ids[2:3], entry_hashes = substr(entry_hashes, 33)
                           where project_id = $1 and number = 1`,
      [app.projectId],
    )
    expect(await verify()).toMatchObject({ fault: { kind: 'changedSeal', sealNumber: 1 } })
    await database.query('delete from audit_seals where project_id = $1 and number = 1', [app.projectId])
    expect(await verify()).toMatchObject({ fault: { kind: 'missingSeal', sealNumber: 1 } })
  })

  it('finds the entries of a last seal that was removed', async () => {
    await sealed()
    await database.query('delete from audit_seals where project_id = $1', [app.projectId])
    expect(await verify()).toMatchObject({ fault: { kind: 'insertedEntry' } })
  })
})

describe('retention', () => {
  const retain = () =>
    auditTicks({ ...app.app.services })
      .find(({ name }) => name === 'audit.retention')
      ?.run(new AbortController().signal)

  it('deletes old entries, and the chain stays intact without them', async () => {
    const present = app.clock.now()
    app.clock.set(new Date(present.getTime() - 500 * 86_400_000))
    await change('old')
    await seal()
    app.clock.set(present)
    await change('new')
    await seal()
    await retain()
    expect(await verify()).toEqual({ checkedSeals: 2, checkedEntries: 1, expiredEntries: 1, unsealedEntries: 0 })
  })

  it('never deletes an entry of the last 90 days', async () => {
    await expect(database.query('select delete_old_audit_entries(current_date - 89, 10)')).rejects.toThrow('90 days')
  })
})

it('seals the log of the service too', async () => {
  await app.call('POST', '/sessions', { email: 'unknown@example.com', password: 'x' }, { apiKey: null })
  await seal()
  const { rows } = await database.query('select number from audit_seals where project_id = $1', [serviceLog])
  expect(rows).toEqual([{ number: '1' }])
})
