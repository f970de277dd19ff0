import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { policy, settings } from './azureservicebus/conformance.testkit.ts'
import { startFakeServiceBus } from './azureservicebus/fake-service-bus.testkit.ts'
import { type KindHarness, openForTest, testMessages } from './conformance.testkit.ts'
import { objectOf } from './gcs/gcs.testkit.ts'
import { type DestinationKind, destinationKinds } from './index.ts'

/** The consumers that the pages of destinations show, run an hour later with what the service sends. */

interface Sent {
  path: string
  headers: Record<string, string>
  body: string
}

/** What the code of a page takes from the library of the provider, as this library makes it of a request. */
interface Consumer {
  names: (sent: Sent) => Record<string, unknown>
  /** Sends to a server of the provider. By default, to one that records requests of HTTP. */
  send?: (kind: DestinationKind, harness: KindHarness) => Promise<{ secret: string; sent: Sent | undefined }>
  /** What runs the code, if it only declares something. */
  call?: (sent: Sent) => string
}

const goodMessages = testMessages('good é')
const json = ({ body }: Sent) => JSON.parse(body)
const metadataOf = ({ headers }: Pick<Sent, 'headers'>, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  )
const keyOf = ({ path }: Pick<Sent, 'path'>) => decodeURIComponent(path)

/** A client whose methods all answer with one value. */
const client = (answer: object) =>
  class {
    send = async () => answer
  }
const command = class {}

const consumers: Record<string, Consumer> = {
  sqs: {
    names: (sent) => ({
      QueueUrl: json(sent).QueueUrl,
      SQSClient: client({ Messages: [{ Body: json(sent).Entries[0].MessageBody, ReceiptHandle: 'r' }] }),
      ReceiveMessageCommand: command,
      DeleteMessageCommand: command,
    }),
  },
  kinesis: {
    names: () => ({}),
    call: (sent) =>
      `await handler({ Records: [{ kinesis: { data: ${JSON.stringify(json(sent).Records[0].Data)} } }] })`,
  },
  pubsub: {
    names: (sent) => ({
      PubSub: class {
        subscription = () => ({
          on(_: string, receive: (received: object) => void) {
            const [{ data, attributes }] = json(sent).messages
            receive({ data: Buffer.from(data, 'base64'), attributes, ack: () => undefined })
          },
        })
      },
    }),
  },
  azureservicebus: {
    send: async (kind) => {
      const fake = await startFakeServiceBus(policy)
      const { secret, send, close } = openForTest(kind, { ...settings, endpointUrl: `http://127.0.0.1:${fake.port}/` })
      await send(goodMessages)
      await close()
      await fake.stop()
      const [message] = fake.arrived()
      return {
        secret,
        sent: message && { path: '', headers: message.applicationProperties, body: String(message.body) },
      }
    },
    names: (sent) => ({
      ServiceBusClient: class {
        async acceptNextSession(_queue: string, { skipParsingBodyAsJson = false } = {}) {
          const properties = { applicationProperties: sent.headers }
          const received = { body: skipParsingBodyAsJson ? Buffer.from(sent.body) : json(sent), ...properties }
          return { receiveMessages: async () => [received], completeMessage: async () => undefined }
        }
      },
    }),
  },
  s3: {
    names: (sent) => ({
      key: keyOf(sent),
      S3Client: client({
        Body: { transformToString: async () => sent.body },
        Metadata: metadataOf(sent, 'x-amz-meta-'),
      }),
      GetObjectCommand: command,
    }),
  },
  gcs: {
    names: (sent) => {
      const object = objectOf({ ...sent, body: Buffer.from(sent.body) }) ?? expect.fail('no object')
      return {
        key: keyOf(object),
        Storage: class {
          bucket = () => ({
            file: () => ({
              download: async () => [object.body],
              getMetadata: async () => [{ metadata: metadataOf(object, 'x-goog-meta-') }],
            }),
          })
        },
      }
    },
  },
  azureblob: {
    names: (sent) => ({
      key: keyOf(sent),
      BlobServiceClient: {
        fromConnectionString: () => ({
          getContainerClient: () => ({
            getBlobClient: () => ({
              downloadToBuffer: async () => Buffer.from(sent.body),
              getProperties: async () => ({ metadata: metadataOf(sent, 'x-ms-meta-') }),
            }),
          }),
        }),
      },
    }),
  },
}

