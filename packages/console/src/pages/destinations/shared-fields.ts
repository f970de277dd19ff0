/** A setting of a destination, as the form shows it. */
export interface KindField {
  /** Name of the setting in the API. */
  name: string
  label: string
  help?: string
  /** Whether it belongs in `secrets`: it is never shown again. */
  isSecret?: true
  optional?: true
  /** Whether few need it: the form shows it on request. */
  isRare?: true
  /** Default `text`. `lines`: several lines. `headers`: a name and a value in each line. `boolean`: yes or no. */
  input?: 'text' | 'lines' | 'number' | 'choice' | 'headers' | 'boolean'
  choices?: readonly string[]
}

export const endpointUrl: KindField = {
  name: 'endpointUrl',
  label: 'Endpoint',
  help: 'In place of the public one: of a private network, or of a compatible service.',
  optional: true,
}
export const caCertificate: KindField = {
  name: 'caCertificate',
  label: 'Certificate authority',
  help: 'As PEM, if the certificate of the server is not from a public one.',
  input: 'lines',
  optional: true,
}
export const region: KindField = { name: 'region', label: 'Region', help: 'For example eu-central-1.' }
export const awsCredentials: readonly KindField[] = [
  { name: 'awsKeyId', label: 'Access key id', isSecret: true },
  { name: 'awsSecretKey', label: 'Secret access key', isSecret: true },
  {
    name: 'awsSessionToken',
    label: 'Session token',
    help: 'Of temporary credentials.',
    isSecret: true,
    optional: true,
  },
]

export const googleCredentials: KindField = {
  name: 'credentials',
  label: 'Key file of the service account',
  help: 'Its JSON, as text.',
  input: 'lines',
  isSecret: true,
}
export const keyTemplate: KindField = {
  name: 'keyTemplate',
  label: 'Key of an object',
  help: `A JMESPath expression, for example join('/', [data.groupRef, time.date, metadata."event-id"]).`,
  optional: true,
}
export const ordered: KindField = {
  name: 'ordered',
  label: 'In order',
  help: 'Whether a message waits until older ones of its object and installation arrived. Default: no.',
  input: 'boolean',
  optional: true,
  isRare: true,
}
export const collected: readonly KindField[] = [
  {
    name: 'maxWaitSecs',
    label: 'Seconds to collect messages',
    help: 'At most. Default: messages are sent immediately.',
    input: 'number',
    optional: true,
    isRare: true,
  },
  {
    name: 'batchSize',
    label: 'Messages to collect',
    help: 'At most, if messages are collected. Default: what one batch takes.',
    input: 'number',
    optional: true,
    isRare: true,
  },
]
export const batches: readonly KindField[] = [
  {
    name: 'batchSize',
    label: 'Messages to collect',
    help: 'At most. Default: 1,000.',
    input: 'number',
    optional: true,
  },
  {
    name: 'maxWaitSecs',
    label: 'Seconds to collect messages',
    help: 'At most. Default: 30.',
    input: 'number',
    optional: true,
  },
]

export const files: readonly KindField[] = [
  {
    name: 'format',
    label: 'Format',
    help: 'json: an object for each message. The others: files of the records of many messages.',
    input: 'choice',
    choices: ['json', 'ndjson', 'csv', 'parquet'],
    optional: true,
  },
  {
    name: 'prefixTemplate',
    label: 'Folder of files',
    help: `For files of records. A JMESPath expression, for example join('/', [data.objectName, data.groupRef]).`,
    optional: true,
  },
  ...batches,
]

export const deletes: KindField = {
  name: 'deletes',
  label: 'Deleted records',
  help: 'soft: their rows stay, with a mark. hard: Mortise removes their rows. Default: soft.',
  input: 'choice',
  choices: ['soft', 'hard'],
  optional: true,
}

export const deletesWithTables: KindField = { ...deletes, help: `With tables. ${deletes.help}` }

export const layout: KindField = {
  name: 'layout',
  label: 'Rows',
  help: 'messages: a row for each message. tables: a row for each record, in tables that Mortise creates.',
  input: 'choice',
  choices: ['messages', 'tables'],
  optional: true,
}
