import pg from 'pg'
import { encryptCredential } from '../../packages/server/src/features/accounts/credentials/index.ts'
import { newId } from '../../packages/server/src/kernel/db/index.ts'
import { createEnvelope, createKeyring } from '../../packages/server/src/kernel/encryption/index.ts'
import type { BenchDatabase } from './bench-database.ts'
import { first } from './first.ts'
import type { Service } from './service.ts'

const perStatement = 5_000

/**
 * Deploys an integration that reads contacts every ten minutes. Connects one customer and installs it through the API,
 * and copies that customer until there are `count`, each with a group, a connection and a credential of its own.
 */
export async function insertCustomers(
  service: Service,
  database: BenchDatabase,
  customers: { count: number; providerUrl: string; receiverUrl: string; destination?: string },
): Promise<void> {
  const { count, providerUrl, receiverUrl, destination = 'receiver' } = customers
  await service.call('POST', '/destinations', { name: destination, type: 'webhook', metadata: { url: receiverUrl } })
  const object = {
    objectName: 'contacts',
    destination,
    schedule: '*/10 * * * *',
    requiredFields: ['id', 'email', 'updated_at', 'notes'].map((fieldName) => ({ fieldName })),
  }
  const integrations = [{ name: 'polls', provider: 'benchPolls', read: { objects: [object] } }]
  const deployed = await service.call<{ id: string }[]>('PUT', '/integrations:batch', {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }),
  })
  const connection = await service.call<{ id: string }>('POST', '/connections:generate', {
    groupRef: 'customer',
    consumerRef: 'user',
    provider: 'benchPolls',
    apiKey: 'bench',
    providerMetadata: { url: providerUrl },
  })
  await service.call('POST', `/integrations/${first(deployed).id}/installations`, {
    groupRef: 'customer',
    connectionId: connection.id,
    config: { content: { provider: 'benchPolls', read: { objects: { contacts: { objectName: 'contacts' } } } } },
  })
  await copyCustomer(database, count - 1)
}

async function copyCustomer({ superuser, env }: BenchDatabase, count: number): Promise<void> {
  const envelope = createEnvelope(createKeyring({ active: Buffer.from(env['MORTISE_ENCRYPTION_KEY'] ?? '', 'base64') }))
  const client = new pg.Client({ ...superuser, options: '-c search_path=mortise' })
  await client.connect()
  try {
    const { rows } = await client.query<{ project_id: string }>('select project_id from installations')
    const { project_id: project } = first(rows)
    for (let from = 0; from < count; from += perStatement) {
      const copies = Array.from({ length: Math.min(perStatement, count - from) }, (_, n) => {
        const connection = newId()
        return {
          ref: `customer-${from + n}`,
          connection,
          installation: newId(),
          config: newId(),
          encrypted: encryptCredential(envelope, project, connection, { scheme: 'apiKey', apiKey: 'bench' }),
        }
      })
      await client.query('begin')
      await client.query(
        `create temporary table copies on commit drop as select * from jsonb_to_recordset($1::jsonb)
           as copy (ref text, connection uuid, installation uuid, config uuid, encrypted text)`,
        [JSON.stringify(copies)],
      )
      for (const [table, replaced] of Object.entries(replacements))
        await client.query(await copyOf(client, table, replaced))
      await client.query('commit')
    }
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

/** What differs between customers, by table and column. */
const replacements: Record<string, Record<string, string>> = {
  groups: { group_ref: 'copy.ref' },
  connections: { id: 'copy.connection', group_ref: 'copy.ref' },
  connection_credentials: { connection_id: 'copy.connection', encrypted: 'copy.encrypted' },
  installations: {
    id: 'copy.installation',
    group_ref: 'copy.ref',
    connection_id: 'copy.connection',
    config_id: 'copy.config',
  },
  configs: { id: 'copy.config', installation_id: 'copy.installation' },
  // Far in the future: the benchmark decides when reads are due.
  read_states: { installation_id: 'copy.installation', next_run_at: `now() + interval '1 day'`, fence: 'null::uuid' },
}

/** The statement that copies the one row of the first customer for each of the copies. */
async function copyOf(client: pg.Client, table: string, replaced: Record<string, string>): Promise<string> {
  const { rows } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  const columns = rows.map(({ column }) => column)
  const values = columns.map((column) => replaced[column] ?? `original.${column}`)
  return `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from copies as copy,
    (select * from ${table} order by ${table === 'groups' || table === 'connections' ? 'create_time' : '1, 2'} limit 1) as original`
}
