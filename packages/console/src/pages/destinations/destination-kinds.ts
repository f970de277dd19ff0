import type { Output } from '@mortise/client'
import { counted } from '../../parts/numbers.ts'
import { kindFields } from './kind-fields.ts'
import { collected, type KindField, ordered } from './shared-fields.ts'

export type Destination = Output<'getDestination'>

export interface Kind {
  label: string
  about: string
  fields: readonly KindField[]
}

const labels: Record<keyof typeof kindFields, [label: string, about: string]> = {
  webhook: ['Webhook', 'One of your HTTPS endpoints. Each message is a signed POST.'],
  postgres: ['PostgreSQL', 'A database of yours. Each object has a table, and each record a row.'],
  mysql: ['MySQL', 'A database of MySQL or MariaDB. Each object has a table, and each record a row.'],
  'redis-stream': ['Redis stream', 'A stream of your Redis. Each message is an entry.'],
  s3: ['Amazon S3', 'A bucket of Amazon S3, or of a compatible service. Each message is an object.'],
  sqs: ['Amazon SQS', 'A queue of Amazon SQS. Each message is a message of the queue.'],
  kinesis: ['Amazon Kinesis', 'A stream of Amazon Kinesis. Each message is a record.'],
  pubsub: ['Google Pub/Sub', 'A topic of Google Cloud. Each message is a message of the topic.'],
  rabbitmq: ['RabbitMQ', 'An exchange of your RabbitMQ. Each message is published to it.'],
  nats: ['NATS JetStream', 'A stream of your NATS. Each message is published to a subject.'],
  kafka: ['Apache Kafka', 'A topic of your Kafka. Each message is a record.'],
  azureservicebus: ['Azure Service Bus', 'A queue or topic of Azure. Each message is a message of it.'],
  gcs: ['Google Cloud Storage', 'A bucket of Google Cloud. Each message is an object.'],
  azureblob: ['Azure Blob Storage', 'A container of Azure. Each message is a blob.'],
  clickhouse: ['ClickHouse', 'A table of ClickHouse. Each message or each record is a row.'],
  bigquery: ['BigQuery', 'A table of Google BigQuery. Each message or each record is a row.'],
  snowflake: ['Snowflake', 'A table of Snowflake. Each message or each record is a row.'],
  redshift: ['Amazon Redshift', 'A table of Amazon Redshift. Each message or each record is a row.'],
  email: ['Email', 'One or several addresses, by your SMTP server. Each message is a mail.'],
  'fan-out': ['Several destinations', 'Other destinations of this project. Each of them gets every message.'],
  'by-group': ['By group', 'Other destinations of this project. Each group has one of them.'],
  records: ['Records', 'The database of Mortise. Your product requests the records from the API.'],
  slack: ['Slack', 'A channel of Slack. Each message is a text.'],
}

/** Types that can keep the order of messages. */
const orderedTypes: readonly string[] =
  'webhook redis-stream sqs kinesis pubsub rabbitmq nats kafka azureservicebus'.split(' ')

/** Types that collect messages on request. */
const collectingTypes: readonly string[] =
  'postgres mysql redis-stream sqs kinesis pubsub rabbitmq nats kafka azureservicebus email'.split(' ')

/** Every kind of destination, by its type in the API. */
export const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  Object.entries(labels).map(([type, [label, about]]) => [
    type,
    { label, about, fields: requiredFirst(fieldsOf(type as keyof typeof kindFields)) },
  ]),
)

function fieldsOf(type: keyof typeof kindFields): readonly KindField[] {
  return [
    ...kindFields[type],
    ...(orderedTypes.includes(type) ? [ordered] : []),
    ...(collectingTypes.includes(type) ? collected : []),
  ]
}

function requiredFirst(fields: readonly KindField[]): KindField[] {
  return fields.toSorted((one, other) => Number(one.optional ?? false) - Number(other.optional ?? false))
}

export function kindOf(type: string): string {
  return kinds[type]?.label ?? type
}

/** Why a destination gets no messages, or will not soon. */
export function reasonOf({ status, disabledReason, failureCount, nextProbeTime }: Destination): string | undefined {
  if (status === 'disabled') return disabledReason
  if (status !== 'failing') return undefined
  const failures = `${counted(failureCount ?? 1, 'attempt')} failed in a row`
  return nextProbeTime === undefined ? `${failures}.` : `${failures}; one message is tried at a time.`
}
