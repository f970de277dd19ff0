import { createHash } from 'node:crypto'
import { awsCredentials, awsSecret, refusalOfSignature, wrongAws } from '../aws.testkit.ts'
import type { KindHarness } from '../conformance.testkit.ts'
import { confirmedFailures, isBad, retried, startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'

const settings = {
  bucket: 'events',
  region: 'eu-central-1',
  keyTemplate: "join('/', ['a b', data.text, metadata.\"event-id\"])",
  storageClass: 'STANDARD_IA',
}

async function answer(request: TargetRequest) {
  const { method, path, headers, body } = request
  const refusal = await refusalOfSignature(request, { service: 's3', region: 'eu-central-1' })
  if (refusal) return refusal
  const metadata = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), value] as const] : [],
    ),
  )
  const isWhole =
    method === 'PUT' &&
    path.startsWith('/events/') &&
    path.includes(metadata['event-id'] ?? '?') &&
    headers['x-amz-storage-class'] === 'STANDARD_IA' &&
    headers['content-type'] === 'application/json' &&
    headers['x-amz-content-sha256'] === createHash('sha256').update(body).digest('hex') &&
    metadata['projectid'] !== undefined &&
    metadata['destinationid'] !== undefined
  if (!isWhole) return { status: 400, body: '<Error><Code>InvalidRequest</Code></Error>' }
  const message = { id: metadata['event-id'] ?? '', body: body.toString(), headers: metadata }
  if (isBad(message)) return { status: 503, body: '<Error><Code>SlowDown</Code></Error>' }
  return { status: 200, headers: { etag: '"1"' }, received: [message] }
}

const failures = {
  'is at the end of time': { status: 503, headers: { date: 'Sat, 13 Sep 275760 00:00:00 GMT' } },
  'may not': { status: 403, body: '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>' },
  'answers an error as a success': {
    status: 200,
    headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' },
    body: '<?xml version="1.0"?><Error><Code>InternalError</Code></Error>',
  },
  'answers a page with a tag': {
    status: 200,
    headers: { etag: 'W/"5d41"', 'content-type': 'text/html' },
    body: '<!DOCTYPE html><html>Welcome</html>',
  },
  'has no such bucket': { status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' },
}

export const harness: KindHarness = {
  // `record-files/record-files.test.ts` tests these.
  excluded: ['format', 'prefixTemplate', 'batchSize', 'maxWaitSecs'],
  settingsFor: (host, port) => ({ ...settings, endpointUrl: `https://${host}:${port}`, ...awsCredentials }),
  wrong: {
    input: {
      bucket: 'A',
      region: 5,
      keyTemplate: 'max(data)',
      storageClass: 'CHEAP',
      endpointUrl: 'ftp://example.com',
      ...wrongAws.input,
    },
    names: ['bucket', 'region', 'keyTemplate', 'storageClass', 'endpointUrl', ...wrongAws.names],
  },
  failures: { ...confirmedFailures, ...retried(failures) },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ ...settings, endpointUrl: `http://127.0.0.1:${port}`, ...awsCredentials }),
      secret: awsSecret,
      answer,
      failures,
    }),
}
