import { join } from 'node:path'
import { sql } from 'kysely'
import { type Database, newId } from '../../../kernel/db/index.ts'
import { createEnvelope, generateApiKey, hashApiKey, type Keyring, Secret } from '../../../kernel/encryption/index.ts'
import { ensureProject } from '../projects/index.ts'
import { writeKeyFile } from './key-file.ts'
import { canBeApiKey, hintOf } from './key-form.ts'
import { hasApiKey, insertApiKey, isKnownKey } from './store.ts'

export interface BootstrapOptions {
  database: Pick<Database, 'system'>
  keyring: Keyring
  /** The operator's own key, added if it is not stored yet. */
  bootstrapApiKey?: string | undefined
  /** Directory of the key file. */
  dataDir: string
  /** Create an additional key, and write it to the file. */
  newKey: boolean
}

export interface Bootstrapped {
  projectId: string
  /** Set only if the key was just created. An operator's own key is not returned. */
  key: Secret<string> | undefined
  /** File that a new key was written to. */
  keyFile: string
}

/** The operator's key is not valid. The message lists the requirements. */
export class BootstrapKeyUnusable extends Error {
  override name = 'BootstrapKeyUnusable'
}

/**
 * Ensures that the project `default` exists and has a key. It is safe to run on every start and on several nodes
 * concurrently: the first one does the work. The key file is written before the transaction commits, so that no active
 * key is unknown to everybody.
 *
 * @throws BootstrapKeyUnusable
 */
export async function bootstrap(options: BootstrapOptions): Promise<Bootstrapped> {
  const { database, keyring, bootstrapApiKey, dataDir, newKey } = options
  if (bootstrapApiKey !== undefined && !canBeApiKey(bootstrapApiKey)) {
    throw new BootstrapKeyUnusable(
      'MORTISE_BOOTSTRAP_API_KEY must begin with mortise_ and have 32 to 200 characters in all: letters, digits and _ . ~ + / = -. ' +
        'A key that looks like a generated one must have the right checksum.',
    )
  }
  const keyFile = join(dataDir, 'api-key')
  return await database.system.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('mortise.bootstrap'))`.execute(tx)
    const projectId = await ensureProject(tx, 'default', newId)

    const add = async (key: string, label: string): Promise<Secret<string> | undefined> => {
      const id = newId()
      const hash = hashApiKey(keyring.derive('api-key-pepper'), key)
      if (await isKnownKey(tx, hash)) return undefined
      await insertApiKey(tx, {
        project_id: projectId,
        id,
        label,
        scopes: ['full'],
        hash,
        encrypted: createEnvelope(keyring).encrypt(key, {
          table: 'api_keys',
          project: projectId,
          row: id,
          column: 'encrypted',
        }),
        hint: hintOf(key),
        created_by: 'builder:bootstrap',
      })
      await writeKeyFile(keyFile, key)
      return new Secret(key)
    }

    if (bootstrapApiKey !== undefined) await add(bootstrapApiKey, 'Set by the operator')
    const wanted = newKey || !(await hasApiKey(tx, projectId))
    const key = wanted ? await add(generateApiKey(), newKey ? 'Added at start' : 'First key') : undefined
    return { projectId, key, keyFile }
  })
}