it.each(Object.keys(consumers))('the consumer of the page of %s verifies what arrives', async (name) => {
  const kind = destinationKinds.find((one) => one.name === name)
  const consumer = consumers[name]
  if (!kind || !consumer) throw new Error(`no kind ${name}`)
  const { harness } = (await import(`./${name}/conformance.testkit.ts`)) as { harness: KindHarness }
  const { secret, sent } = await (consumer.send ?? sendOverHttp)(kind, harness)
  if (sent === undefined) throw new Error('nothing was sent')

  const verified: unknown[] = []
  const verifying = { Webhook, timingSafeEqual, Buffer, process: { env: { WEBHOOK_SECRET: secret } } }
  const verify = await run(codeOf('receiving-messages', 'Messages that you read later'), verifying, 'return verify')
  const names = {
    verify: (...given: unknown[]) => {
      const message = (verify as (...given: unknown[]) => unknown)(...given)
      verified.push(message)
      return message
    },
    ...consumer.names(sent),
  }
  vi.setSystemTime(Date.now() + 3_600_000)
  onTestFinished(() => void vi.useRealTimers())
  await run(codeOf(`destinations/${name}`, 'Consume'), names, consumer.call?.(sent))
  expect(verified).toEqual([{ text: 'good é' }])
  const forged = { 'webhook-id': 'm', 'webhook-timestamp': '1790000000', 'webhook-signature': 'v1,AAAA v1a,' }
  expect(() => names.verify('{}', forged)).toThrow('wrong signature')
})

async function sendOverHttp(kind: DestinationKind, harness: KindHarness) {
  const target = await harness.start()
  await using provider = await record()
  const settings = JSON.parse(
    JSON.stringify(target.settings).replaceAll(`${target.port}`, `${provider.port}`),
  ) as object
  await target.stop()
  const { secret, send, close } = openForTest(kind, settings)
  // It is not confirmed here: only the request counts.
  await send(goodMessages).catch(() => undefined)
  await close()
  return { secret, sent: provider.sent.find(({ path }) => path !== '/token') }
}

/** The first code in JavaScript below a heading of a page. */
function codeOf(page: string, heading: string): string {
  const text = readFileSync(new URL(`../../../../../../docs/${page}.md`, import.meta.url), 'utf8')
  const [, code] = new RegExp(`^##+ ${heading}$[\\s\\S]*?^\`\`\`js$([\\s\\S]*?)^\`\`\`$`, 'm').exec(text) ?? []
  if (code === undefined) throw new Error(`no code in ${page}`)
  return code
}

/** Runs code of a page with the names that it imports, and what follows it. */
function run(code: string, names: Record<string, unknown>, after = ''): Promise<unknown> {
  const lines = code.replaceAll(/^import .*$/gm, '').replaceAll(/^export /gm, '')
  return new AsyncFunction(...Object.keys(names), `${lines}\n${after}`)(...Object.values(names))
}

const AsyncFunction = (async () => undefined).constructor as new (
  ...code: string[]
) => (...values: unknown[]) => Promise<unknown>

/** A provider that accepts nothing, and keeps what it is sent. */
async function record() {
  const sent: Sent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    sent.push({ path: request.url ?? '', headers, body: Buffer.concat(chunks).toString('utf8') })
    if (request.url !== '/token') return response.writeHead(500).end()
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"access_token":"t","token_type":"Bearer","expires_in":3600}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    sent,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
