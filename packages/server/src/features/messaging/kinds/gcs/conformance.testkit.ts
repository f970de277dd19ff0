import type { KindHarness } from '../conformance.testkit.ts'
import {
  createGoogle,
  googleCredentials,
  googleFailures,
  googleSecret,
  googleTokenFailures,
} from '../google.testkit.ts'
import { confirmedFailures, isBad, retried, startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'

const settings = { bucket: 'crm-events', keyTemplate: "join('/', ['a b', data.text, metadata.\"event-id\"])" }

function put({ method, path, headers, body }: TargetRequest) {
  const metadata = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-goog-meta-') ? [[name.slice('x-goog-meta-'.length), value] as const] : [],
    ),
  )
  const isWhole =
    method === 'PUT' &&
    path.startsWith('/crm-events/') &&
    path.includes(metadata['event-id'] ?? '?') &&
    headers['content-type'] === 'application/json' &&
    metadata['projectid'] !== undefined &&
    metadata['destinationid'] !== undefined
  if (!isWhole) return { status: 400, body: '<Error><Code>InvalidArgument</Code></Error>' }
  const message = { id: metadata['event-id'] ?? '', body: body.toString(), headers: metadata }
  if (isBad(message)) return { status: 503, body: '<Error><Code>ServiceUnavailable</Code></Error>' }
  return { status: 200, headers: { 'x-goog-generation': '1790000000000000' }, received: [message] }
}

const failures = {
  ...googleFailures,
  'has no such bucket': { status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' },
  'names no version': { status: 200, headers: { etag: '"1"' } },
}

export const harness: KindHarness = {
  // `record-files/record-files.test.ts` tests these.
  excluded: ['format', 'prefixTemplate', 'batchSize', 'maxWaitSecs'],
  settingsFor: (host, port) => ({
    ...settings,
    endpointUrl: `https://${host}:${port}/`,
    credentials: googleCredentials(),
  }),
  wrong: {
    input: { bucket: 'gs://x', keyTemplate: 'max(data)', endpointUrl: 'ftp://example.com', credentials: '{}' },
    names: ['bucket', 'keyTemplate', 'endpointUrl', 'credentials'],
  },
  failures: { ...confirmedFailures, ...retried({ ...failures, ...googleTokenFailures }) },
  start() {
    const google = createGoogle('https://www.googleapis.com/auth/devstorage.read_write')
    return startHttpTarget({
      settings: (port) => ({
        ...settings,
        endpointUrl: `http://127.0.0.1:${port}/`,
        credentials: googleCredentials(`http://127.0.0.1:${port}/token`),
      }),
      secret: googleSecret,
      answer: async (request) => (await google.gate(request)) ?? put(request),
      failures,
      tokenFailures: googleTokenFailures,
    })
  },
}
