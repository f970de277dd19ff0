import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { InvalidConfig, readConfig, settings } from './config.ts'
import { duration } from './setting-values.ts'

/** 32 bytes that could have been drawn at random. */
const encryptionKey = Buffer.from(Array.from({ length: 32 }, (_, n) => (n * n * 7 + 13 * n + 91) % 256)).toString(
  'base64',
)

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidConfig)
    return (error as Error).message.split('\n')
  }
  return []
}

test('with nothing set, everything has its default', () => {
  expect(readConfig({})).toEqual({
    port: 4100,
    host: 'localhost',
    dataDir: resolve('.mortise'),
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    databasePoolSize: 10,
    processes: Math.max(1, availableParallelism() - 1),
    databaseSilenceMs: 10_000,
    roles: 'all',
    publicUrl: undefined,
    trustedProxies: [],
    allowPrivateNetwork: undefined,
    dnsServers: [],
    encryptionKey: undefined,
    cacheDir: undefined,
    encryptionKeyFile: undefined,
    bootstrapApiKey: undefined,
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcName: 'Single sign-on',
    providersDir: [],
    rateLimit: 1_000,
    addressRateLimit: 100,
    deliveryRate: 1_000,
    proxyConcurrency: 20,
    proxyTimeoutMs: 60_000,
    readIntervalMinMs: 60_000,
    scheduleSpreadMs: 300_000,
    stopDelaySeconds: 0,
    retentionDays: 30,
    countsRetentionDays: 365,
    auditRetentionDays: 400,
    duplicateDays: 3,
    bufferedPagesDays: 30,
    smtpUrl: undefined,
    mailFrom: undefined,
    logLevel: 'info',
    supportEmail: undefined,
    supportPhone: undefined,
    supportUrl: undefined,
  })
})

test("an empty or blank value counts as absent, and a variable of another name is nobody's business", () => {
  const blank = Object.fromEntries(Object.values(settings).map(({ env }) => [env, '  ']))
  expect(readConfig({ ...blank, PATH: '/bin', MORTISE_UNKNOWN: 'x' })).toEqual(readConfig({}))
})

test('settings of earlier releases work where the present name is not set', () => {
  const former = { MORTISE_SEAL_KEY: encryptionKey, MORTISE_SEAL_KEY_FILE: '/run/key', MORTISE_HELD_PAGES_DAYS: '3' }
  expect(readConfig({ MORTISE_READ_INTERVAL_LEAST: '30s' }).readIntervalMinMs).toBe(30_000)
  const both = { MORTISE_READ_INTERVAL_LEAST: '30s', MORTISE_READ_INTERVAL_MIN: '40s' }
  expect(readConfig(both).readIntervalMinMs).toBe(40_000)
  expect(readConfig(former)).toMatchObject({ encryptionKey, encryptionKeyFile: '/run/key', bufferedPagesDays: 3 })
  expect(readConfig({ ...former, MORTISE_BUFFERED_PAGES_DAYS: '4' }).bufferedPagesDays).toBe(4)
  expect(faultsOf({ MORTISE_SEAL_KEY: 'short' })).toEqual([expect.stringContaining('MORTISE_ENCRYPTION_KEY ')])
})

test('a provider of identities needs a client there', () => {
  expect(faultsOf({ MORTISE_OIDC_ISSUER: 'https://id.example.com' })).toEqual([
    'MORTISE_OIDC_CLIENT_ID must be set together with MORTISE_OIDC_ISSUER.',
  ])
  expect(faultsOf({ MORTISE_OIDC_ISSUER: 'id.example.com', MORTISE_OIDC_CLIENT_ID: 'x' })).toEqual([
    'MORTISE_OIDC_ISSUER must be a URL that begins with http:// or https://.',
  ])
  expect(faultsOf({ MORTISE_OIDC_ISSUER: 'https://id.example.com', MORTISE_OIDC_CLIENT_ID: 'mortise' })).toEqual([])
})

