import { Type } from 'typebox'
import { caCertificateProperty, readCaCertificate } from '../certificate-setting.ts'
import type { KindServices, Read } from '../kind.ts'
import { isHost, refusalOf, type ServerAddress } from '../server-address.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { readTemplate } from '../template.ts'

export interface KafkaSettings {
  /** `host:port`, with commas between them. */
  brokers: string
  topic: string
  /** By default, true. */
  tls?: boolean
  partitionKeyTemplate?: string
  /** What a record of the topic is: `messages`, as by default, a message; `records`, a record of a provider. */
  layout?: 'messages' | 'records'
  /** Whether a record without a value follows that of a deletion. By default, false. Only with `records`. */
  tombstones?: boolean
  saslMechanism?: SaslMechanism
  /** Certificate authority of the brokers, PEM. */
  caCertificate?: string
  username?: string
  password?: string
  /** By default, json. */
  format?: ValueFormat
  schemaRegistryUrl?: string
  /** By default, topicRecord. */
  subjectNameStrategy?: 'record' | 'topicRecord'
  registryUsername?: string
  registryPassword?: string
}

export type ValueFormat = 'json' | 'avro'

/** Settings of values in Avro. */
export type AvroSettings = Pick<KafkaSettings, 'subjectNameStrategy' | 'registryUsername' | 'registryPassword'> & {
  schemaRegistryUrl: string
}

/** What a schema registry gets as HTTP Basic authentication. Undefined without a user. */
export function registryCredentials({
  registryUsername: user,
  registryPassword,
}: Partial<AvroSettings>): string | undefined {
  return user === undefined ? undefined : Buffer.from(`${user}:${registryPassword}`).toString('base64')
}

/** Whether values are in Avro. */
export function isAvro(settings: KafkaSettings): settings is KafkaSettings & AvroSettings {
  return settings.format === 'avro' && settings.schemaRegistryUrl !== undefined
}

export type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512'

export const properties = {
  brokers: Type.String({
    description:
      'Brokers to connect to first, such as kafka-1.example.com:9093,kafka-2.example.com:9093. Mortise also connects to the brokers that these name.',
  }),
  topic: Type.String({ description: 'Name of the topic, which must exist.' }),
  tls: Type.Boolean({
    description: 'Whether to use TLS. By default, true. Without TLS, only inside MORTISE_ALLOW_PRIVATE_NETWORK.',
  }),
  partitionKeyTemplate: Type.String({
    description:
      "JMESPath expression that makes the key of a message, such as join('_', [data.groupRef, data.objectName]). By default, and where it makes no text, the id of the installation, or of the message if it belongs to none. With layout records, the installation, the object and the id of the record.",
  }),
  layout: Type.String({
    description:
      'What a record of the topic is. `messages`: a message, as by default. `records`: a record of the provider, in a message of this record alone.',
  }),
  tombstones: Type.Boolean({
    description:
      'Whether a record with the same key and without a value follows the message about a deleted record, so that a compacted topic drops it. By default, false. Only with layout records.',
  }),
  saslMechanism: Type.String({
    description: 'How to log in: plain (the default), scram-sha-256 or scram-sha-512. Only with username.',
  }),
  caCertificate: caCertificateProperty,
  format: Type.String({ description: 'json (the default), or avro with a schema registry.' }),
  schemaRegistryUrl: Type.String({
    description: 'URL of the schema registry, such as https://schemas.example.com. Required with format avro.',
  }),
  subjectNameStrategy: Type.String({
    description:
      'Subject of a schema: topicRecord (the default), the topic and the name of the record, or record, its name alone.',
  }),
}

export const secretProperties = {
  username: Type.String({ description: 'Name of the user, who may write to the topic. Only with password.' }),
  password: Type.String({ description: 'Password of the user.' }),
  registryUsername: Type.String({
    description: 'User name or API key at the schema registry. Only with registryPassword.',
  }),
  registryPassword: Type.String({ description: 'Password or secret at the schema registry.' }),
}

const brokersMax = 20
const remedy = 'Give brokers like kafka-1.example.com:9093,kafka-2.example.com:9093.'

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<KafkaSettings> {
  const read = new SettingsReader(input, at)
  const tls = read.optionalBoolean('tls')
  const mechanism = read.optionalText('saslMechanism', {
    what: 'plain, scram-sha-256 or scram-sha-512',
    pattern: /^(?:plain|scram-sha-256|scram-sha-512)$/,
  })
  const settings = definedSettings<KafkaSettings>({
    brokers: readBrokers(read, { guard, tls: tls ?? true }),
    topic: read.text('topic', {
      what: 'the name of a topic: 1 to 249 letters, digits, dots, dashes and underscores',
      pattern: /^[\w.-]{1,249}$/,
      remedy: 'Give the name of a topic that exists.',
    }),
    tls,
    partitionKeyTemplate: readTemplate(read, 'partitionKeyTemplate'),
    ...readLayout(read),
    saslMechanism: mechanism as SaslMechanism | undefined,
    caCertificate: readCaCertificate(read),
    username: read.optionalText('username', { what: 'the name of a user', pattern: credential }),
    password: read.optionalText('password', { what: 'the password of the user', pattern: credential }),
    ...readAvro(read, guard),
  })
  const { username, password } = settings
  if (username !== undefined && password === undefined) read.refuse('password', 'is required with username.')
  if (username === undefined && password !== undefined) read.refuse('username', 'is required with password.')
  return { settings, issues: read.issues }
}

