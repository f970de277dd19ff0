import { afterAll, beforeAll, expect, it } from 'vitest'
import { openOwnerSession, prepareRoles } from '../kernel/db/index.ts'
import { knownMigrations, migrate } from '../kernel/db/migrate.ts'
import { createEmptyDatabase } from '../testkit/test-database.ts'

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>
beforeAll(async () => {
  empty = await createEmptyDatabase()
})
afterAll(() => empty?.drop())

it('keys, secrets and secrets before a rotation keep their values when their columns are renamed', async () => {
  const names = await knownMigrations()
  const session = await openOwnerSession({ url: empty.url }, 'old')
  await session.db.connection().execute(prepareRoles)
  await migrate(session.db, names.slice(0, names.indexOf('0046-accepted-terms')))
  await session.client.query(`
    with org as (insert into orgs (id, label) values (gen_random_uuid(), 'o') returning id),
         project as (insert into projects (id, org_id, name, app_name) select gen_random_uuid(), id, 'p', 'p' from org returning id)
    insert into destinations (project_id, id, name, type, metadata, sealed_secrets, previous_secrets, probe_rung)
      select id, gen_random_uuid(), 'd', 'webhook', '{"url": "https://example.com"}', 'v1.aaaaaaaa.now', '[{"sealed": "v1.aaaaaaaa.old", "until": "2026-11-22"}]', 2
        from project`)
  await session.client.query(`insert into seal_keys (key_id, state) values ('aaaaaaaa', 'active')`)
  await migrate(session.db)
  const { rows } = await session.client.query(
    'select encrypted_secrets, previous_secrets, failed_probes from destinations',
  )
  const { rows: keys } = await session.client.query('select key_id, state from encryption_keys')
  await session.close()
  expect(rows).toEqual([
    {
      encrypted_secrets: 'v1.aaaaaaaa.now',
      previous_secrets: [{ encrypted: 'v1.aaaaaaaa.old', until: '2026-11-22' }],
      failed_probes: 2,
    },
  ])
  expect(keys).toEqual([{ key_id: 'aaaaaaaa', state: 'active' }])
})
