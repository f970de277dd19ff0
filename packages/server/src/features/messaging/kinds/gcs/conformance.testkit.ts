import type { KindHarness } from '../conformance.testkit.ts'
import {
  createGoogle,
  googleCredentials,
  googleFailures,
  googleSecret,
  googleTokenFailures,
} from '../google.testkit.ts'
import { confirmedFailures, isBad, retried, startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'
import { metadataOf } from '../s3/object-store.testkit.ts'
import { confirmationOf, objectOf } from './gcs.testkit.ts'

const settings = { bucket: 'crm-events', keyTemplate: "join('/', ['a b', data.text, metadata.\"event-id\"])" }

function put(request: TargetRequest) {
  const object = objectOf(request)
  const metadata = object === undefined ? {} : metadataOf(object)
  const isWhole =
    object !== undefined &&
    request.method === 'POST' &&
    object.path.startsWith('/crm-events/') &&
    object.path.includes(metadata['event-id'] ?? '?') &&
    object.headers['content-type'] === 'application/json' &&
    metadata['projectid'] !== undefined &&
    metadata['destinationid'] !== undefined
  if (!isWhole) return errorAnswer(400, 'invalid')
  const message = { id: metadata['event-id'] ?? '', body: object.body.toString(), headers: metadata }
  if (isBad(message)) return errorAnswer(503, 'backendError')
  return { ...confirmationOf(object), received: [message] }
}

const errorAnswer = (status: number, reason: string) => ({
  status,
  body: JSON.stringify({ error: { code: status, message: reason, errors: [{ domain: 'global', reason }] } }),
})

const confirming = (fields: object) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ kind: 'storage#object', bucket: 'crm-events', ...fields }),
})

const failures = {
  ...googleFailures,
  'has no such bucket': errorAnswer(404, 'notFound'),
  'names no version': confirming({ name: 'a', size: '1' }),
  'confirms another object': confirming({ name: 'a', size: '1', generation: '1' }),
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
