import type { KindHarness } from '../conformance.testkit.ts'
import { confirmedFailures, isBad, retried, startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'
import { accessKey, createBlobStore } from './blob-store.testkit.ts'

const settings = {
  account: 'crmevents',
  container: 'mortise-messages',
  keyTemplate: "join('/', ['a b', data.text, metadata.\"event-id\"])",
}

function answer(request: TargetRequest) {
  const store = createBlobStore(settings.account)
  const answered = store.answer(request)
  const [blob] = store.blobs
  if (blob === undefined) return answered
  const [path, { contentType, metadata, body }] = blob
  const headers = Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name.replaceAll('_', '-'), value]),
  )
  const id = headers['event-id'] ?? ''
  const isWhole =
    /^\/mortise-messages\/(?:a b\/|\d{4}-)/.test(path) &&
    path.includes(id || '?') &&
    contentType === 'application/json' &&
    headers['projectid'] !== undefined
  if (!isWhole) return { status: 400, body: '<Error><Code>InvalidHeaderValue</Code></Error>' }
  const message = { id, body: body.toString(), headers }
  if (isBad(message)) return { status: 503, body: '<Error><Code>ServerBusy</Code></Error>' }
  return { ...answered, received: [message] }
}

const failures = {
  'has no such container': { status: 404, body: '<Error><Code>ContainerNotFound</Code></Error>' },
  'answers 200': { status: 200, headers: { etag: '"0x8D"' } },
  'names no version': { status: 201 },
  'redirects the method, too': { status: 307, headers: { location: '/mortise-messages/elsewhere' } },
}

export const harness: KindHarness = {
  // `record-files/record-files.test.ts` tests these.
  excluded: ['format', 'prefixTemplate', 'batchSize', 'maxWaitSecs'],
  settingsFor: (host, port) => ({ ...settings, endpointUrl: `https://${host}:${port}`, accessKey }),
  wrong: {
    input: {
      account: 'Crm.Events',
      container: 'a--b',
      keyTemplate: 'max(data)',
      endpointUrl: 'ftp://example.com',
      accessKey: 'short',
    },
    names: ['account', 'container', 'keyTemplate', 'endpointUrl', 'accessKey'],
  },
  failures: { ...confirmedFailures, ...retried(failures) },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ ...settings, endpointUrl: `http://127.0.0.1:${port}`, accessKey }),
      secret: accessKey,
      answer,
      failures,
    }),
}
