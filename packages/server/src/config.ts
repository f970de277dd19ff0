import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
// Not through their index: the service reads its configuration before it loads its other modules.
import { parseEncryptionKey } from './kernel/encryption/encryption-key.ts'
import { parseAllowedNetworks } from './kernel/net/address-guard.ts'
import { parseDnsServers } from './kernel/net/names/dns-servers.ts'
import {
  address,
  checked,
  databaseUrl,
  duration,
  email,
  integer,
  list,
  oneOf,
  origin,
  page,
  sender,
  smtpUrl,
} from './setting-values.ts'

/**
 * Every setting of the service: name in the environment, default, meaning. Read once, in `main.ts`; the table in
 * `docs/settings.md` is compared with this one by a test.
 */

interface Setting<T> {
  env: string
  /** As shown in the docs. */
  shown: string
  meaning: string
  /** Throws a sentence that says what the value must be. */
  read: (text: string | undefined) => T
}

/** Earlier names of settings. They still work where the present name is not set. */
const formerNames: Record<string, string> = {
  MORTISE_ENCRYPTION_KEY: 'MORTISE_SEAL_KEY',
  MORTISE_ENCRYPTION_KEY_FILE: 'MORTISE_SEAL_KEY_FILE',
  MORTISE_ENCRYPTION_KEY_NEXT: 'MORTISE_SEAL_KEY_NEXT',
  MORTISE_ENCRYPTION_KEY_NEXT_FILE: 'MORTISE_SEAL_KEY_NEXT_FILE',
  MORTISE_BUFFERED_PAGES_DAYS: 'MORTISE_HELD_PAGES_DAYS',
  MORTISE_READ_INTERVAL_MIN: 'MORTISE_READ_INTERVAL_LEAST',
}

function setting<T>(env: string, shown: string, meaning: string, read: (text: string | undefined) => T): Setting<T> {
  return { env, shown, meaning, read }
}

export type Role = 'all' | 'api' | 'worker'