const good: [string, string, Record<string, unknown>][] = [
  ['PORT', '0', { port: 0 }],
  ['PORT', ' 8080 ', { port: 8080 }],
  ['PORT', '65535', { port: 65_535 }],
  ['MORTISE_HOST', '0.0.0.0', { host: '0.0.0.0' }],
  ['MORTISE_DATA_DIR', 'data', { dataDir: resolve('data') }],
  ['DATABASE_URL', 'postgres://a:b@db/x?sslmode=require', { databaseUrl: 'postgres://a:b@db/x?sslmode=require' }],
  ['DATABASE_URL', 'postgresql://db', { databaseUrl: 'postgresql://db' }],
  ['DATABASE_DIRECT_URL', 'postgres://db:5432/x', { databaseDirectUrl: 'postgres://db:5432/x' }],
  ['MORTISE_DATABASE_POOL', '2', { databasePoolSize: 2 }],
  ['MORTISE_PROCESSES', '4', { processes: 4 }],
  ['MORTISE_DATABASE_SILENCE', '3s', { databaseSilenceMs: 3_000 }],
  ['MORTISE_ROLES', 'worker', { roles: 'worker' }],
  ['MORTISE_PUBLIC_URL', 'https://mortise.example.com/', { publicUrl: 'https://mortise.example.com' }],
  ['MORTISE_PUBLIC_URL', 'http://10.0.0.1:8080', { publicUrl: 'http://10.0.0.1:8080' }],
  ['MORTISE_TRUSTED_PROXIES', '10.0.0.0/8, ::1,', { trustedProxies: ['10.0.0.0/8', '::1'] }],
  ['MORTISE_ALLOW_PRIVATE_NETWORK', 'loopback, 10.0.0.0/8', { allowPrivateNetwork: 'loopback, 10.0.0.0/8' }],
  ['MORTISE_DNS_SERVERS', '10.0.0.53, [::1]:5353', { dnsServers: ['10.0.0.53', '[::1]:5353'] }],
  ['MORTISE_ENCRYPTION_KEY', encryptionKey, { encryptionKey }],
  ['MORTISE_CACHE_DIR', 'made/anew', { cacheDir: resolve('made/anew') }],
  ['MORTISE_ENCRYPTION_KEY_FILE', 'keys/encrypt', { encryptionKeyFile: resolve('keys/encrypt') }],
  ['MORTISE_ENCRYPTION_KEY_NEXT', encryptionKey, { encryptionKeyNext: encryptionKey }],
  ['MORTISE_ENCRYPTION_KEY_NEXT_FILE', 'keys/next', { encryptionKeyNextFile: resolve('keys/next') }],
  ['MORTISE_BOOTSTRAP_API_KEY', 'mortise_chosen', { bootstrapApiKey: 'mortise_chosen' }],
  ['MORTISE_OIDC_ISSUER', 'https://id.example.com/realms/a', { oidcIssuer: 'https://id.example.com/realms/a' }],
  ['MORTISE_OIDC_CLIENT_ID', 'mortise', { oidcClientId: 'mortise' }],
  ['MORTISE_OIDC_CLIENT_SECRET', 'hidden', { oidcClientSecret: 'hidden' }],
  ['MORTISE_OIDC_NAME', 'Example ID', { oidcName: 'Example ID' }],
  ['MORTISE_PROVIDERS_DIR', 'a::/b', { providersDir: [resolve('a'), '/b'] }],
  ['MORTISE_RATE_LIMIT', '0', { rateLimit: 0 }],
  ['MORTISE_ADDRESS_RATE_LIMIT', '20', { addressRateLimit: 20 }],
  ['MORTISE_DELIVERY_RATE', '0', { deliveryRate: 0 }],
  ['MORTISE_PROXY_CONCURRENCY', '5', { proxyConcurrency: 5 }],
  ['MORTISE_PROXY_TIMEOUT', '10s', { proxyTimeoutMs: 10_000 }],
  ['MORTISE_READ_INTERVAL_MIN', '30s', { readIntervalMinMs: 30_000 }],
  ['MORTISE_SCHEDULE_SPREAD', '10m', { scheduleSpreadMs: 600_000 }],
  ['MORTISE_SCHEDULE_SPREAD', '0', { scheduleSpreadMs: 0 }],
  ['MORTISE_STOP_DELAY_SECONDS', '5', { stopDelaySeconds: 5 }],
  ['MORTISE_RETENTION_DAYS', '1', { retentionDays: 1 }],
  ['MORTISE_DEAD_LETTER_DAYS', '90', { deadLetterDays: 90 }],
  ['MORTISE_COUNTS_RETENTION_DAYS', '90', { countsRetentionDays: 90 }],
  ['MORTISE_AUDIT_RETENTION_DAYS', '90', { auditRetentionDays: 90 }],
  ['MORTISE_DUPLICATE_DAYS', '1', { duplicateDays: 1 }],
  ['MORTISE_BUFFERED_PAGES_DAYS', '1', { bufferedPagesDays: 1 }],
  ['MORTISE_SMTP_URL', 'smtps://a:b@mail.example.com', { smtpUrl: 'smtps://a:b@mail.example.com' }],
  [
    'MORTISE_SMTP_URL',
    'smtp://10.0.0.1/?requireTLS=true&tls.rejectUnauthorized=false',
    { smtpUrl: 'smtp://10.0.0.1/?requireTLS=true&tls.rejectUnauthorized=false' },
  ],
  ['MORTISE_SMTP_URL', 'smtp://10.0.0.1:2525', { smtpUrl: 'smtp://10.0.0.1:2525' }],
  ['MORTISE_MAIL_FROM', 'mortise@example.com', { mailFrom: 'mortise@example.com' }],
  ['MORTISE_MAIL_FROM', 'Mortise <mortise@example.com>', { mailFrom: 'Mortise <mortise@example.com>' }],
  ['MORTISE_LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ['MORTISE_SUPPORT_EMAIL', 'help@example.com', { supportEmail: 'help@example.com' }],
  ['MORTISE_SUPPORT_PHONE', '+49 30 1', { supportPhone: '+49 30 1' }],
  ['MORTISE_SUPPORT_URL', 'https://example.com/help', { supportUrl: 'https://example.com/help' }],
]

/** What a setting cannot be without. */
const together: Record<string, Record<string, string>> = {
  DATABASE_DIRECT_URL: { DATABASE_URL: 'postgres://db:6432/x' },
  MORTISE_OIDC_ISSUER: { MORTISE_OIDC_CLIENT_ID: 'mortise' },
}

test.each(good)('%s=%s is read', (env, value, expected) => {
  const others = together[env] ?? {}
  expect(readConfig({ ...others, [env]: value })).toEqual({ ...readConfig(others), ...expected })
})

test('every setting is read in one of these tests', () => {
  expect(new Set(good.map(([env]) => env))).toEqual(new Set(Object.values(settings).map(({ env }) => env)))
})

test.each([
  ['PORT', '65536', 'must be a whole number from 0 to 65535.'],
  ['PORT', '1e3', 'must be a whole number from 0 to 65535.'],
  ['PORT', '-1', 'must be a whole number from 0 to 65535.'],
  ['MORTISE_DATABASE_POOL', '1', 'must be a whole number from 2 to 200.'],
  ['MORTISE_STOP_DELAY_SECONDS', '301', 'must be a whole number from 0 to 300.'],
  ['MORTISE_RETENTION_DAYS', '0', 'must be a whole number from 1 to 3650.'],
  ['MORTISE_DEAD_LETTER_DAYS', '0', 'must be a whole number from 1 to 3650.'],
  ['MORTISE_COUNTS_RETENTION_DAYS', '-1', 'must be a whole number from 0 to 3650.'],
  ['MORTISE_AUDIT_RETENTION_DAYS', '89', 'must be a whole number from 90 to 36500.'],
  ['MORTISE_DUPLICATE_DAYS', '0', 'must be a whole number from 1 to 90.'],
  ['MORTISE_BUFFERED_PAGES_DAYS', '0', 'must be a whole number from 1 to 3650.'],
  ['MORTISE_ROLES', 'API', 'must be one of all, api, worker.'],
  ['MORTISE_SMTP_URL', 'https://x', 'must be a URL such as smtps://user:password@mail.example.com.'],
  ['MORTISE_SMTP_URL', 'smtp://', 'must be a URL such as smtps://user:password@mail.example.com.'],
  [
    'MORTISE_SMTP_URL',
    'smtp://x/?proxy=http://169.254.169.254&tls.socket=',
    'has the unknown options proxy, tls.socket. Known: requireTLS, ignoreTLS, name, tls.rejectUnauthorized, tls.servername, tls.minVersion.',
  ],
  ['MORTISE_MAIL_FROM', 'x', 'must be a mail address, or a name and an address as in Mortise <mortise@example.com>.'],
  ['MORTISE_LOG_LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, silent.'],
  [
    'MORTISE_PUBLIC_URL',
    'mortise.example.com',
    'must be an origin such as https://mortise.example.com, without path or user.',
  ],
  [
    'MORTISE_PUBLIC_URL',
    'https://x/path',
    'must be an origin such as https://mortise.example.com, without path or user.',
  ],
  [
    'MORTISE_PUBLIC_URL',
    'https://u:p@x',
    'must be an origin such as https://mortise.example.com, without path or user.',
  ],
  ['MORTISE_PUBLIC_URL', 'ftp://x', 'must be an origin such as https://mortise.example.com, without path or user.'],
  ['MORTISE_TRUSTED_PROXIES', '10.0.0.0/33', 'must hold IP addresses or CIDRs; 10.0.0.0/33 is neither.'],
  ['MORTISE_TRUSTED_PROXIES', '::1, proxy', 'must hold IP addresses or CIDRs; proxy is neither.'],
  [
    'MORTISE_DNS_SERVERS',
    '10.0.0.53, dns.example',
    'must hold IP addresses, with a port where it is not 53; dns.example is not one.',
  ],
  ['MORTISE_RATE_LIMIT', '-1', 'must be a whole number from 0 to 1000000.'],
  ['MORTISE_DELIVERY_RATE', '1e3', 'must be a whole number from 0 to 1000000.'],
  ['MORTISE_PROCESSES', '0', 'must be a whole number from 1 to 64.'],
  ['MORTISE_PROXY_CONCURRENCY', '0', 'must be a whole number from 1 to 10000.'],
  ['MORTISE_SCHEDULE_SPREAD', '5', 'must be a duration such as 30s, 10m or 1h.'],
  ['MORTISE_READ_INTERVAL_MIN', '10', 'must be a duration such as 30s, 10m or 1h.'],
  ['MORTISE_READ_INTERVAL_MIN', '0s', 'must be a duration such as 30s, 10m or 1h.'],
  ['MORTISE_SUPPORT_EMAIL', 'help', 'must be an email address.'],
  ['MORTISE_SUPPORT_URL', 'javascript:alert(1)', 'must be a URL that begins with http:// or https://.'],
])('%s=%s is refused with one line', (env, value, sentence) => {
  expect(faultsOf({ [env]: value })).toEqual([`${env} ${sentence}`])
})

test('a direct address of the database needs the other one', () => {
  expect(faultsOf({ DATABASE_DIRECT_URL: 'postgres://db:5432/x' })).toEqual([
    'DATABASE_DIRECT_URL must be set together with DATABASE_URL.',
  ])
})

test.each([
  ['DATABASE_URL', 'mysql://root:hidden@db/x'],
  ['DATABASE_DIRECT_URL', 'mysql://root:hidden@db/x'],
  ['DATABASE_URL', 'host=db password=hidden'],
  ['MORTISE_ENCRYPTION_KEY', 'hidden'],
  ['MORTISE_ENCRYPTION_KEY_NEXT', 'hidden'],
  ['MORTISE_SMTP_URL', 'http://mortise:hidden@mail.example.com'],
  ['MORTISE_SMTP_URL', 'smtp://mortise:hidden@mail.example.com/?proxy=hidden'],
  ['MORTISE_ALLOW_PRIVATE_NETWORK', '10.0.0.0/99'],
])('%s=%s is refused, and no secret is repeated', (env, value) => {
  const [line, ...more] = faultsOf({ [env]: value })
  expect(more).toEqual([])
  expect(line).toMatch(new RegExp(`^${env}\\b`))
  expect(line?.match(new RegExp(env, 'g'))).toHaveLength(1)
  expect(line).not.toContain('hidden')
})

test('all faults are told at once, each on a line of its own', () => {
  const lines = faultsOf({
    PORT: 'x',
    MORTISE_ROLES: 'x',
    MORTISE_LOG_LEVEL: 'x',
    MORTISE_HOST: 'fine',
    MORTISE_ENCRYPTION_KEY: 'x',
  })
  expect(lines.map((line) => line.split(/[ :]/)[0])).toEqual([
    'PORT',
    'MORTISE_ROLES',
    'MORTISE_ENCRYPTION_KEY',
    'MORTISE_LOG_LEVEL',
  ])
})

test.each([
  ['1s', 1_000],
  ['10m', 600_000],
  ['2h', 7_200_000],
])('the duration %s is %d ms', (text, ms) => {
  expect(duration(text)).toBe(ms)
})

test('the reference page and the settings say the same', () => {
  const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows).toEqual(
    Object.values(settings).map(({ env, shown, meaning }) => `| \`${env}\` | ${shown || '–'} | ${meaning} |`),
  )
})
