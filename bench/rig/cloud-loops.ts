import process from 'node:process'
import { awsCredentials } from '../../packages/server/src/features/messaging/kinds/aws.testkit.ts'
import { azureservicebus } from '../../packages/server/src/features/messaging/kinds/azureservicebus/index.ts'
import { openForTest } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import { googleCredentials } from '../../packages/server/src/features/messaging/kinds/google.testkit.ts'
import type { DestinationKind } from '../../packages/server/src/features/messaging/kinds/kind.ts'
import { kinesis } from '../../packages/server/src/features/messaging/kinds/kinesis/index.ts'
import { pubsub } from '../../packages/server/src/features/messaging/kinds/pubsub/index.ts'
import { sqs } from '../../packages/server/src/features/messaging/kinds/sqs/index.ts'
import { type BrokerTarget, signed, wrapped } from './broker-target.ts'
import { loadKinesis, loadPubSub, loadServiceBus, loadSqs, missingClients } from './cloud-clients.ts'
import type { CloudPorts } from './cloud-stand-in.ts'
import { type Part, startPart } from './part.ts'
import type { ServiceBusPorts } from './service-bus-stand-in.ts'

type Loop = Pick<BrokerTarget, 'send'> & {
  settings: object
  close(): unknown
  /** What the client talks to, where it is not what the sender talks to. */
  other?: Part
}

/** Kinds whose service is in a cloud: a stand-in plays it for both sides. */
export const clouds: Record<string, () => Promise<BrokerTarget | string>> = {
  kinesis: () => startCloud(kinesis, kinesisLoop),
  sqs: () => startCloud(sqs, sqsLoop),
  pubsub: () => startCloud(pubsub, pubSubLoop),
  azureservicebus: () => startCloud(azureservicebus, serviceBusLoop),
}

async function startCloud(
  kind: DestinationKind,
  start: (ports: CloudPorts) => Loop | Promise<Loop>,
): Promise<BrokerTarget | string> {
  const missing = missingClients()
  if (missing !== undefined) return missing
  const part = await startPart('./cloud-stand-in.ts')
  const { settings, send, close, other } = await start(await part.ask<CloudPorts>('ports'))
  const parts = other ? [part, other] : [part]
  return {
    maxBatch: kind.limits.maxBatch,
    open: () => openForTest(kind, settings),
    send,
    async arrived() {
      const counts = await Promise.all(parts.map((one) => one.ask<number>('arrived')))
      return counts.reduce((sum, one) => sum + one)
    },
    clear: async () => void (await Promise.all(parts.map((one) => one.ask('clear')))),
    async [Symbol.asyncDispose]() {
      await close()
      for (const one of parts) await one[Symbol.asyncDispose]()
    },
  }
}

const region = 'eu-central-1'
const { awsKeyId: accessKeyId, awsSecretKey: secretAccessKey, awsSessionToken: sessionToken } = awsCredentials
const credentials = { accessKeyId, secretAccessKey, sessionToken }

/** The client speaks HTTP/2 by default, and the sender HTTP/1.1. */
function kinesisLoop({ http, http2 }: CloudPorts): Loop {
  const { KinesisClient, PutRecordsCommand } = loadKinesis()
  const client = new KinesisClient({ endpoint: `http://127.0.0.1:${http2}`, region, credentials })
  const streamName = 'bench'
  return {
    settings: { streamName, region, endpointUrl: `http://127.0.0.1:${http}/`, ...awsCredentials },
    async send(batch) {
      const Records = batch.map((message) => ({ Data: wrapped(message), PartitionKey: message.id }))
      const { FailedRecordCount } = await client.send(new PutRecordsCommand({ StreamName: streamName, Records }))
      if (FailedRecordCount !== 0) throw new Error(`${FailedRecordCount} records failed`)
    },
    close: () => client.destroy(),
  }
}

function sqsLoop({ http }: CloudPorts): Loop {
  const { SQSClient, SendMessageBatchCommand } = loadSqs()
  const endpoint = `http://127.0.0.1:${http}/`
  const client = new SQSClient({ endpoint, region, credentials })
  const queueUrl = `https://sqs.${region}.amazonaws.com/123456789012/bench`
  return {
    settings: { queueUrl, endpointUrl: endpoint, ...awsCredentials },
    async send(batch) {
      const Entries = batch.map((message, at) => ({ Id: String(at), MessageBody: wrapped(message).toString() }))
      const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
      if (Failed.length > 0) throw new Error(`${Failed.length} messages failed`)
    },
    close: () => client.destroy(),
  }
}

/** The client speaks gRPC, and the sender REST. Neither has a token for each request: the sender keeps its own. */
function pubSubLoop({ http, grpc }: CloudPorts): Loop {
  // Otherwise it looks for a machine of Google Cloud, in the network.
  process.env['METADATA_SERVER_DETECTION'] = 'none'
  const { PubSub } = loadPubSub()
  const projectId = 'bench-project'
  const client = new PubSub({ projectId, apiEndpoint: `127.0.0.1:${grpc}`, emulatorMode: true })
  // Everything of a batch is in one request, as with the sender.
  const topic = client.topic('bench', { batching: { maxMessages: 1_000, maxBytes: 9 * 2 ** 20 } })
  const endpointUrl = `http://127.0.0.1:${http}`
  return {
    settings: {
      ...{ projectId, topicId: 'bench', endpointUrl: `${endpointUrl}/` },
      credentials: googleCredentials(`${endpointUrl}/token`),
    },
    async send(batch) {
      const published = batch.map((message) =>
        topic.publishMessage({ data: wrapped(message), attributes: signed(message.id) }),
      )
      await topic.flush()
      await Promise.all(published)
    },
    close: () => client.close(),
  }
}

/** Both speak AMQP, the sender over a WebSocket. */
async function serviceBusLoop(): Promise<Loop> {
  const { ServiceBusClient } = loadServiceBus()
  const other = await startPart('./service-bus-stand-in.ts')
  const { amqp, webSocket } = await other.ask<ServiceBusPorts>('ports')
  const policy = `SharedAccessKeyName=Send;SharedAccessKey=${Buffer.alloc(32).toString('base64')}`
  const client = new ServiceBusClient(`Endpoint=sb://127.0.0.1:${amqp};${policy};UseDevelopmentEmulator=true`)
  const sender = client.createSender('bench')
  return {
    other,
    settings: {
      ...{ name: 'bench', endpointUrl: `http://127.0.0.1:${webSocket}/` },
      connectionString: `Endpoint=sb://bench.servicebus.windows.net/;${policy}`,
    },
    async send(batch) {
      let some = await sender.createMessageBatch()
      for (const message of batch) {
        const sent = {
          ...{ body: wrapped(message), messageId: message.id, sessionId: 'destination-1' },
          ...{ contentType: 'application/json', applicationProperties: signed(message.id) },
        }
        if (some.tryAddMessage(sent)) continue
        await sender.sendMessages(some)
        some = await sender.createMessageBatch()
        if (!some.tryAddMessage(sent)) throw new Error('a message is too large')
      }
      await sender.sendMessages(some)
    },
    close: () => client.close(),
  }
}
