import { Type } from 'typebox'
import { caCertificateProperty, readCaCertificate } from '../certificate-setting.ts'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { type DatabaseTarget, databaseTarget, readUrl, type UrlRules } from '../tables/database-url.ts'

export interface MysqlSettings {
  /** `mysql://user:password@host:3306/database` */
  url: string
  /** Certificate authority of the server, PEM. */
  caCertificate?: string
}

export const properties = {
  url: Type.String({
    description:
      'The database, such as mysql://user:password@db.example.com:3306/app: with TLS, or with ?ssl-mode=DISABLED inside MORTISE_ALLOW_PRIVATE_NETWORK.',
  }),
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
    caCertificate: readCaCertificate(read),
  })
  return { settings, issues: read.issues }
}

/** The target of settings that were read. */
export function targetOf({ url }: MysqlSettings): DatabaseTarget {
  return databaseTarget(url, urlRules)
}
