import { Type } from 'typebox'
import { caCertificateProperty, readCaCertificate } from '../certificate-setting.ts'
import { refusalOfName } from '../group-ref.ts'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { type DatabaseTarget, databaseTarget, readUrl, type UrlRules } from '../tables/database-url.ts'
import { type DeletesSetting, deletesProperty, readDeletes } from '../tables/deletes-setting.ts'

export interface MysqlSettings extends DeletesSetting {
  /** `mysql://user:password@host:3306/database` */
  url: string
  /** Databases of the groups, with `{{groupRef}}` at the end. By default, all have the one of the URL. */
  database?: string
  /** Certificate authority of the server, PEM. */
  caCertificate?: string
}

export const properties = {
  url: Type.String({
    description:
      'The database, such as mysql://user:password@db.example.com:3306/app: with TLS, or with ?ssl-mode=DISABLED inside MORTISE_ALLOW_PRIVATE_NETWORK.',
  }),
  database: Type.String({
    description:
      'A database for each group, which Mortise creates: a name with {{groupRef}} at its end, such as crm_{{groupRef}}. By default, the database of the URL has the tables of all groups.',
  }),
  deletes: deletesProperty,
  caCertificate: caCertificateProperty,
}

export const urlRules: UrlRules = {
  product: 'MySQL',
  schemes: ['mysql', 'mariadb'],
  port: 3306,
  tls: { parameter: 'ssl-mode', on: 'VERIFY_IDENTITY', off: 'DISABLED' },
  example: 'mysql://user:password@db.example.com:3306/app',
  // The client library compares a certificate with a host name, and not with an address.
  tlsNeedsName: true,
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<MysqlSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<MysqlSettings>({
    url: readUrl(read, at, guard, urlRules),
    database: readDatabase(read),
    deletes: readDeletes(read),
    caCertificate: readCaCertificate(read),
  })
  return { settings, issues: read.issues }
}

/** None becomes `information_schema` or `performance_schema`. */
const reserved = ['information_', 'performance_']

function readDatabase(read: SettingsReader): string | undefined {
  const database = read.optionalText('database', { what: 'the name of a database', pattern: /^.{1,100}$/s })
  const refusal = database === undefined ? undefined : refusalOfName(database, reserved)
  if (refusal === undefined) return database
  read.refuse('database', refusal.detail, refusal.remedy)
  return undefined
}

/** The target of settings that were read. */
export function targetOf({ url }: MysqlSettings): DatabaseTarget {
  return databaseTarget(url, urlRules)
}
