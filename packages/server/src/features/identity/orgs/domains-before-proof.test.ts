import { afterAll, beforeAll, expect, it } from 'vitest'
import { openOwnerSession, prepareRoles } from '../../../kernel/db/index.ts'
import { knownMigrations, migrate } from '../../../kernel/db/migrate.ts'
import { createEmptyDatabase } from '../../../testkit/test-database.ts'
import { mayEnter } from './index.ts'

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>
beforeAll(async () => {
  empty = await createEmptyDatabase()
})
afterAll(() => empty?.drop())

it('a claim that an earlier release took without proof admits nobody until it is verified', async () => {
  const names = await knownMigrations()
  const session = await openOwnerSession({ url: empty.url }, 'old')
  await session.db.connection().execute(prepareRoles)
  await migrate(session.db, names.slice(0, names.indexOf('0032-proven-domains')))
  await session.client.query(`
    with org as (insert into orgs (id, label) values (gen_random_uuid(), 'from before') returning id)
    insert into claimed_domains (id, org_id, domain) select gen_random_uuid(), id, name
      from org, unnest(array['bigcorp.com', 'co.uk']) name`)
  await migrate(session.db)
  const { rows } = await session.client.query(
    'select domain, verify_time, challenge from claimed_domains order by domain',
  )
  await session.close()
  expect(rows).toEqual(
    ['bigcorp.com', 'co.uk'].map((domain) => ({
      domain,
      verify_time: null,
      challenge: expect.stringMatching(/^[0-9a-f]{64}$/),
    })),
  )
  expect(rows[0].challenge).not.toBe(rows[1].challenge)
  const { system } = await empty.open()
  expect(await mayEnter(system, 'new@bigcorp.com', new Date())).toBe(false)
})
