import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLiveCatalogue } from '@mortise/providers'
import { sql } from 'kysely'
import { type App, createApp } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { bootstrap } from '../features/identity/access/index.ts'
import { createManifestValidator } from '../features/integrations/integrations/index.ts'
import { checkEncryptionKeys, type Database, type ProjectDb } from '../kernel/db/index.ts'
import { createKeyring, type Keyring } from '../kernel/encryption/index.ts'
import { createResolveTxt } from '../kernel/net/index.ts'
import { createLogger } from '../kernel/telemetry/index.ts'
import type { OpenProviders } from '../open-providers.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'
import { insertApiKey, insertProject } from './test-project.ts'

/** Hundreds of passwords are hashed in a run of all tests, and none of them protects anybody. */
const passwordCost = { N: 2 ** 10, r: 8, p: 1 }

/** Provider files for all services of a worker, by their folders: entries never change. */
const opened = new Map<string, Promise<OpenProviders>>()

/** Returns the provider files of these folders; undefined if a test made one of them, and may change its files. */
function providersOf(folders: readonly string[]): Promise<OpenProviders> | undefined {
  if (folders.some((folder) => folder.startsWith(tmpdir()))) return undefined
  const providers = opened.get(folders.join()) ?? openProviders(folders)
  opened.set(folders.join(), providers)
  return providers
}

async function openProviders(folders: readonly string[]): Promise<OpenProviders> {
  const catalogue = await openLiveCatalogue({
    providerDirs: folders,
    cacheDir: process.env['MORTISE_CACHE_DIR'] ?? '',
  })
  const validateManifest = createManifestValidator({ catalogue })
  // A service that stops closes what it has; the next one goes on with the thread.
  return { catalogue, validateManifest: Object.assign(validateManifest, { close: async () => {} }) }
}

export interface TestAnswer<T = unknown> {
  status: number
  headers: Headers
  /** Parsed JSON where the answer is JSON, else its text. */
  body: T
}

export interface TestApp {
  app: App
  url: string
  apiKey: string
  projectId: string
  /** The database bound to the project. */
  db: ProjectDb
  testDatabase: TestDatabase
  keyring: Keyring
  /** Another tenant on the same service. */
  otherProject: { id: string; apiKey: string }
  /** A frontend key of the project. */
  frontendKey: string
  /** Lines that the service logged. */
  logs: string[]
  /** What rules take for the present; starts at the system's time. */
  clock: { now(): Date; set(time: Date): void; advance(ms: number): void }
  /**
   * Calls an endpoint below `/v1` (or, with a leading `//`, outside it) with the project's key. A string body is sent
   * as it is.
   */
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    options?: { apiKey?: string | null; headers?: Record<string, string> },
  ): Promise<TestAnswer<T>>
  stop(): Promise<void>
}

/** One more node on the same database: the same projects and keys, another process as far as the service can tell. */
export function startTestNode(
  first: TestApp,
  env: Record<string, string> = {},
  options: { consoleAssetsFolder?: string } = {},
): Promise<TestApp> {
  return startTestApp({ env, first, ...options })
}

