import { shownHost } from '../../../../kernel/net/index.ts'
import { checkHost } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { mask, maskedUrl, secretsInUrl } from '../masks.ts'
import { openPostgres } from './postgres-sender.ts'
import { type PostgresSettings, properties, readSettings, targetOf } from './settings.ts'

/** User name and password, up to the last `@` before the path. */
const userInfo = /^([a-z]+:\/\/)[^/?#]*@/i

/** Masks user name and password. The rest is not secret: people see the database and `sslmode`. */
function shownUrl(url: string): string {
  return userInfo.test(url) ? url.replace(userInfo, `$1${mask}@`) : maskedUrl(url)
}

/** Keeps one table for each object, with a row for each record: in the database of the user. */
export const postgres: DestinationKind<PostgresSettings> = {
  name: 'postgres',
  summary: 'Keeps the records of each object in a table of a PostgreSQL database.',
  properties,
  addressKeys: ['url', 'schema'],
  limits: { maxBatch: 100, concurrency: 1, timeoutMs: 60_000 },
  readSettings,
  checkSettings: async (settings, at, services) => {
    const { host, port, tls } = targetOf(settings)
    const shown = host.includes(':') ? `[${host}]` : host
    return checkHost(`${tls ? 'postgresqls' : 'postgresql'}://${shown}:${port}`, `${at}.url`, services, 'postgresql')
  },
  maskSettings: (settings) => ({ ...settings, url: shownUrl(settings.url) }),
  secretsOf: (settings) => [...secretsInUrl(settings.url), targetOf(settings).password],
  endpoint: (settings) => {
    const { host, port, database } = targetOf(settings)
    return `${shownHost(host, port)}/${database} ${settings.schema ?? 'public'}`
  },
  host: (settings) => targetOf(settings).host,
  headers: () => ({}),
  open: openPostgres,
}
