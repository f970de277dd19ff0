import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { RawBuilder } from 'kysely'
import type { Config } from './config.ts'
import { createConnectAssets, createConnectTokens } from './features/accounts/authorization-flows/index.ts'
import { createConnectionHandles } from './features/accounts/connections/index.ts'
import { createAgentTokens } from './features/agents/agent-sessions/index.ts'
import { createAuthenticate, createConsumerTokens, createKeyLookup } from './features/identity/access/index.ts'
import { createFindRole, listMemberships } from './features/identity/orgs/index.ts'
import {
  createBuilderTokens,
  createPasswords,
  createSingleSignOn,
  hasGuessablePassword,
  type PasswordCost,
} from './features/identity/sign-in/index.ts'
import { allJobs, apiEndpoints, claimLoops, commonEndpoints, composeHooks, ticks } from './features/index.ts'
import { encryptStoredSecrets } from './features/integrations/provider-apps/index.ts'
import { createDeliveryRate } from './features/messaging/delivery/index.ts'
import { encryptStoredDestinations } from './features/messaging/destinations/index.ts'
import { createMessageShares, Handover } from './features/messaging/messages/index.ts'
import { referenceDocument } from './features/platform/api-docs/index.ts'
import { createAuditLog } from './features/platform/audit/index.ts'
import { createConsoleAssets } from './features/platform/console/index.ts'
import { ensurePartitions } from './features/platform/retention/index.ts'
import { createProxy, proxyDeclaration } from './features/provider-calls/proxying/index.ts'
import { sharedPaths } from './features/shared-paths.ts'
import { stopReceiving } from './features/sync/subscribing/index.ts'
import { type Database, newId } from './kernel/db/index.ts'
import type { Keyring } from './kernel/encryption/index.ts'
import {
  createCallApi,
  createHttpServer,
  createIdempotency,
  type Endpoint,
  kernelProblems,
  type ProblemDeclaration,
  requestTimeoutMs,
} from './kernel/http/index.ts'
import { JobQueue, startTicks } from './kernel/jobs/index.ts'
import {
  createAddressGuard,
  createNameResolver,
  createOutbound,
  createResolveTxt,
  parseAllowedNetworks,
  type ResolveTxt,
} from './kernel/net/index.ts'
import type { ProcessGroup } from './kernel/processes/index.ts'
import { credentialsTopic, PubSub } from './kernel/pubsub/index.ts'
import { SharedLimits } from './kernel/rate-limits/index.ts'
import type { Logger } from './kernel/telemetry/index.ts'
import { createGroupMetrics, createMetrics } from './kernel/telemetry/index.ts'
import { startClaimLoops, Work } from './kernel/work/index.ts'
import { type KeyWatch, watchKeys } from './keys/index.ts'
import { createLogs } from './logs.ts'
import { type OpenProviders, openProviders, servicesOfProviders } from './open-providers.ts'
import type { Services } from './services.ts'

export interface AppOptions {
  config: Config
  database: Database
  keyring: Keyring
  log: Logger
  /** Clock for business rules; the system clock when absent. */
  now?: () => Date
  /** SQL for the current time that due times are compared with; the clock of the database when absent. */
  databaseNow?: () => RawBuilder<Date>
  /** Called when the database uses an encryption key that this process does not have. The process must end. */
  keyMissing?: (error: Error) => void
  /** Cost of hashing a password; the secure default when absent. */
  passwordCost?: PasswordCost
  /** Provider files that are open already; those of the configuration when absent. */
  providers?: OpenProviders | undefined
  /** How many times as often ticks run and loops poll as they declare; 1 when absent. */
  tickSpeed?: number | undefined
  /** The processes of this service, of which this is one; undefined for one process. */
  group?: ProcessGroup | undefined
  /** Resolves TXT records; uses the name servers of the machine when absent. */
  resolveTxt?: ResolveTxt
  /** Folder with the scripts of the connect components; the built ones when absent. */
  connectAssetsFolder?: string
  /** Folder with the scripts of the console; the built ones when absent. */
  consoleAssetsFolder?: string
}

/** A complete service that does not listen yet. */
export interface App {
  http: FastifyInstance
  services: Services
  keyWatch: KeyWatch
  /** Listens, and works in the configured roles. Returns the URL. */
  start(): Promise<{ url: string }>
  /** Stops taking new work, waits for running work, and closes what it opened. The caller closes the database. */
  stop(): Promise<void>
}

/** The service cannot listen on the port. */
export class PortUnusable extends Error {
  override name = 'PortUnusable'
  constructor(port: number, cause: NodeJS.ErrnoException) {
    const why = cause.code === 'EADDRINUSE' ? 'is in use by another program' : 'may not be used by this user'
    super(`Port ${port} ${why}. Set PORT to another one.`, { cause })
  }
}

