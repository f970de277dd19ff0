import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import type { KeptPostgres } from './kernel/db/embedded/keep-embedded.ts'
import { type Database, encryptionKeysInUse, openDatabase, provision } from './kernel/db/index.ts'
import {
  createKeyring,
  generateEncryptionKeyFile,
  type Keyring,
  parseEncryptionKey,
  readEncryptionKeyFile,
} from './kernel/encryption/index.ts'
import type { Logger } from './kernel/telemetry/index.ts'

/**
 * The database and the encryption key. They are opened together, because a new key may only be made for a database
 * without secrets.
 */
export interface Storage {
  /** The configuration, adjusted to the location of the database. */
  config: Config
  database: Database
  keyring: Keyring
  /** Folder of the embedded database. */
  embeddedIn: string | undefined
  /** Path of the key file that this start created. */
  newEncryptionKeyFile: string | undefined
  /** Resolves when the embedded server ended and cannot be restarted. */
  lost: Promise<Error> | undefined
  /** Closes the database, and ends the embedded server. */
  close(): Promise<void>
}

/** There is no encryption key, and none may be made. */
export class NoEncryptionKey extends Error {
  override name = 'NoEncryptionKey'
}

/** The database of DATABASE_URL cannot be used. The message says why, without the URL, which contains a password. */
export class DatabaseUnusable extends Error {
  override name = 'DatabaseUnusable'
  constructor(cause: unknown) {
    const errors = cause instanceof AggregateError ? cause.errors : [cause]
    const why = errors.map((error) => (error instanceof Error ? error.message : String(error))).join('; ')
    super(`The database at DATABASE_URL cannot be used: ${why}`, { cause })
  }
}

/**
 * Opens the database of DATABASE_URL, or the embedded one.
 *
 * @param embedded the embedded server, if the caller has started it
 */
