import { randomBytes } from 'node:crypto'
import pg from 'pg'
// biome-ignore-start lint/style/noRestrictedImports: the service that gives this kind what it stores with.
import { newId } from '../../../../kernel/db/index.ts'
import { createKeyring } from '../../../../kernel/encryption/index.ts'
import { createTestDatabase } from '../../../../testkit/test-database.ts'
import { storeRecords } from '../../records/index.ts'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import type { KindHarness, TestTarget } from '../conformance.testkit.ts'
import type { OutgoingMessage } from '../kind.ts'

const installation = '0197b1c0-0000-7000-8000-00000000000f'

/** Returns the body of a message with one record. */
export function recordBody(installationId: string, id: string, fields: object): object {
  return {
    action: 'read',
    provider: 'crm',
    groupRef: 'acme',
    installationId,
    objectName: 'contacts',
    resultInfo: { type: 'inline', numRecords: 1 },
    result: [{ id, fields }],
  }
}

const bodyOf = (id: string, fields: object) => JSON.stringify(recordBody(installation, id, fields))

function messages(...texts: string[]): OutgoingMessage[] {
  return texts.map((text, index) => ({
    id: `0197b1c0-0000-7000-8000-${String(index).padStart(12, '0')}`,
    kind: 'read',
    eventType: undefined,
    body: Buffer.from(bodyOf(text, { text })),
  }))
}

const refusing = (condition: string) => `
  create or replace function refuse_records() returns trigger language plpgsql as $$
    begin if ${condition} then raise 'refused by a trigger'; end if; return new; end $$`

/** A database of the service with a store, and an installation without what it refers to. */
async function start(): Promise<TestTarget> {
  const testDatabase = await createTestDatabase()
  const [project, destination] = [newId(), newId()]
  const superuser = new pg.Client({ connectionString: testDatabase.url.replace('mortise_owner@', 'postgres@') })
  superuser.on('error', () => undefined)
  await superuser.connect()
  await superuser.query(`set search_path to mortise; set session_replication_role = replica;
    insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
    values ('${project}', '${installation}', '${newId()}', 'acme', '${newId()}', '${newId()}', 'test');
    insert into record_stores (project_id, id, destination_id) values ('${project}', '${newId()}', '${destination}')`)
  await superuser.query(refusing(`new.record_id = 'bad'`))
  await superuser.query('create trigger refuse before insert on records for each row execute function refuse_records()')
  const keyring = createKeyring({ active: randomBytes(32) })
  const db = testDatabase.database.forProject(project)
  let calls = 0
  let behaving: Promise<unknown> = Promise.resolve()
  const statements: Record<string, string> = {
    accept: 'rollback',
    hang: 'begin; select from record_stores for update',
    'refuses every record': refusing('true'),
    'has no store any more': 'update record_stores set destination_id = null',
  }
  return {
    port: 0,
    settings: { retentionDays: 30, encryption: false },
    secret: '',
    services: {
      async storeRecords(changes, options) {
        calls++
        await behaving
        return await storeRecords(db, { keyring, destinationId: destination }, changes, options)
      },
    },
    async received() {
      const { rows } = await superuser.query<{ message_id: string; record_id: string; content: string }>(
        'select message_id, record_id, content from records order by position',
      )
      return rows.map(({ message_id, record_id, content }) => ({
        id: message_id,
        body: bodyOf(record_id, (JSON.parse(content) as { fields: object }).fields),
        headers: {},
      }))
    },
    behave(behavior) {
      behaving = behaving.then(() => superuser.query(statements[behavior] ?? ''))
    },
    connections: () => ({ open: 0, total: calls }),
    async stop() {
      await behaving
      await superuser.end()
      await testDatabase.drop()
    },
  }
}

export const harness: KindHarness = {
  isInternal: true,
  messages,
  isUnsigned: true,
  storesOnce: true,
  hasOptionalSecrets: true,
  settingsFor: () => ({}),
  wrong: { input: { retentionDays: 0, encryption: 'yes' }, names: ['retentionDays', 'encryption'] },
  failures: { 'refuses every record': 'retry', 'has no store any more': 'cancelled' },
  start,
}
