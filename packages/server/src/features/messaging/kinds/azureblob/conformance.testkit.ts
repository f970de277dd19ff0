import { createHmac } from 'node:crypto'
import type { KindHarness } from '../conformance.testkit.ts'
import { confirmedFailures, isBad, retried, startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'

const accessKey = 'YXp1cmUtYmxvYi1hY2Nlc3Mta2V5LW9mLXRoZS10ZXN0cw=='
const settings = {
  account: 'crmevents',
  container: 'mortise-messages',
  keyTemplate: "join('/', ['a b', data.text, metadata.\"event-id\"])",
}

/** Signs as the documentation says, line by line. */
function isAuthorized({ method, path, headers }: TargetRequest): boolean {
  const ours = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .toSorted()
  const text = `${method}\n\n\n${headers['content-length']}\n\n${headers['content-type']}\n\n\n\n\n\n\n${ours
    .map((name) => `${name}:${headers[name]}\n`)
    .join('')}/crmevents${path}`
  const signature = createHmac('sha256', Buffer.from(accessKey, 'base64')).update(text, 'utf8').digest('base64')
  return headers['authorization'] === `SharedKey crmevents:${signature}`
}

function answer(request: TargetRequest) {
  const { method, path, headers, body } = request
  if (!isAuthorized(request)) return { status: 403, body: '<Error><Code>AuthenticationFailed</Code></Error>' }
  const metadata = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-ms-meta-') ? [[name.slice('x-ms-meta-'.length).replaceAll('_', '-'), value] as const] : [],
    ),
  )
  const isWhole =
    method === 'PUT' &&
    /^\/mortise-messages\/(?:a%20b\/|\d{4}-)/.test(path) &&
    path.includes(metadata['event-id'] ?? '?') &&
    headers['x-ms-blob-type'] === 'BlockBlob' &&
    headers['x-ms-version'] === '2021-12-02' &&
    Math.abs(Date.parse(headers['x-ms-date'] ?? '') - Date.now()) < 900_000 &&
    !Object.keys(headers).some((name) => /^x-ms-meta-.*-/.test(name)) &&
    metadata['projectid'] !== undefined
  if (!isWhole) return { status: 400, body: '<Error><Code>InvalidHeaderValue</Code></Error>' }
  const message = { id: metadata['event-id'] ?? '', body: body.toString(), headers: metadata }
  if (isBad(message)) return { status: 503, body: '<Error><Code>ServerBusy</Code></Error>' }
  return { status: 201, headers: { etag: '"0x8D"' }, received: [message] }
}

const failures = {
  'has no such container': { status: 404, body: '<Error><Code>ContainerNotFound</Code></Error>' },
  'answers 200': { status: 200, headers: { etag: '"0x8D"' } },
  'names no version': { status: 201 },
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
