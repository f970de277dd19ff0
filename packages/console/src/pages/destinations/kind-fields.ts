/** A setting of a destination, as the form shows it. */
export interface KindField {
  /** Name of the setting in the API. */
  name: string
  label: string
  help?: string
  /** Whether it belongs in `secrets`: it is never shown again. */
  isSecret?: true
  optional?: true
  /** Default `text`. `lines`: several lines. `headers`: a name and a value in each line. */
  input?: 'text' | 'lines' | 'number' | 'choice' | 'headers'
  choices?: readonly string[]
}

const endpointUrl: KindField = {
  name: 'endpointUrl',
  label: 'Endpoint',
  help: 'In place of the public one: of a private network, or of a compatible service.',
  optional: true,
}
const region: KindField = { name: 'region', label: 'Region', help: 'For example eu-central-1.' }
const awsCredentials: readonly KindField[] = [
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

/** The settings of each kind of destination, in the order of the form. */
export const kindFields = {
  webhook: [
    { name: 'url', label: 'URL', help: 'For example https://example.com/webhooks.' },
    {
      name: 'headers',
      label: 'Headers',
      help: 'One in each line, for example X-Team: growth.',
      input: 'headers',
      optional: true,
    },
  ],
  postgres: [
    {
      name: 'url',
      label: 'Database',
      help: 'For example postgresql://user:password@db.example.com:5432/app.',
    },
    { name: 'schema', label: 'Schema', help: 'Of the tables. It must exist. Default: public.', optional: true },
    {
      name: 'caCertificate',
      label: 'Certificate authority',
      help: 'As PEM, if the certificate of the server is not from a public one.',
      input: 'lines',
      optional: true,
    },
  ],
  'redis-stream': [
    { name: 'url', label: 'Server', help: 'For example rediss://user:password@redis.example.com:6379/0.' },
    {
      name: 'stream',
      label: 'Stream',
      help: 'The key of the stream, for example mortise:messages. Redis creates it with the first message.',
    },
    {
      name: 'maxLength',
      label: 'Entries to keep',
      help: 'About how many entries the stream keeps. All when empty.',
      input: 'number',
      optional: true,
    },
  ],
  s3: [
    { name: 'bucket', label: 'Bucket' },
    region,
    {
      name: 'keyTemplate',
      label: 'Key of an object',
      help: `A JMESPath expression, for example join('/', [data.groupRef, time.date, metadata."event-id"]).`,
      optional: true,
    },
    {
      name: 'storageClass',
      label: 'Storage class',
      input: 'choice',
      choices: [
        'STANDARD',
        'STANDARD_IA',
        'ONEZONE_IA',
        'INTELLIGENT_TIERING',
        'GLACIER',
        'GLACIER_IR',
        'DEEP_ARCHIVE',
      ],
      optional: true,
    },
    endpointUrl,
    ...awsCredentials,
  ],
  sqs: [
    {
      name: 'queueUrl',
      label: 'URL of the queue',
      help: 'For example https://sqs.eu-central-1.amazonaws.com/123456789012/events.',
    },
    endpointUrl,
    ...awsCredentials,
  ],
  kinesis: [
    { name: 'streamName', label: 'Stream' },
    region,
    {
      name: 'partitionKeyTemplate',
      label: 'Partition key',
      help: "A JMESPath expression, for example join('_', [data.groupRef, data.objectName]). Default: the id of the message.",
      optional: true,
    },
    endpointUrl,
    ...awsCredentials,
  ],
} satisfies Record<string, readonly KindField[]>
