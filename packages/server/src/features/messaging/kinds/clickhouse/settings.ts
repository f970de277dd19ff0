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

export interface ClickHouseSettings extends LayoutSettings {
  /** Of the HTTP interface. */
  url: string
  username: string
  /** Only with rows of messages. */
  tableName?: string
  database?: string
  password: string
}

export const properties = {
  url: Type.String({ description: 'URL of the HTTP interface, such as https://clickhouse.example.com:8443.' }),
  username: Type.String({ description: 'User that inserts.' }),
  tableName: Type.String({
    description: 'Table of messages, whose columns are named as the keys of a message. Not with layout tables.',
  }),
  ...layoutProperties,
  database: Type.String({
    description:
      'Database of the tables. By default, the one of the user. With layout tables and {{groupRef}} at its end, such as crm_{{groupRef}}, a database for each group, which Mortise creates.',
  }),
  ...batchProperties,
}

export const secretProperties = { password: Type.String({ description: 'Password of the user.' }) }

const urlRemedy = 'Give the URL of the HTTP interface, such as https://clickhouse.example.com:8443.'
/** Quoted, they can be any text. Others are more likely a mistake: a database before the table, or SQL. */
const nameRule = { what: 'a name of 1 to 128 letters, digits, underscores and dashes', pattern: /^[\w-]{1,128}$/ }

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<ClickHouseSettings> {
  const read = new SettingsReader(input, at)
  const layout = readLayout(read)
  const url = read.url('url', guard, urlRemedy)
  if (/[?#]/.test(url)) read.refuse('url', 'must have no query and no fragment.', urlRemedy)
  const settings = definedSettings<ClickHouseSettings>({
    url,
    username: read.text('username', {
      what: 'a user of 1 to 128 characters without a colon',
      pattern: /^[^:\p{Cc}]{1,128}$/u,
      remedy: 'Give a user that may insert into the table.',
    }),
    tableName: readTable(read, 'tableName', layout, {
      ...nameRule,
      remedy: 'Give the table alone. `database` names its database.',
    }),
    layout,
    deletes: readDeletesOf(read, layout),
    database: readNamespace(read, 'database', layout, { ...nameRule, reserved: ['information_'] }),
    ...readBatchSettings(read),
    password: read.text('password', {
      what: 'a password of 1 to 1,024 characters',
      pattern: /^\P{Cc}{1,1024}$/u,
      remedy: 'Give the password of the user.',
    }),
  })
  return { settings, issues: read.issues }
}
