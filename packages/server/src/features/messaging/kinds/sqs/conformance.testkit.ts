import { awsCredentials, awsFailures, awsSecret, refusalOfSignature, wrongAws } from '../aws.testkit.ts'
import type { KindHarness } from '../conformance.testkit.ts'
import {
  confirmedFailures,
  isBad,
  retried,
  startHttpTarget,
  type TargetRequest,
  unwrapped,
} from '../http-target.testkit.ts'

const queueUrl = 'https://sqs.eu-central-1.amazonaws.com/123456789012/events.fifo'

interface Entry {
  Id: string
  MessageBody: string
  MessageGroupId?: string
  MessageDeduplicationId?: string
}

async function answer(request: TargetRequest) {
  const refusal = await refusalOfSignature(request, { service: 'sqs', region: 'eu-central-1' })
  if (refusal) return refusal
  const { QueueUrl, Entries } = JSON.parse(request.body.toString()) as { QueueUrl: string; Entries: Entry[] }
  const isKnown =
    request.path === '/' &&
    request.headers['x-amz-target'] === 'AmazonSQS.SendMessageBatch' &&
    request.headers['content-type'] === 'application/x-amz-json-1.0' &&
    QueueUrl === queueUrl
  if (!isKnown) return { status: 400, body: '{"__type":"InvalidAction"}' }
  const entries = Entries.map((entry) => ({ ...entry, message: unwrapped(entry.MessageBody) }))
  const isWhole = entries.every((one) => one.MessageGroupId && one.MessageDeduplicationId === one.message.id)
  if (!isWhole) return { status: 400, body: '{"__type":"MissingParameter"}' }
  const received = entries.filter(({ message }) => !isBad(message))
  return {
    status: 200,
    received: received.map(({ message }) => message),
    body: JSON.stringify({
      Successful: received.map(({ Id }) => ({ Id, MessageId: `queued-${Id}`, MD5OfMessageBody: '' })),
      Failed: entries
        .filter(({ message }) => isBad(message))
        .map(({ Id }) => ({ Id, Code: 'InvalidMessageContents', SenderFault: true })),
    }),
  }
}

const failures = {
  ...awsFailures,
  'confirms another message': { status: 200, body: '{"Successful":[{"Id":"77","MessageId":"x"}]}' },
  'confirms and refuses the message': {
    status: 200,
    body: '{"Successful":[{"Id":"0","MessageId":"x"}],"Failed":[{"Id":"0","Code":"InternalError","SenderFault":false}]}',
  },
  'refuses a message that it does not name': {
    status: 200,
    body: '{"Successful":[{"Id":"0","MessageId":"x"}],"Failed":[{"Code":"InternalError","SenderFault":false}]}',
  },
  'confirms by a thing that is no list': { status: 200, body: '{"Successful":{"Id":"0","MessageId":"x"}}' },
  'confirms nothing in a list': { status: 200, body: '{"Successful":[null]}' },
  'refuses nothing in a list': { status: 200, body: '{"Successful":[{"Id":"0","MessageId":"x"}],"Failed":[null]}' },
  'confirms by a number': { status: 200, body: '{"Successful":[{"Id":"0","MessageId":5}]}' },
  'confirms without an id': { status: 200, body: '{"Successful":[{"Id":"0"}],"Failed":null}' },
}

export const harness: KindHarness = {
  refusesBad: true,
  settingsFor: (host, port) => ({ queueUrl, endpointUrl: `https://${host}:${port}/`, ...awsCredentials }),
  wrong: {
    input: { queueUrl: 'https://example.com/queue', endpointUrl: 'ftp://example.com', ...wrongAws.input },
    names: ['queueUrl', 'endpointUrl', ...wrongAws.names],
  },
  failures: { ...confirmedFailures, ...retried(failures) },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ queueUrl, endpointUrl: `http://127.0.0.1:${port}/`, ...awsCredentials }),
      secret: awsSecret,
      answer,
      failures,
    }),
}
