import { createRequire } from 'node:module'

/**
 * Clients of cloud services, from the optional packages of the server, as their users would load them. Here are the
 * parts of their types that the benchmarks use.
 */

const load = createRequire(new URL('../../packages/server/package.json', import.meta.url))

/** Says what to do where the clients are missing. Undefined where they are installed. */
export function missingClients(): string | undefined {
  try {
    load.resolve('@aws-sdk/client-sqs')
    return undefined
  } catch {
    return 'its client is not installed: run npm install --include=optional'
  }
}

interface AwsConfig {
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken: string }
}

interface AwsClient<Command> {
  send(command: Command): Promise<{ FailedRecordCount?: number; Failed?: unknown[] }>
  destroy(): void
}

export const loadKinesis = () =>
  load('@aws-sdk/client-kinesis') as {
    KinesisClient: new (config: AwsConfig) => AwsClient<object>
    PutRecordsCommand: new (input: { StreamName: string; Records: { Data: Buffer; PartitionKey: string }[] }) => object
  }

export const loadSqs = () =>
  load('@aws-sdk/client-sqs') as {
    SQSClient: new (config: AwsConfig) => AwsClient<object>
    SendMessageBatchCommand: new (input: { QueueUrl: string; Entries: { Id: string; MessageBody: string }[] }) => object
  }

interface Topic {
  publishMessage(message: { data: Buffer; attributes: Record<string, string> }): Promise<string>
  flush(): Promise<void>
}

export const loadPubSub = () =>
  load('@google-cloud/pubsub') as {
    PubSub: new (options: {
      projectId: string
      apiEndpoint: string
      emulatorMode: boolean
    }) => {
      topic(name: string, options: { batching: { maxMessages: number; maxBytes: number } }): Topic
      close(): Promise<void>
    }
  }

interface ServiceBusMessage {
  body: Buffer
  messageId: string
  sessionId: string
  contentType: string
  applicationProperties: Record<string, string>
}

interface ServiceBusBatch {
  readonly count: number
  tryAddMessage(message: ServiceBusMessage): boolean
}

export const loadServiceBus = () =>
  load('@azure/service-bus') as {
    ServiceBusClient: new (
      connectionString: string,
    ) => {
      createSender(queue: string): {
        createMessageBatch(): Promise<ServiceBusBatch>
        sendMessages(batch: ServiceBusBatch): Promise<void>
      }
      close(): Promise<void>
    }
  }

/** A message that a container of AMQP received. */
interface AmqpMessage {
  reply_to?: string
  message_id?: unknown
  body: { multiple?: boolean; content: unknown }
}

/** A batch is not decoded: its format is not 0. */
interface AmqpDelivery {
  message: AmqpMessage | Buffer
  receiver: { target: { address: string } }
}

interface AmqpContainer {
  sasl_server_mechanisms: { enable_anonymous(): void; enable_plain(isValid: () => boolean): void }
  on(event: 'message', then: (context: AmqpDelivery) => void): void
  on(event: 'disconnected', then: () => void): void
  on(event: 'sender_open', then: (context: { sender: AmqpSender }) => void): void
  listen(options: object): import('node:net').Server
  websocket_accept(webSocket: object, options: object): void
}

export interface AmqpSender {
  name: string
  send(message: object): void
}

/** The implementation of AMQP that the client of Service Bus brings, which can also listen. */
export const loadAmqp = () =>
  load('rhea') as { create_container(): AmqpContainer; message: { decode(bytes: Buffer): AmqpMessage } }
