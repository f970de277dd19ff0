import { createPrivateKey } from 'node:crypto'
import { Type } from 'typebox'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { batchProperties, readBatchSettings } from '../warehouse.ts'
import {
  type LayoutSettings,
  layoutProperties,
  readDeletesOf,
  readLayout,
  readTable,
} from '../warehouse-tables/layout.ts'
import { readNamespace } from '../warehouse-tables/namespace.ts'

export interface SnowflakeSettings extends LayoutSettings {
  accountIdentifier: string
  userId: string
  dbName: string
  schemaName: string
  /** Only with rows of messages. */
  tableName?: string
  endpointUrl?: string
  /** PEM of an RSA key. */
  privateKey: string
}

export const properties = {
  accountIdentifier: Type.String({ description: 'Account, such as myorg-account1, or a locator with its region.' }),
  userId: Type.String({ description: 'Name of the user that inserts, with its default warehouse and role.' }),
  dbName: Type.String({ description: 'Database of the tables.' }),
  schemaName: Type.String({
    description:
      'Schema of the tables. With layout tables and {{groupRef}} at its end, such as crm_{{groupRef}}, a schema for each group, which Mortise creates.',
  }),
  tableName: Type.String({
    description: 'Table of messages, which has the columns id, created_at and payload. Not with layout tables.',
  }),
  ...layoutProperties,
  endpointUrl: Type.String({
    description: 'Endpoint in place of the public one of the account, such as a private link.',
  }),
  ...batchProperties,
}

export const secretProperties = {
  privateKey: Type.String({ description: 'Private key of the user: RSA, not encrypted, in PEM.' }),
}

/** As in SQL: a plain name in any case, or a quoted one. */
const nameRule = {
  what: 'an identifier of Snowflake: letters, digits, _ and $, or any text in double quotes',
  pattern: /^(?:[A-Za-z_][\w$]{0,254}|"[^"\p{Cc}]{1,255}")$/u,
}
const keyRemedy = 'Give the PEM of the private key whose public key you assigned to the user.'

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<SnowflakeSettings> {
  const read = new SettingsReader(input, at)
  const layout = readLayout(read)
  const settings = definedSettings<SnowflakeSettings>({
    accountIdentifier: read.text('accountIdentifier', {
      what: 'an account identifier of Snowflake, such as myorg-account1',
      pattern: /^[A-Za-z0-9][\w-]{0,126}(?:\.[A-Za-z0-9-]{1,63}){0,3}$/,
      remedy: 'Give the account identifier, without .snowflakecomputing.com.',
    }),
    userId: read.text('userId', {
      what: 'the name of a user',
      pattern: /^[\w.@$-]{1,255}$/,
      remedy: 'Give the name of the user.',
    }),
    dbName: read.text('dbName', { ...nameRule, remedy: 'Give the database of the table.' }),
    schemaName:
      readNamespace(read, 'schemaName', layout, {
        ...nameRule,
        remedy: 'Give the schema of the table.',
        isRequired: true,
        reserved: ['information_'],
      }) ?? '',
    tableName: readTable(read, 'tableName', layout, { ...nameRule, remedy: 'Give the table alone.' }),
    layout,
    deletes: readDeletesOf(read, layout),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of your account.'),
    ...readBatchSettings(read),
    privateKey: read.text('privateKey', {
      what: 'a private key in PEM',
      pattern: /^\s*-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\w\s+/=-]{1,16000}$/,
      remedy: keyRemedy,
    }),
  })
  if (settings.privateKey !== '' && !isRsaKey(settings.privateKey))
    read.refuse('privateKey', 'must be an RSA key that is not encrypted.', keyRemedy)
  return { settings, issues: read.issues }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

/** Where statements are sent. Underscores of a name are dashes in its host. */
export function statementsUrl({ accountIdentifier, endpointUrl }: SnowflakeSettings): URL {
  const host = `${accountIdentifier.toLowerCase().replaceAll('_', '-')}.snowflakecomputing.com`
  return new URL('/api/v2/statements', endpointUrl ?? `https://${host}`)
}