function readLayout(read: SettingsReader) {
  const layout = read.optionalText('layout', { what: 'messages or records', pattern: /^(?:messages|records)$/ })
  const tombstones = read.optionalBoolean('tombstones')
  if ((layout === 'messages' || !read.isGiven('layout')) && read.isGiven('tombstones'))
    read.refuse('tombstones', 'is only for layout records.', 'Set layout to records, or leave it out.')
  return { layout: layout as KafkaSettings['layout'], tombstones }
}

function readAvro(read: SettingsReader, guard: KindServices['guard']) {
  const format = read.optionalText('format', { what: 'json or avro', pattern: /^(?:json|avro)$/ })
  const schemaRegistryUrl = read.optionalUrl('schemaRegistryUrl', guard, registryRemedy)
  const strategy = read.optionalText('subjectNameStrategy', {
    what: 'topicRecord or record',
    pattern: /^(?:topicRecord|record)$/,
  })
  const names = { what: 'a user name without a colon', pattern: /^[^\p{Cc}:]{1,1000}$/u }
  const registryUsername = read.optionalText('registryUsername', names)
  const registryPassword = read.optionalText('registryPassword', { what: 'a password', pattern: credential })
  if (format === 'avro' && !read.isGiven('schemaRegistryUrl'))
    read.refuse('schemaRegistryUrl', 'is required with format avro.', registryRemedy)
  if (schemaRegistryUrl !== undefined && !isBase(schemaRegistryUrl))
    read.refuse('schemaRegistryUrl', 'must have no user, query or fragment.', registryRemedy)
  for (const name of avroNames)
    if ((format === 'json' || !read.isGiven('format')) && read.isGiven(name))
      read.refuse(name, 'is only for format avro.', 'Set format to avro, or leave it out.')
  for (const [one, other] of [avroSecrets, avroSecrets.toReversed()] as [string, string][])
    if (read.isGiven(one) && !read.isGiven(other)) read.refuse(other, `is required with ${one}.`)
  return {
    format: format as ValueFormat | undefined,
    schemaRegistryUrl,
    subjectNameStrategy: strategy as KafkaSettings['subjectNameStrategy'],
    registryUsername,
    registryPassword,
  }
}

const avroSecrets = ['registryUsername', 'registryPassword']
const avroNames = ['schemaRegistryUrl', 'subjectNameStrategy', ...avroSecrets]
const registryRemedy = 'Give the URL of the registry, such as https://schemas.example.com.'

/** Whether paths can be added to a URL, and nothing in it is secret. */
function isBase(text: string): boolean {
  const { username, password, search, hash } = new URL(text)
  return [username, password, search, hash].every((part) => part === '')
}

const credential = /^[^\p{Cc}]{1,1000}$/u

function readBrokers(read: SettingsReader, { guard, tls }: Pick<KindServices, 'guard'> & { tls: boolean }): string {
  const text = read.text('brokers', { what: 'a list of brokers', pattern: /^[!-~ ]{1,4000}$/, remedy })
  if (text === '') return text
  const brokers = parseBrokers(text, tls)
  const reasons = brokers
    ? brokers.flatMap((broker) => refusalOf(broker, 'Kafka', guard) ?? [])
    : [{ reason: `It must have 1 to ${brokersMax} brokers: each a host, a colon and a port.`, remedy }]
  for (const { reason, remedy: what } of reasons) read.refuse('brokers', `is not accepted. ${reason}`, what)
  return reasons.length === 0 ? text : ''
}

/** Parses a list of brokers. Undefined if it is not one. */
function parseBrokers(text: string, tls: boolean): ServerAddress[] | undefined {
  const found = text.split(',').map((part) => {
    const [, bracketed, plain, port] = /^\s*(?:\[([0-9a-fA-F:.]+)\]|([^:\s]+)):(\d{1,5})\s*$/.exec(part) ?? []
    return { host: bracketed ?? plain ?? '', port: Number(port), tls }
  })
  const isList =
    found.length <= brokersMax && found.every(({ host, port }) => isHost(host) && port > 0 && port < 65_536)
  return isList ? found : undefined
}

/** The brokers of settings that were read. */
export function brokersOf({ brokers, tls }: Pick<KafkaSettings, 'brokers' | 'tls'>): ServerAddress[] {
  return parseBrokers(brokers, tls ?? true) ?? []
}