export const settings = {
  port: setting('PORT', '`4100`', 'Port of the HTTP server.', (text) => integer(text ?? '4100', 0, 65_535)),
  host: setting(
    'MORTISE_HOST',
    '`localhost`',
    'Address that the HTTP server listens on; `0.0.0.0` or `::` for all.',
    (text) => text ?? 'localhost',
  ),
  dataDir: setting(
    'MORTISE_DATA_DIR',
    '`.mortise`',
    'Directory of the embedded database, the encryption key, the first API key and the compiled catalog.',
    (text) => resolve(text ?? '.mortise'),
  ),
  cacheDir: setting(
    'MORTISE_CACHE_DIR',
    '`{MORTISE_DATA_DIR}/cache`',
    'Cache directory for the compiled catalog; safe to delete. Services can share one.',
    (text) => text && resolve(text),
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    '',
    'A PostgreSQL (15 or newer) to use instead of the embedded one.',
    (text) => text && databaseUrl(text),
  ),
  databaseDirectUrl: setting(
    'DATABASE_DIRECT_URL',
    '',
    'The same database without a connection pooler, if `DATABASE_URL` leads to one that does not keep sessions, such as PgBouncer in transaction mode. For migrations, notifications, backups and key rotation.',
    (text) => text && databaseUrl(text),
  ),
  databasePoolSize: setting(
    'MORTISE_DATABASE_POOL',
    '`10`',
    'Connections to PostgreSQL for requests and runs. Half as many more claim work. Several processes divide them, with at least 4 for each.',
    (text) => integer(text ?? '10', 2, 200),
  ),
  processes: setting(
    'MORTISE_PROCESSES',
    'one less than the cores, at least `1`',
    'Processes that serve requests and work. They share the port, the limits of this node and `MORTISE_DATABASE_POOL`.',
    (text) => integer(text ?? String(Math.max(1, availableParallelism() - 1)), 1, 64),
  ),
  databaseSilenceMs: setting(
    'MORTISE_DATABASE_SILENCE',
    '`10s`',
    'How long PostgreSQL may be silent, when a connection opens and while a statement waits, before Mortise checks it. Long statements continue.',
    (text) => duration(text ?? '10s'),
  ),
  roles: setting(
    'MORTISE_ROLES',
    '`all`',
    'Role of this node: `all`, `api` (serves HTTP) or `worker` (reads and delivers).',
    (text) => oneOf<Role>(text ?? 'all', ['all', 'api', 'worker']),
  ),
  publicUrl: setting(
    'MORTISE_PUBLIC_URL',
    '`http://localhost:{PORT}`',
    'Public origin of the service, used in signed URLs, callbacks and problem pages.',
    (text) => (text === undefined ? undefined : origin(text)),
  ),
  trustedProxies: setting(
    'MORTISE_TRUSTED_PROXIES',
    '',
    'Comma-separated addresses or CIDRs of reverse proxies whose `X-Forwarded-*` headers are trusted.',
    (text) => list(text).map(address),
  ),
  allowPrivateNetwork: setting(
    'MORTISE_ALLOW_PRIVATE_NETWORK',
    '`loopback` with the embedded database, else empty',
    'Private addresses that providers, destinations and sources may have: `loopback`, or CIDRs, comma-separated. Link-local and metadata addresses are never allowed.',
    (text) => checked(text, parseAllowedNetworks),
  ),
  dnsServers: setting(
    'MORTISE_DNS_SERVERS',
    'those of the system',
    'DNS servers for the names of providers, destinations and sources: IP addresses, with a port if it is not 53, comma-separated. If set, Mortise uses only these and `/etc/hosts`.',
    (text) => parseDnsServers(text ?? ''),
  ),
  encryptionKey: setting(
    'MORTISE_ENCRYPTION_KEY',
    '',
    'Encryption key for secrets: 32 bytes in base64 or hex. Replaces the key file.',
    (text) => checked(text, parseEncryptionKey),
  ),
  encryptionKeyFile: setting(
    'MORTISE_ENCRYPTION_KEY_FILE',
    '`{MORTISE_DATA_DIR}/encryption-key`',
    'File of the encryption key.',
    (text) => text && resolve(text),
  ),
  encryptionKeyNext: setting(
    'MORTISE_ENCRYPTION_KEY_NEXT',
    '',
    'New encryption key during a rotation with `mortise keys rotate`. Replaces its file.',
    (text) => checked(text, (key) => parseEncryptionKey(key, 'MORTISE_ENCRYPTION_KEY_NEXT')),
  ),
  encryptionKeyNextFile: setting(
    'MORTISE_ENCRYPTION_KEY_NEXT_FILE',
    '`{MORTISE_DATA_DIR}/encryption-key.next`',
    'File of the new encryption key during a rotation.',
    (text) => text && resolve(text),
  ),
  bootstrapApiKey: setting(
    'MORTISE_BOOTSTRAP_API_KEY',
    '',
    'First API key of the project `default`, instead of a generated one.',
    (text) => text,
  ),
  oidcIssuer: setting(
    'MORTISE_OIDC_ISSUER',
    '',
    'Issuer of an OpenID Connect provider for single sign-on of builders, as in its discovery document.',
    (text) => (text === undefined ? undefined : page(text)),
  ),
  oidcClientId: setting(
    'MORTISE_OIDC_CLIENT_ID',
    '',
    'Client id of Mortise at the OpenID Connect provider. Required with an issuer.',
    (text) => text,
  ),
  oidcClientSecret: setting(
    'MORTISE_OIDC_CLIENT_SECRET',
    '',
    'Client secret. A public client has none.',
    (text) => text,
  ),
  oidcName: setting(
    'MORTISE_OIDC_NAME',
    '`Single sign-on`',
    'Name of the provider on the sign-in button.',
    (text) => text ?? 'Single sign-on',
  ),
  providersDir: setting(
    'MORTISE_PROVIDERS_DIR',
    '',
    'Directories with your own provider files, separated by `:`.',
    (text) =>
      (text ?? '')
        .split(':')
        .filter(Boolean)
        .map((folder) => resolve(folder)),
  ),
  rateLimit: setting(
    'MORTISE_RATE_LIMIT',
    '`1000`',
    'Requests per second of one credential, on each node. Also limits one client address to ten failed authentications per second. `0` for no limits.',
    (text) => integer(text ?? '1000', 0, 1_000_000),
  ),
  addressRateLimit: setting(
    'MORTISE_ADDRESS_RATE_LIMIT',
    '`100`',
    'Requests per second of one client address to endpoints that need no credential, on each node. `0` for no limit. `MORTISE_RATE_LIMIT=0` turns off this limit too.',
    (text) => integer(text ?? '100', 0, 1_000_000),
  ),
  deliveryRate: setting(
    'MORTISE_DELIVERY_RATE',
    '`1000`',
    'Messages per second to all destinations of a project together, from each node. Further messages wait. `0` for no limit.',
    (text) => integer(text ?? '1000', 0, 1_000_000),
  ),
  proxyConcurrency: setting(
    'MORTISE_PROXY_CONCURRENCY',
    '`20`',
    'Concurrent proxy requests of one connection, over all nodes. Further requests wait up to ten seconds.',
    (text) => integer(text ?? '20', 1, 10_000),
  ),
  proxyTimeoutMs: setting(
    'MORTISE_PROXY_TIMEOUT',
    '`1m`',
    'How long the proxy waits for the response headers of a provider. It does not limit bodies.',
    (text) => duration(text ?? '1m'),
  ),
  readIntervalMinMs: setting(
    'MORTISE_READ_INTERVAL_MIN',
    '`1m`',
    'The shortest interval between scheduled reads.',
    (text) => duration(text ?? '1m'),
  ),
  scheduleSpreadMs: setting(
    'MORTISE_SCHEDULE_SPREAD',
    '`5m`',
    'How far the reads of different customers are spread after the time of a schedule that names an hour. `0` runs every schedule at its exact time.',
    (text) => (text === '0' ? 0 : duration(text ?? '5m')),
  ),
  stopDelaySeconds: setting(
    'MORTISE_STOP_DELAY_SECONDS',
    '`0`',
    'How long the service still accepts requests after a stop signal, while `/readyz` is 503. Set it longer than your load balancer takes to notice.',
    (text) => integer(text ?? '0', 0, 300),
  ),
  retentionDays: setting(
    'MORTISE_RETENTION_DAYS',
    '`30`',
    'Days to keep ended operations, their logs, delivered messages and attempts.',
    (text) => integer(text ?? '30', 1, 3_650),
  ),
  deadLetterDays: setting(
    'MORTISE_DEAD_LETTER_DAYS',
    'as `MORTISE_RETENTION_DAYS`',
    'Days to keep dead letters, if more than `MORTISE_RETENTION_DAYS`. The other messages of their day are kept as long.',
    (text) => (text === undefined ? undefined : integer(text, 1, 3_650)),
  ),
  countsRetentionDays: setting(
    'MORTISE_COUNTS_RETENTION_DAYS',
    '`365`',
    'Days to keep counts over time. A calendar month is deleted when all of it is older. `0`: nothing is counted.',
    (text) => integer(text ?? '365', 0, 3_650),
  ),
  auditRetentionDays: setting(
    'MORTISE_AUDIT_RETENTION_DAYS',
    '`400`',
    'Days to keep entries of the audit log, at least 90.',
    (text) => integer(text ?? '400', 90, 36_500),
  ),
  duplicateDays: setting(
    'MORTISE_DUPLICATE_DAYS',
    '`3`',
    'Days to detect duplicate provider events. An event that arrives twice within this time is delivered once.',
    (text) => integer(text ?? '3', 1, 90),
  ),
  bufferedPagesDays: setting(
    'MORTISE_BUFFERED_PAGES_DAYS',
    '`30`',
    'Days to keep queued pages of objects that are delivered on request. An operation reports dropped pages.',
    (text) => integer(text ?? '30', 1, 3_650),
  ),
  smtpUrl: setting(
    'MORTISE_SMTP_URL',
    '',
    'Mail server for email, as `smtps://user:password@host` or `smtp://host:587`. Without one, owners pass on the links of invites.',
    (text) => text && smtpUrl(text),
  ),
  mailFrom: setting(
    'MORTISE_MAIL_FROM',
    '`mortise@` and the host of `MORTISE_PUBLIC_URL`',
    'Sender of email: an address, or `Name <address>`.',
    (text) => text && sender(text),
  ),
  logLevel: setting('MORTISE_LOG_LEVEL', '`info`', '`trace`, `debug`, `info`, `warn`, `error` or `silent`.', (text) =>
    oneOf(text ?? 'info', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  ),
  supportEmail: setting(
    'MORTISE_SUPPORT_EMAIL',
    '',
    'Shown in problems as `supportEmail`.',
    (text) => text && email(text),
  ),
  supportPhone: setting('MORTISE_SUPPORT_PHONE', '', 'Shown in problems as `supportPhone`.', (text) => text),
  supportUrl: setting('MORTISE_SUPPORT_URL', '', 'Shown in problems as `supportUrl`.', (text) => text && page(text)),
} as const

export type Config = { [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never }

/** Thrown with one line for each setting that cannot be used. */
export class InvalidConfig extends Error {
  override name = 'InvalidConfig'
}

/** Reads all settings from an environment. An empty value counts as absent. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = []
  const entries = Object.entries(settings).map(([name, { env: variable, read }]) => {
    try {
      return [name, read(env[variable]?.trim() || env[formerNames[variable] ?? '']?.trim() || undefined)]
    } catch (error) {
      const { message } = error as Error
      faults.push(message.startsWith(variable) ? message : `${variable} ${message}`)
      return [name, undefined]
    }
  })
  const config = Object.fromEntries(entries) as Config
  if (config.oidcIssuer !== undefined && config.oidcClientId === undefined)
    faults.push('MORTISE_OIDC_CLIENT_ID must be set together with MORTISE_OIDC_ISSUER.')
  if (config.databaseDirectUrl !== undefined && config.databaseUrl === undefined)
    faults.push('DATABASE_DIRECT_URL must be set together with DATABASE_URL.')
  if (faults.length > 0) throw new InvalidConfig(faults.join('\n'))
  return config
}
