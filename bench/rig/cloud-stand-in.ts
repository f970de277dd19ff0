import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import { servePart } from './part.ts'

/**
 * Answers as Kinesis, SQS and Pub/Sub do when they accept everything: over HTTP, over HTTP/2 without TLS,
 * which the client of Kinesis speaks, and over gRPC, which that of Pub/Sub speaks. It counts messages, keeps nothing
 * and checks no credentials.
 */

let arrived = 0

/** Counts a text that cannot be inside a value, where quotes are escaped. */
function count(body: Buffer, text: string): number {
  let [found, at] = [0, body.indexOf(text)]
  for (; at >= 0; at = body.indexOf(text, at + text.length)) found++
  arrived += found
  return found
}

const sequenceNumber = '49671234567890123456789012345678901234567890123456789012'
const messageId = '8f6e2d0a-0b1c-4d2e-8f3a-4b5c6d7e8f90'

function answerTo(path: string, target: string | undefined, body: Buffer): { status: number; body: string } {
  if (target === 'Kinesis_20131202.PutRecords') {
    const record = { SequenceNumber: sequenceNumber, ShardId: 'shardId-000000000000' }
    const records = Array.from({ length: count(body, '"PartitionKey":') }, () => record)
    return { status: 200, body: JSON.stringify({ FailedRecordCount: 0, Records: records }) }
  }
  if (target === 'AmazonSQS.SendMessageBatch') {
    // The client compares the checksum of each message.
    const { Entries } = JSON.parse(body.toString()) as { Entries: { Id: string; MessageBody: string }[] }
    arrived += Entries.length
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      ...{ Id, MessageId: messageId },
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }))
    return { status: 200, body: JSON.stringify({ Successful }) }
  }
  if (/:publish(?:\?|$)/.test(path)) {
    const messageIds = Array.from({ length: count(body, '"data":"') }, (_, at) => String(11_000_000_000_000_000 + at))
    return { status: 200, body: JSON.stringify({ messageIds }) }
  }
  if (path === '/token') return { status: 200, body: '{"access_token":"token","expires_in":3599}' }
  return { status: 404, body: '{}' }
}

function collect(from: IncomingMessage | ServerHttp2Stream, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  from.on('data', (chunk: Buffer) => chunks.push(chunk))
  from.on('end', () => then(Buffer.concat(chunks)))
}

const type = 'application/x-amz-json-1.1'
const http = createServer((request: IncomingMessage, response: ServerResponse) =>
  collect(request, (body) => {
    const answer = answerTo(request.url ?? '', request.headers['x-amz-target']?.toString(), body)
    response.writeHead(answer.status, { 'content-type': type }).end(answer.body)
  }),
)
http.keepAliveTimeout = 60_000

const windowBytes = 16 * 2 ** 20
const http2 = createHttp2Server({ settings: { initialWindowSize: windowBytes } })
http2.on('session', (session) => session.setLocalWindowSize(windowBytes))
http2.on('stream', (stream, headers) =>
  collect(stream, (body) => {
    const answer = answerTo(headers[':path'] ?? '', headers['x-amz-target']?.toString(), body)
    stream.respond({ ':status': answer.status, 'content-type': type })
    stream.end(answer.body)
  }),
)

/** Counts the messages of a `PublishRequest`: field 2. All its fields have a length. */
function messagesOf(request: Buffer): number {
  let [messages, at] = [0, 0]
  const varint = () => {
    let [value, shift] = [0, 0]
    for (; ; shift += 7) {
      const byte = request[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < request.length) {
    if (varint() >> 3 === 2) messages++
    const length = varint()
    at += length
  }
  return messages
}

const messageIdField = Buffer.concat([Buffer.of(0x0a, 17), Buffer.from('11000000000000000')])
const asIs = (bytes: Buffer) => bytes
const grpc = new GrpcServer({ 'grpc.max_receive_message_length': -1 })
grpc.addService(
  {
    publish: {
      ...{ path: '/google.pubsub.v1.Publisher/Publish', requestStream: false, responseStream: false },
      ...{ requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs },
    },
  },
  {
    publish(call: { request: Buffer }, answer: (error: null, response: Buffer) => void) {
      const messages = messagesOf(call.request)
      arrived += messages
      answer(null, Buffer.concat(Array.from({ length: messages }, () => messageIdField)))
    },
  },
)

for (const server of [http, http2]) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}
const grpcPort = await new Promise<number>((resolve, reject) =>
  grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  ),
)

/** Where the stand-in listens. */
export interface CloudPorts {
  http: number
  http2: number
  grpc: number
}

servePart({
  ports: (): CloudPorts => ({
    http: (http.address() as AddressInfo).port,
    http2: (http2.address() as AddressInfo).port,
    grpc: grpcPort,
  }),
  arrived: () => arrived,
  clear: () => {
    arrived = 0
  },
})
