import { azureblob } from './azureblob/index.ts'
import { azureservicebus } from './azureservicebus/index.ts'
import { bigquery } from './bigquery/index.ts'
import { clickhouse } from './clickhouse/index.ts'
import { gcs } from './gcs/index.ts'
import type { DestinationKind } from './kind.ts'
import { kinesis } from './kinesis/index.ts'
import { postgres } from './postgres/index.ts'
import { pubsub } from './pubsub/index.ts'
import { redisStream } from './redis-stream/index.ts'
import { redshift } from './redshift/index.ts'
import { s3 } from './s3/index.ts'
import { slack } from './slack/index.ts'
import { snowflake } from './snowflake/index.ts'
import { sqs } from './sqs/index.ts'
import { unknownKind } from './unknown-kind.ts'
import { webhook } from './webhook/index.ts'

export { failureOf } from './failure-of.ts'
export type {
  DestinationKind,
  KindLimits,
  KindServices,
  OutgoingMessage,
  Sender,
  SendOptions,
  SendResult,
} from './kind.ts'
export { hasMask, withStoredValues } from './masks.ts'
export { secretNames, withoutSecrets } from './secret-settings.ts'
export { newSigningSecret, signingKey } from './signing.ts'

/** Every kind of destination, in the order of the docs. A new kind is a folder here, and a line in this list. */
export const destinationKinds: readonly DestinationKind[] = [
  webhook,
  postgres,
  redisStream,
  s3,
  sqs,
  kinesis,
  clickhouse,
  pubsub,
  gcs,
  bigquery,
  azureservicebus,
  azureblob,
  snowflake,
  redshift,
  slack,
]

const byName = new Map(destinationKinds.map((kind) => [kind.name, kind]))

export function findKind(name: string): DestinationKind | undefined {
  return byName.get(name)
}

/** The kind of a stored destination. Of one that a newer release created, the messages wait for that release. */
export function kindOf(name: string): DestinationKind {
  return byName.get(name) ?? unknownKind(name)
}