export async function openStorage(config: Config, log: Logger, embedded?: Promise<KeptPostgres>): Promise<Storage> {
  const onError = (error: Error) => log.warn({ err: error }, 'lost a database connection')
  const common = {
    poolSize: config.databasePoolSize,
    applicationName: 'mortise',
    onError,
    silenceMs: config.databaseSilenceMs,
  }
  if (config.databaseUrl !== undefined) {
    const keyring = configuredKeyring(config)
    if (!keyring) {
      throw new NoEncryptionKey(
        'DATABASE_URL needs an encryption key. Set MORTISE_ENCRYPTION_KEY to 32 random bytes in base64 (openssl rand -base64 32), the same on every node. Store it safely: without it, stored credentials are lost.',
      )
    }
    const { databaseDirectUrl: directUrl } = config
    const database = await openDatabase({
      ...common,
      address: { url: config.databaseUrl },
      ...(directUrl !== undefined && { directAddress: { url: directUrl } }),
    }).catch((error: unknown) => {
      throw new DatabaseUnusable(error)
    })
    reportPooler(database, log)
    if (!database.rolesInUse)
      log.warn(
        'the database login may not use the roles mortise_app and mortise_system; the service uses the login itself',
      )
    return {
      config,
      database,
      keyring,
      embeddedIn: undefined,
      newEncryptionKeyFile: undefined,
      lost: undefined,
      close: () => database.close(),
    }
  }
  const server = await (embedded ?? startEmbeddedServer(config, log))
  try {
    const database = await openDatabase({ ...common, address: await provision(server) })
    const { keyring, newEncryptionKeyFile } = await embeddedKeyring(config, database)
    return {
      config: { ...config, allowPrivateNetwork: config.allowPrivateNetwork ?? 'loopback' },
      database,
      keyring,
      embeddedIn: server.dataDir,
      newEncryptionKeyFile,
      lost: server.lost,
      async close() {
        await database.close()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Says what the operator of a pooler should know. */
function reportPooler({ pooler, connect }: Database, log: Logger): void {
  if (!pooler) return
  const statements = pooler.prepares
    ? 'It follows prepared statements.'
    : 'It does not follow prepared statements, so PostgreSQL plans each statement again. PgBouncer 1.21 or newer follows them with max_prepared_statements.'
  log.info(`DATABASE_URL leads to a connection pooler that does not keep sessions. ${statements}`)
  if (!connect)
    log.warn(
      'DATABASE_DIRECT_URL is not set, so this node receives no notifications: work of other nodes starts up to half a second later, changes apply up to 20 seconds later, and backups and key rotation are refused. Set it to the address of PostgreSQL itself.',
    )
}

export function configuredKeyring(config: KeySettings): Keyring | undefined {
  const active = configuredEncryptionKey(config)
  return active && createKeyring({ active, retained: configuredNextKey(config) })
}

/** Settings that may name the keys. */
export type KeySettings = Pick<
  Config,
  'encryptionKey' | 'encryptionKeyFile' | 'encryptionKeyNext' | 'encryptionKeyNextFile' | 'dataDir'
>

/**
 * Returns the key that a rotation changes to, if one is configured. @throws EncryptionKeyError when it cannot be used
 */
export function configuredNextKey(config: KeySettings): Buffer | undefined {
  if (config.encryptionKeyNext !== undefined)
    return parseEncryptionKey(config.encryptionKeyNext, 'MORTISE_ENCRYPTION_KEY_NEXT')
  const file = config.encryptionKeyNextFile ?? keyFileIn(config.dataDir, 'encryption-key.next', 'seal-key.next')
  return existsSync(file) ? readEncryptionKeyFile(file) : undefined
}

/**
 * Returns every configured key, the one of MORTISE_ENCRYPTION_KEY first.
 * @throws EncryptionKeyError when one cannot be used
 */
export function configuredKeys(config: KeySettings): Buffer[] {
  return [configuredEncryptionKey(config), configuredNextKey(config)].filter((key) => key !== undefined)
}

/** Returns the path of the encryption key, unless the environment contains the key. */
export function encryptionKeyFileOf(config: Pick<Config, 'encryptionKeyFile' | 'dataDir'>): string {
  return config.encryptionKeyFile ?? keyFileIn(config.dataDir, 'encryption-key', 'seal-key')
}

/** Returns the path of a key file. A directory of an earlier release has the file under its former name. */
function keyFileIn(dataDir: string, name: string, formerName: string): string {
  const file = join(dataDir, name)
  const former = join(dataDir, formerName)
  return !existsSync(file) && existsSync(former) ? former : file
}

/**
 * Returns the encryption key of the environment or of its file; undefined when there is neither.
 * @throws EncryptionKeyError when it cannot be used
 */
export function configuredEncryptionKey(
  config: Pick<Config, 'encryptionKey' | 'encryptionKeyFile' | 'dataDir'>,
): Buffer | undefined {
  if (config.encryptionKey !== undefined) return parseEncryptionKey(config.encryptionKey)
  const file = encryptionKeyFileOf(config)
  return existsSync(file) ? readEncryptionKeyFile(file) : undefined
}

/** The key that was given, or a new one for a database in which nothing is encrypted yet. */
async function embeddedKeyring(
  config: Config,
  database: Database,
): Promise<{ keyring: Keyring; newEncryptionKeyFile: string | undefined }> {
  const configured = configuredKeyring(config)
  if (configured) return { keyring: configured, newEncryptionKeyFile: undefined }
  const file = encryptionKeyFileOf(config)
  const inUse = await encryptionKeysInUse(database)
  if (inUse.length > 0) {
    throw new NoEncryptionKey(
      `The encryption key is missing: the database contains secrets encrypted with the key ${inUse.join(', ')}, and there is no ${file}. ` +
        'Restore the key file from your backup, or set MORTISE_ENCRYPTION_KEY. Mortise creates no new key: it could not decrypt the stored secrets.',
    )
  }
  return { keyring: createKeyring({ active: generateEncryptionKeyFile(file) }), newEncryptionKeyFile: file }
}
