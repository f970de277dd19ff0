import pg from 'pg'
import { vi } from 'vitest'
import type { DeliveryRig } from '../../packages/server/src/features/messaging/delivery/testing/delivery-rig.ts'
import { recordBody } from '../../packages/server/src/features/messaging/kinds/records/conformance.testkit.ts'
import { newId } from '../../packages/server/src/kernel/db/index.ts'
import type { TestedDestination } from './tested-destination.testkit.ts'

/** The lock that statements wait for while the answer is kept back. */
const lock = 4_711

/** Creates a store of records in a service. The database refuses records, and keeps statements back, as tests say. */
export async function createRecordsInService(
  { app }: Pick<DeliveryRig, 'app'>,
  name: string,
): Promise<TestedDestination> {
  const made = await app.call<{ id: string }>('POST', '/projects/default/destinations', {
    name,
    type: 'records',
    metadata: { encryption: false },
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  const superuser = new pg.Client({ connectionString: app.testDatabase.url.replace('mortise_owner@', 'postgres@') })
  superuser.on('error', () => undefined)
  await superuser.connect()
  const installation = newId()
  // An installation without what it refers to.
  await superuser.query(`set search_path to mortise; set session_replication_role = replica;
    insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
    values ('${app.projectId}', '${installation}', '${newId()}', 'acme', '${newId()}', '${newId()}', 'test');
    create function refuse_record() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${lock}); return new; end $$`)
  const holdAt = async (trigger: string) => {
    await superuser.query(`select pg_advisory_lock(${lock})`)
    await superuser.query(`create trigger held ${trigger} execute function wait_for_test()`)
    const kept = vi.waitFor(async () => {
      const { rowCount } = await superuser.query(
        `select from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted
            and database = (select oid from pg_database where datname = current_database())`,
      )
      if (rowCount === 0) throw new Error('no statement waits')
    }, 60_000)
    return { kept }
  }
  return {
    id: made.body.id,
    name,
    bodyOf: (text) => recordBody(installation, text, { text }),
    async received() {
      const { rows } = await superuser.query<{ message_id: string; record_id: string; content: string }>(
        'select message_id, record_id, content from records order by position',
      )
      return rows.map(({ message_id, record_id, content }) => ({
        id: message_id,
        body: JSON.stringify(recordBody(installation, record_id, (JSON.parse(content) as { fields: object }).fields)),
      }))
    },
    async down() {
      await superuser.query(
        'create trigger down before insert on records for each row execute function refuse_record()',
      )
    },
    async up() {
      await superuser.query('drop trigger down on records')
    },
    answerLate: () => holdAt('before insert on records for each row'),
    storeUnanswered: () =>
      holdAt(`before update on messages for each row
        when (new.state = 'delivered' and new.destination_id = '${made.body.id}')`),
    async answer() {
      await superuser.query(`select pg_advisory_unlock(${lock})`)
      await superuser.query('drop trigger if exists held on records; drop trigger if exists held on messages')
    },
    stop: () => superuser.end(),
  }
}
