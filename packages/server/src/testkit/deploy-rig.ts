import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CatalogueEntry } from '@mortise/manifest'
import { bootstrap, createAuthenticate, createKeyLookup } from '../features/identity/access/index.ts'
import { projectsEndpoints } from '../features/identity/projects/index.ts'
import {
  createManifestValidator,
  type IntegrationChange,
  integrationsEndpoints,
} from '../features/integrations/integrations/index.ts'
import { newId, type ProjectDb } from '../kernel/db/index.ts'
import { createKeyring, type Keyring } from '../kernel/encryption/index.ts'
import { createHttpServer, type Endpoint } from '../kernel/http/index.ts'
import { createAddressGuard, createOutbound, parseAllowedNetworks } from '../kernel/net/index.ts'
import { createLogger, createMetrics } from '../kernel/telemetry/index.ts'
import type { Services } from '../services.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'
import { insertProject } from './test-project.ts'
import { openTestPubSub } from './test-pubsub.ts'

export type DeployedChange = IntegrationChange & { destructive: boolean }

/**
 * These features alone on real HTTP and a database of their own, with whatever builds on them replaced by a record of
 * its calls.
 */
export interface DeployRig {
  url: string
  projectId: string
  apiKey: string
  other: { id: string; apiKey: string }
  db: ProjectDb
  testDatabase: TestDatabase
  keyring: Keyring
  /** What the features further right were told. */
  changes: DeployedChange[]
  /** What the rules take for the present. */
  clock: { advance(ms: number): void }
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    options?: { apiKey?: string; headers?: Record<string, string> },
  ): Promise<{ status: number; headers: Headers; body: T }>
  /** Deploys YAML. */
  deploy<T = IntegrationBody[]>(yaml: string, query?: string): Promise<{ status: number; headers: Headers; body: T }>
  stop(): Promise<void>
}

export interface IntegrationBody {
  id: string
  projectId: string
  name: string
  provider: string
  createTime: string
  updateTime?: string
  latestRevision: { id: string; specVersion: string; createTime: string; content: Record<string, unknown> }
}

export interface ProblemBody {
  status: number
  title: string
  detail: string
  remedy?: string
  context: { code: string }
  issues: {
    in: string
    name: string
    detail: string
    remedy?: string
    value?: unknown
    context: Record<string, unknown>
  }[]
}

const everything = { read: true, write: true, subscribe: true, proxy: true }

/** A provider that can do everything. */
export function provider(name: string): CatalogueEntry {
  return { name, authType: 'apiKey', implemented: everything, modules: {} }
}

export async function startDeployRig(
  options: {
    catalogue?: { list(): readonly CatalogueEntry[] }
    readIntervalMinMs?: number
    timeLimitMs?: number
    heapMb?: number
  } = {},
): Promise<DeployRig> {
  const { catalogue = { list: () => [provider('hubspot'), provider('salesforce')] }, readIntervalMinMs = 60_000 } =
    options
  const testDatabase = await createTestDatabase()
  const { database } = testDatabase
  const dataDir = await mkdtemp(join(tmpdir(), 'mortise-deploy-'))
  const keyring = createKeyring({ active: randomBytes(32) })
  const access = await bootstrap({ database, keyring, dataDir, newKey: false })
  const other = await insertProject({ database, keyring, name: 'other' })
  const log = createLogger({ level: 'silent' })
  let offsetMs = 0
  const now = () => new Date(Date.now() + offsetMs)
  const changes: DeployedChange[] = []
  const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
  const outbound = createOutbound({ guard, userAgent: 'Mortise' })
  const { timeLimitMs = 10_000, heapMb } = options
  const validateManifest = createManifestValidator({ catalogue, timeLimitMs, ...(heapMb !== undefined && { heapMb }) })
  const services = {
    config: { readIntervalMinMs, retentionDays: 30 },
    log,
    now,
    newId,
    publicUrl: '',
    database,
    outbound,
    keyring,
    validateManifest,
    missingScopesOfApps: async () => ({}),
    missingParamsOfApps: async () => ({}),
    hooks: {
      integrationsDeployed: async (_: ProjectDb, deployed: IntegrationChange[], options: { destructive: boolean }) => {
        changes.push(...deployed.map((change) => ({ ...change, ...options })))
      },
      integrationDeleting: async () => undefined,
    },
  }
  const pubsub = await openTestPubSub(database)
  const http = createHttpServer({
    endpoints: [...projectsEndpoints, ...integrationsEndpoints] as Endpoint<Services>[],
    services: services as unknown as Services,
    authenticate: createAuthenticate({
      apiKey: createKeyLookup({ database, keyring, pubsub, now }),
      builderToken: Object.assign(async () => undefined, { again: async () => undefined }),
      connectToken: async () => undefined,
      agentToken: async () => undefined,
      consumerToken: Object.assign(async () => undefined, { again: async () => undefined }),
    }),
    findRole: async () => undefined,
    database,
    log,
    metrics: createMetrics(),
    problems: { publicUrl: 'http://localhost', support: {} },
    now,
    newId,
    trustedProxies: [],
  })
  await http.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`
  services.publicUrl = url
  const apiKey = access.key!.reveal()

  const rig: DeployRig = {
    url,
    projectId: access.projectId,
    apiKey,
    other,
    db: database.forProject(access.projectId),
    testDatabase,
    keyring,
    changes,
    clock: {
      advance: (ms) => {
        offsetMs += ms
      },
    },
    async call(method, path, body, { apiKey: key = apiKey, headers = {} } = {}) {
      const answer = await fetch(`${url}/v1${path}`, {
        method,
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
    },
    deploy: (yaml, query = '') => rig.call('PUT', `/projects/default/integrations:batch${query}`, { sourceYaml: yaml }),
    async stop() {
      await pubsub.close()
      await http.close()
      await validateManifest.close()
      await outbound.close()
      await testDatabase.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  return rig
}
