import { azureblob } from './azureblob/index.ts'
import { azureservicebus } from './azureservicebus/index.ts'
import { bigquery } from './bigquery/index.ts'
import { byGroup } from './by-group/index.ts'
import { clickhouse } from './clickhouse/index.ts'
import { email } from './email/index.ts'
import { fanOut } from './fan-out/index.ts'
import { gcs } from './gcs/index.ts'
import { inBatches } from './in-batches.ts'
import { inOrder } from './in-order.ts'
import { kafka } from './kafka/index.ts'
import type { DestinationKind } from './kind.ts'
import { kinesis } from './kinesis/index.ts'
import { mysql } from './mysql/index.ts'
import { nats } from './nats/index.ts'
import { postgres } from './postgres/index.ts'
import { pubsub } from './pubsub/index.ts'
import { rabbitmq } from './rabbitmq/index.ts'
import { records } from './records/index.ts'
import { redisStream } from './redis-stream/index.ts'
import { redshift } from './redshift/index.ts'
import { s3 } from './s3/index.ts'
import { slack } from './slack/index.ts'
import { snowflake } from './snowflake/index.ts'
import { sqs } from './sqs/index.ts'
import { unknownKind } from './unknown-kind.ts'
import { webhook } from './webhook/index.ts'

export { arrivingBody } from './arriving-body.ts'
export { installRemedy, missingPackages, openSender } from './client-packages.ts'
export { connectionIdOf } from './connection-id.ts'
export { failureOf } from './failure-of.ts'
export { groupRefOf } from './group-ref.ts'
export type {
  Collecting,
  DestinationKind,
  FieldType,
  KindLimits,
  KindServices,
  MessageObject,
  MessageOrigin,
  MessageSource,
  OutgoingMessage,
  RecordChange,
  RecordContent,
  RejectedRecords,
  Sender,
  SendOptions,
  SendResult,
  StoredResult,
  StoreOptions,
} from './kind.ts'
export { hasMask, maskedPaths, withStoredValues } from './masks.ts'
export { createTimeOf } from './message-time.ts'
export { sourceOf } from './object-key.ts'
export { marksDaysDefault, type RecordsSettings, recordsKind } from './records/index.ts'
export { secretNames, withoutSecrets } from './secret-settings.ts'
export { newSigningSecret, signingKey } from './signing.ts'

/** Every kind of destination, in the order of the docs. A new kind is a folder here, and a line in this list. */
export const destinationKinds: readonly DestinationKind[] = [
  inOrder(webhook),
  inBatches(postgres),
  inBatches(mysql),
  inOrder(inBatches(redisStream)),
  s3,
  inOrder(inBatches(sqs)),
  inOrder(inBatches(kinesis)),
  clickhouse,
  inOrder(inBatches(pubsub)),
  gcs,
  bigquery,
  inOrder(inBatches(rabbitmq)),
  inOrder(inBatches(nats)),
  inOrder(inBatches(kafka)),
  inOrder(inBatches(azureservicebus)),
  azureblob,
  snowflake,
  redshift,
  slack,
  inBatches(email),
  fanOut,
  byGroup,
  records,
]

const byName = new Map(destinationKinds.map((kind) => [kind.name, kind]))

export function findKind(name: string): DestinationKind | undefined {
  return byName.get(name)
}

/** The kind of a stored destination. Of one that a newer release created, the messages wait for that release. */
export function kindOf(name: string): DestinationKind {
  return byName.get(name) ?? unknownKind(name)
}
