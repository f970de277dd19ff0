import { sql } from 'kysely'
import { type Database, newId } from '../kernel/db/index.ts'
import { createEnvelope, generateApiKey, hashApiKey, type Keyring } from '../kernel/encryption/index.ts'

interface Opened {
  database: Database
  keyring: Keyring
}

/** A further project in an org of its own, with a key: the other tenant. */
export async function insertProject({
  database,
  keyring,
  name,
}: Opened & { name: string }): Promise<{ id: string; apiKey: string }> {
  const orgId = newId()
  const id = newId()
  await sql`insert into orgs (id, label) values (${orgId}, ${name})`.execute(database.system)
  await sql`insert into projects (id, org_id, name, app_name) values (${id}, ${orgId}, ${name}, ${name})`.execute(
    database.system,
  )
  return { id, apiKey: await insertApiKey({ database, keyring }, id, 'full') }
}

/** One more key of a project. */
export async function insertApiKey(
  { database, keyring }: Opened,
  projectId: string,
  scope: 'full' | 'frontend',
): Promise<string> {
  const key = generateApiKey()
  const id = newId()
  const encrypted = createEnvelope(keyring).encrypt(key, {
    table: 'api_keys',
    project: projectId,
    row: id,
    column: 'encrypted',
  })
  await database.system
    .insertInto('api_keys')
    .values({
      project_id: projectId,
      id,
      label: scope,
      scopes: [scope],
      hash: hashApiKey(keyring.derive('api-key-pepper'), key),
      encrypted,
      hint: key.slice(-4),
      created_by: 'builder:test',
    })
    .execute()
  return key
}