/** The composition root: wires the kernel and the features. */
export async function createApp({
  config,
  database,
  keyring,
  log,
  now = () => new Date(),
  databaseNow,
  keyMissing = (err) => log.fatal({ err }, 'an encryption key is missing'),
  passwordCost,
  providers: opened,
  tickSpeed,
  group,
  resolveTxt = createResolveTxt(config.dnsServers.length > 0 ? { servers: config.dnsServers } : {}),
  ...assetFolders
}: AppOptions): Promise<App> {
  const metrics = createMetrics()
  const network = createNetwork(config)
  const pubsub = new PubSub({ database, newId, log, metrics })
  const isFirst = (group?.number ?? 1) === 1
  const queue = new JobQueue({ systemPool: database.systemPool, pubsub, log, metrics, supervises: isFirst })
  const limits = new SharedLimits({ database, newId, log })
  const providers = opened ?? (await openProviders(config, log))
  const { catalogue } = providers
  const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`
  const endpoints = endpointsOf(config)
  let stopping = false
  const apiKey = createKeyLookup({ database, keyring, pubsub, now })
  const consumerToken = createConsumerTokens({ database, pubsub, now })
  const findRole = createFindRole({ database, pubsub, now })
  const builderTokens = createBuilderTokens({ database, keyring, pubsub, publicUrl, now })
  const hooks = composeHooks(() => services)
  const ofConnections = { database, pubsub, keyring, catalogue, outbound: network.outbound, limits, now, log, hooks }
  const services: Services = {
    config,
    log,
    metrics,
    metricsText: createGroupMetrics(metrics, group),
    now,
    newId,
    isStopping: () => stopping,
    publicUrl,
    database,
    queue,
    work: new Work({ newId, ...(databaseNow && { now: databaseNow }) }),
    pubsub,
    ...network,
    deliveryRate: createDeliveryRate({ perSecond: config.deliveryRate, now, group }),
    messageShares: createMessageShares({ now }),
    handover: new Handover(),
    ...createLogs({ config, database, pubsub, newId, log, now }),
    limits,
    resolveTxt,
    keyring,
    ...servicesOfProviders(providers, keyring),
    connectionHandles: createConnectionHandles(ofConnections),
    ...openAssets(assetFolders),
    builderTokens,
    callApi: createCallApi(() => http),
    passwords: createPasswords(passwordCost),
    singleSignOn: createSingleSignOn({ config, outbound: network.outbound, publicUrl, now }),
    hooks,
    ...descriptionsOf(endpoints as Endpoint[], publicUrl),
  }
  const proxy = config.roles === 'worker' ? undefined : createProxy(services)
  const http = createHttp(services, { endpoints, proxy, findRole, apiKey, consumerToken, group })
  let ticking: ReturnType<typeof startTicks> | undefined
  let claiming: Awaited<ReturnType<typeof startClaimLoops>> | undefined
  const keyWatch = watchKeys({ database, keyring, node: newId(), log, missing: keyMissing })

  return {
    http,
    services,
    keyWatch,
    async start() {
      await keyWatch.look()
      await prepareStorage(services)
      await queue.start(allJobs)
      await listen(http, config)
      if (config.roles !== 'api') {
        await queue.work(allJobs, services)
        claiming = await startClaimLoops(claimLoops(services), services, tickSpeed)
        // The claims of ticks exclude each other; several processes would only repeat the polls.
        if (isFirst) ticking = startTicks(ticks(services), log, tickSpeed)
      }
      const { port } = http.server.address() as AddressInfo
      return { url: `http://localhost:${port}` }
    },
    async stop() {
      stopping = true
      // Requests that a load balancer has sent may still wait in the accept queue, which closing the socket would drop.
      await setTimeout(config.stopDelaySeconds * 1_000)
      await http.close()
      await stopReceiving(services)
      await Promise.all([proxy?.stop(), services.toolCalls.stop()])
      await ticking?.stop()
      await Promise.all([claiming?.stop(), queue.stop()])
      await keyWatch.stop()
      await closeParts({ ...services, catalogue })
    },
  }
}

/** What the service says about itself. */
function descriptionsOf(endpoints: Endpoint[], publicUrl: string): Pick<Services, 'problems' | 'openapi'> {
  return {
    problems: declaredProblems([...commonEndpoints, ...apiEndpoints] as Endpoint[]),
    openapi: createOpenapi(endpoints, publicUrl),
  }
}

/** Opens the scripts that the service sends to browsers. */
function openAssets(folders: Pick<AppOptions, 'connectAssetsFolder' | 'consoleAssetsFolder'>) {
  return {
    connectAssets: createConnectAssets(folders.connectAssetsFolder),
    consoleAssets: createConsoleAssets(folders.consoleAssetsFolder),
  }
}

/** Returns the endpoints of a role. */
function endpointsOf({ roles }: Config): Endpoint<Services>[] {
  return (roles === 'worker' ? commonEndpoints : [...commonEndpoints, ...apiEndpoints]) as Endpoint<Services>[]
}

