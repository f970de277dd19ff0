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

const googleCredentials: KindField = {
  name: 'credentials',
  label: 'Key file of the service account',
  help: 'Its JSON, as text.',
  input: 'lines',
  isSecret: true,
}
const keyTemplate: KindField = {
  name: 'keyTemplate',
  label: 'Key of an object',
  help: `A JMESPath expression, for example join('/', [data.groupRef, time.date, metadata."event-id"]).`,
  optional: true,
}
const batches: readonly KindField[] = [
  {
    name: 'batchSize',
    label: 'Messages in one insertion',
    help: 'At most. Default: 1,000.',
    input: 'number',
    optional: true,
  },
  {
    name: 'maxWaitSecs',
    label: 'Seconds to collect messages',
    help: 'At most. Mortise inserts what is due without waiting.',
    input: 'number',
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
    keyTemplate,
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
  clickhouse: [
    { name: 'url', label: 'URL', help: 'Of the HTTP interface, for example https://clickhouse.example.com:8443.' },
    { name: 'username', label: 'User' },
    { name: 'password', label: 'Password', isSecret: true },
    { name: 'database', label: 'Database', help: 'Default: the one of the user.', optional: true },
    { name: 'tableName', label: 'Table', help: 'Its columns have the names of the keys of a message.' },
    ...batches,
  ],
  pubsub: [
    { name: 'projectId', label: 'Project id', help: 'Of Google Cloud.' },
    { name: 'topicId', label: 'Topic id' },
    endpointUrl,
    googleCredentials,
  ],
  gcs: [{ name: 'bucket', label: 'Bucket' }, keyTemplate, endpointUrl, googleCredentials],
  bigquery: [
    { name: 'projectId', label: 'Project id', help: 'Of Google Cloud.' },
    { name: 'datasetId', label: 'Dataset id' },
    { name: 'tableId', label: 'Table id', help: 'It has the columns id and payload.' },
    endpointUrl,
    ...batches,
    googleCredentials,
  ],
  azureservicebus: [
    { name: 'name', label: 'Queue or topic' },
    endpointUrl,
    {
      name: 'connectionString',
      label: 'Connection string',
      help: 'Of a shared access policy that may send.',
      isSecret: true,
    },
  ],
  azureblob: [
    { name: 'account', label: 'Storage account' },
    { name: 'container', label: 'Container' },
    keyTemplate,
    endpointUrl,
    { name: 'accessKey', label: 'Access key', isSecret: true },
  ],
  snowflake: [
    { name: 'accountIdentifier', label: 'Account', help: 'For example myorg-account1.' },
    { name: 'userId', label: 'User', help: 'With its default warehouse and role.' },
    { name: 'dbName', label: 'Database' },
    { name: 'schemaName', label: 'Schema' },
    { name: 'tableName', label: 'Table', help: 'It has the columns id, created_at and payload.' },
    endpointUrl,
    ...batches,
    {
      name: 'privateKey',
      label: 'Private key',
      help: 'Of the user: RSA, not encrypted, as PEM.',
      input: 'lines',
      isSecret: true,
    },
  ],
  redshift: [
    region,
    { name: 'workgroupName', label: 'Workgroup', help: 'Of Redshift Serverless, or name a cluster.', optional: true },
    { name: 'clusterIdentifier', label: 'Cluster', help: 'A provisioned one, or name a workgroup.', optional: true },
    { name: 'dbName', label: 'Database' },
    { name: 'schemaName', label: 'Schema', help: 'Default: public.', optional: true },
    { name: 'tableName', label: 'Table', help: 'It has the columns created_at and payload.' },
    {
      name: 'dbUser',
      label: 'User of the database',
      help: 'For a cluster. Default: the one of the IAM identity.',
      optional: true,
    },
    endpointUrl,
    ...batches,
    { name: 'accessKeyId', label: 'Access key id', isSecret: true },
    { name: 'secretAccessKey', label: 'Secret access key', isSecret: true },
  ],
  slack: [{ name: 'url', label: 'Webhook URL', help: 'For example https://hooks.slack.com/services/…' }],
} satisfies Record<string, readonly KindField[]>
