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

const settings = { streamName: 'events', region: 'eu-central-1', partitionKeyTemplate: 'data.text' }

async function answer(request: TargetRequest) {
  const refusal = await refusalOfSignature(request, { service: 'kinesis', region: 'eu-central-1' })
  if (refusal) return refusal
  const { StreamName, Records } = JSON.parse(request.body.toString()) as {
    StreamName: string
    Records: { Data: string; PartitionKey: string }[]
  }
  const isKnown =
    request.path === '/' &&
    request.headers['x-amz-target'] === 'Kinesis_20131202.PutRecords' &&
    request.headers['content-type'] === 'application/x-amz-json-1.1' &&
    StreamName === settings.streamName
  if (!isKnown) return { status: 400, body: '{"__type":"UnknownOperationException"}' }
  const records = Records.map(({ Data, PartitionKey }) => ({
    message: unwrapped(Buffer.from(Data, 'base64').toString()),
    PartitionKey,
  }))
  // What the template makes, or the id of a message that has no text of that name.
  const isKeyed = records.every(({ message, PartitionKey }) =>
    [(JSON.parse(message.body) as { text?: string }).text, message.id].includes(PartitionKey),
  )
  if (!isKeyed) return { status: 400, body: '{"__type":"InvalidArgumentException"}' }
  return {
    status: 200,
    received: records.map(({ message }) => message).filter((message) => !isBad(message)),
    body: JSON.stringify({
      FailedRecordCount: records.filter(({ message }) => isBad(message)).length,
      Records: records.map(({ message }, index) =>
        isBad(message)
          ? { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'too fast' }
          : { SequenceNumber: String(index), ShardId: 'shardId-000000000000' },
      ),
    }),
  }
}

const failures = {
  ...awsFailures,
  'confirms nothing': { status: 200, body: '{"FailedRecordCount":0,"Records":[]}' },
  'confirms by a thing that is no list': { status: 200, body: '{"Records":{"0":{"SequenceNumber":"1"},"length":1}}' },
  'confirms nothing in a list': { status: 200, body: '{"Records":[null]}' },
  'confirms by a number': { status: 200, body: '{"Records":[{"SequenceNumber":1}]}' },
  'has no list': { status: 200, body: '{"FailedRecordCount":0}' },
  'says that a record failed, and not which': {
    status: 200,
    body: '{"FailedRecordCount":1,"Records":[{"SequenceNumber":"1","ShardId":"shardId-000000000000"}]}',
  },
  'confirms more than was sent': {
    status: 200,
    body: '{"FailedRecordCount":0,"Records":[{"SequenceNumber":"1"},{"SequenceNumber":"2"}]}',
  },
  'confirms with an empty number': { status: 200, body: '{"FailedRecordCount":0,"Records":[{"SequenceNumber":""}]}' },
}

export const harness: KindHarness = {
  settingsFor: (host, port) => ({ ...settings, endpointUrl: `https://${host}:${port}/`, ...awsCredentials }),
  wrong: {
    input: {
      streamName: 'a stream',
      region: 'Frankfurt',
      partitionKeyTemplate: '[@,@]|[@,@]',
      endpointUrl: 'ftp://example.com',
      ...wrongAws.input,
    },
    names: ['streamName', 'region', 'partitionKeyTemplate', 'endpointUrl', ...wrongAws.names],
  },
  failures: { ...confirmedFailures, ...retried(failures) },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ ...settings, endpointUrl: `http://127.0.0.1:${port}/`, ...awsCredentials }),
      secret: awsSecret,
      answer,
      failures,
    }),
}