/** Creates what sends requests to other machines. */
function createNetwork(config: Config) {
  const guard = createAddressGuard({ allow: parseAllowedNetworks(config.allowPrivateNetwork ?? '') })
  const names = createNameResolver({ servers: config.dnsServers })
  return { guard, names, outbound: createOutbound({ guard, names, userAgent: 'Mortise' }) }
}

/** Creates the HTTP server of the service. It does not listen yet. */
function createHttp(
  services: Services,
  parts: {
    endpoints: Endpoint<Services>[]
    proxy: ReturnType<typeof createProxy> | undefined
    findRole: ReturnType<typeof createFindRole>
    apiKey: ReturnType<typeof createKeyLookup>
    consumerToken: ReturnType<typeof createConsumerTokens>
    group: ProcessGroup | undefined
  },
): FastifyInstance {
  const { config, database, keyring, log, metrics, now, newId, pubsub, publicUrl } = services
  const { endpoints, proxy, findRole, apiKey, consumerToken, group } = parts
  return createHttpServer({
    endpoints,
    ...(proxy && { relays: [proxy.passThrough] }),
    ...(config.roles !== 'worker' && { sharedPaths }),
    document: services.openapi,
    services,
    authenticate: createAuthenticate({
      apiKey,
      builderToken: services.builderTokens.find,
      consumerToken,
      connectToken: createConnectTokens({ database, now }),
      agentToken: createAgentTokens({ database, now }),
    }),
    followCredentials: (changed) => followCredentials(pubsub, changed),
    rateLimit: config.rateLimit,
    addressRateLimit: config.addressRateLimit,
    group,
    audit: createAuditLog({
      database,
      now,
      log,
      orgsOf: async (builderId) => (await listMemberships(database.system, builderId)).map(({ orgId }) => orgId),
    }),
    idempotency: createIdempotency({ database, keyring, now, unfinishedAfterMs: requestTimeoutMs }),
    findRole,
    database,
    log,
    metrics,
    problems: { publicUrl, support: supportOf(config) },
    now,
    newId,
    trustedProxies: config.trustedProxies,
  })
}

/** Returns a function that builds the OpenAPI document on its first call and caches it. */
function createOpenapi(endpoints: Endpoint[], publicUrl: string): () => Record<string, unknown> {
  let document: Record<string, unknown> | undefined
  return () => {
    document ??= referenceDocument(endpoints, publicUrl)
    return document
  }
}

/** Brings stored data up to date before the first request. */
async function prepareStorage(services: Services): Promise<void> {
  const { config, log } = services
  if (config.smtpUrl !== undefined && (await hasGuessablePassword(config.smtpUrl)))
    log.warn('the password in MORTISE_SMTP_URL is easy to guess; choose another one at the mail server')
  await ensurePartitions(services)
  await encryptStoredSecrets(services)
  await encryptStoredDestinations(services)
}

/** Closes what the services opened; users of a part close before the part. */
async function closeParts(
  parts: Pick<
    Services,
    | 'counts'
    | 'changes'
    | 'providerEvents'
    | 'limits'
    | 'connectionHandles'
    | 'pubsub'
    | 'validateManifest'
    | 'outbound'
  > & {
    catalogue: { close(): Promise<void> }
  },
): Promise<void> {
  await parts.counts.stop()
  await parts.providerEvents.stop()
  await parts.changes.stop()
  await parts.limits.stop()
  await parts.connectionHandles.stop()
  await parts.pubsub.close()
  await parts.validateManifest.close()
  await parts.catalogue.close()
  await parts.outbound.close()
}

/** How many new connections wait to be accepted. The kernel may lower it to its own limit. */
const waitingConnectionsMax = 4_096

/** @throws PortUnusable */
async function listen(http: FastifyInstance, { port, host }: Config): Promise<void> {
  await http.listen({ port, host, backlog: waitingConnectionsMax }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' || error.code === 'EACCES' ? new PortUnusable(port, error) : error
  })
}

/** Returns where to get help, as problems show it. */
function supportOf({ supportEmail, supportPhone, supportUrl }: Config) {
  return {
    ...(supportEmail !== undefined && { email: supportEmail }),
    ...(supportPhone !== undefined && { phone: supportPhone }),
    ...(supportUrl !== undefined && { url: supportUrl }),
  }
}

/** Calls `changed` when a credential changes on any node, or may have changed. Returns a function that unsubscribes. */
function followCredentials(pubsub: PubSub, changed: () => void): () => void {
  const subscription = pubsub.subscribe(credentialsTopic, { receive: changed, missed: changed })
  return () => subscription.end()
}

/** Returns every problem that an endpoint or the proxy declares, by code. */
export function declaredProblems(endpoints: Endpoint[]): ReadonlyMap<string, ProblemDeclaration> {
  const declarations = [...endpoints.map(({ declaration }) => declaration), proxyDeclaration]
  const classes = [...kernelProblems, ...declarations.flatMap(({ problems }) => problems ?? [])]
  return new Map(classes.map(({ declaration }) => [declaration.code, declaration]))
}
