import { Type } from 'typebox'
import { caCertificateProperty, readCaCertificate } from '../certificate-setting.ts'
import { refusalOfName } from '../group-ref.ts'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { type DatabaseTarget, databaseTarget, readUrl, type UrlRules } from '../tables/database-url.ts'
import { type DeletesSetting, deletesProperty, readDeletes } from '../tables/deletes-setting.ts'

export interface PostgresSettings extends DeletesSetting {
  /** `postgresql://user:password@host:5432/database` */
  url: string
  /** Schema of the tables. By default, `public`. */
  schema?: string
  /** Certificate authority of the server, PEM. */
  caCertificate?: string
}

export const properties = {
  url: Type.String({
    description:
      'The database, such as postgresql://user:password@db.example.com:5432/app: with TLS, or with ?sslmode=disable inside MORTISE_ALLOW_PRIVATE_NETWORK.',
  }),
  schema: Type.String({
    description:
      'Schema of the tables, which must exist. By default, public. With {{groupRef}} at its end, such as crm_{{groupRef}}, a schema for each group, which Mortise creates.',
  }),
  deletes: deletesProperty,
  caCertificate: caCertificateProperty,
}

export const urlRules: UrlRules = {
  product: 'PostgreSQL',
  schemes: ['postgresql', 'postgres'],
  port: 5432,
  tls: { parameter: 'sslmode', on: 'verify-full', off: 'disable' },
  example: 'postgresql://user:password@db.example.com:5432/app',
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<PostgresSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<PostgresSettings>({
    url: readUrl(read, at, guard, urlRules),
    schema: readSchema(read),
    deletes: readDeletes(read),
    caCertificate: readCaCertificate(read),
  })
  return { settings, issues: read.issues }
}

/** None becomes a schema of PostgreSQL. */
const reserved = ['pg_', 'information_']

function readSchema(read: SettingsReader): string | undefined {
  const schema = read.optionalText('schema', { what: 'the name of a schema', pattern: /^.{1,100}$/s })
  if (schema === undefined || /^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema)) return schema
  const hasPlaceholder = schema.includes('{{') || schema.includes('}}')
  const refusal = hasPlaceholder ? refusalOfName(schema, reserved) : plainRefusal
  if (refusal === undefined) return schema
  read.refuse('schema', refusal.detail, refusal.remedy)
  return undefined
}

const plainRefusal = {
  detail: 'must be the name of a schema: 1 to 63 letters, digits and underscores.',
  remedy: undefined,
}

/** The target of settings that were read. */
export function targetOf({ url }: PostgresSettings): DatabaseTarget {
  return databaseTarget(url, urlRules)
}