/** The whole service on real HTTP, with a database of its own unless it joins a first node. */
export async function startTestApp(
  options: {
    env?: Record<string, string>
    testDatabase?: TestDatabase
    first?: TestApp
    logLevel?: string
    /** For tests whose other processes open the same secrets. */
    rootKey?: Buffer
    /** Address and port of the name server to ask for TXT records. */
    dnsServer?: string
    /** Keys of this node alone; those of the first node when absent. */
    keyring?: Keyring
    /** Hears that this node has to end. */
    keyMissing?: (error: Error) => void
    /** The scripts of the connect components; those of the testkit when absent. */
    connectAssetsFolder?: string
    /** The scripts of the console; those of the testkit when absent. */
    consoleAssetsFolder?: string
    /** How many times as often ticks run and loops poll as they declare, because tests wait for them. */
    tickSpeed?: number
  } = {},
): Promise<TestApp> {
  const { first } = options
  const testDatabase = first?.testDatabase ?? options.testDatabase ?? (await createTestDatabase())
  const dataDir = await mkdtemp(join(tmpdir(), 'mortise-app-'))
  const config: Config = readConfig({
    PORT: '0',
    MORTISE_HOST: '127.0.0.1',
    MORTISE_DATA_DIR: dataDir,
    MORTISE_CACHE_DIR: process.env['MORTISE_CACHE_DIR'],
    MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
    // Tests ask as quickly as they can, with credentials of all kinds.
    MORTISE_RATE_LIMIT: '0',
    MORTISE_DELIVERY_RATE: '0',
    // Tests name the tick at which a read is due.
    MORTISE_SCHEDULE_SPREAD: '0',
    ...options.env,
  })
  const logs: string[] = []
  const log = createLogger({ level: options.logLevel ?? 'debug', destination: { write: (line) => logs.push(line) } })
  const keyring = options.keyring ?? first?.keyring ?? createKeyring({ active: options.rootKey ?? randomBytes(32) })
  const database = first ? await testDatabase.open() : testDatabase.database
  await checkEncryptionKeys(database, keyring)
  const tenants = first ?? (await createTenants(database, keyring, dataDir))
  let offsetMs = 0
  const now = () => new Date(Date.now() + offsetMs)
  const resolveTxt = createResolveTxt(options.dnsServer === undefined ? {} : { servers: [options.dnsServer] })
  const app = await createApp({
    config,
    database,
    keyring,
    log,
    now,
    databaseNow: () => sql<Date>`now() + ${offsetMs} * interval '1 ms'`,
    passwordCost,
    resolveTxt,
    tickSpeed: options.tickSpeed ?? 4,
    providers: await providersOf(config.providersDir),
    // The same scripts whether somebody built the real ones here or not.
    connectAssetsFolder: options.connectAssetsFolder ?? join(import.meta.dirname, 'connect-assets'),
    consoleAssetsFolder: options.consoleAssetsFolder ?? join(import.meta.dirname, 'console-assets'),
    ...(options.keyMissing && { keyMissing: options.keyMissing }),
  })
  await app.start()
  // A busy machine may take longer to use a kept connection than the service keeps it, which then closes under the
  // request.
  app.http.server.keepAliveTimeout = 120_000
  const address = app.http.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('not listening')
  const url = `http://127.0.0.1:${address.port}`
  return {
    app,
    url,
    apiKey: tenants.apiKey,
    projectId: tenants.projectId,
    db: database.forProject(tenants.projectId),
    testDatabase,
    keyring,
    otherProject: tenants.otherProject,
    frontendKey: tenants.frontendKey,
    logs,
    clock: {
      now,
      set: (time) => {
        offsetMs = time.getTime() - Date.now()
      },
      advance: (ms) => {
        offsetMs += ms
      },
    },
    async call(method, path, body, { apiKey: key = tenants.apiKey, headers = {} } = {}) {
      const answer = await fetch(path.startsWith('//') ? `${url}${path.slice(1)}` : `${url}/v1${path}`, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== null && { 'x-api-key': key }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      const json = /json/.test(answer.headers.get('content-type') ?? '')
      return { status: answer.status, headers: answer.headers, body: json && text !== '' ? JSON.parse(text) : text }
    },
    async stop() {
      await app.stop()
      if (!first) await testDatabase.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The project that tests call as, with its keys, and another tenant. */
async function createTenants(database: Database, keyring: Keyring, dataDir: string) {
  const access = await bootstrap({ database, keyring, dataDir, bootstrapApiKey: undefined, newKey: false })
  if (!access.key) throw new Error('the clone already holds a key')
  return {
    apiKey: access.key.reveal(),
    projectId: access.projectId,
    otherProject: await insertProject({ database, keyring, name: 'other' }),
    frontendKey: await insertApiKey({ database, keyring }, access.projectId, 'frontend'),
  }
}
