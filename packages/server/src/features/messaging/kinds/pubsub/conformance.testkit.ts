import type { KindHarness } from '../conformance.testkit.ts'
import {
  createGoogle,
  googleCredentials,
  googleFailures,
  googleSecret,
  googleTokenFailures,
} from '../google.testkit.ts'
import {
  confirmedFailures,
  isBad,
  retried,
  startHttpTarget,
  type TargetRequest,
  unwrapped,
} from '../http-target.testkit.ts'

const settings = { projectId: 'crm-events', topicId: 'mortise.messages' }

interface Published {
  data: string
  attributes: Record<string, string>
  orderingKey?: string
}

function publish({ method, path, headers, body }: TargetRequest) {
  const isKnown =
    method === 'POST' &&
    path === '/v1/projects/crm-events/topics/mortise.messages:publish?$alt=json%3Benum-encoding=int' &&
    headers['content-type'] === 'application/json' &&
    headers['mortise-exchange'] === undefined
  if (!isKnown) return { status: 404, body: '{"error":{"code":404,"status":"NOT_FOUND"}}' }
  const { messages } = JSON.parse(body.toString()) as { messages: Published[] }
  const received = messages.map(({ data }) => unwrapped(Buffer.from(data, 'base64').toString()))
  const isWhole = messages.every(
    ({ attributes, orderingKey }, at) =>
      attributes['webhook-signature'] === received[at]?.headers['webhook-signature'] &&
      orderingKey === messages[0]?.orderingKey &&
      orderingKey === (JSON.parse(received[at]?.body ?? '{}') as { installationId?: string }).installationId,
  )
  if (received.some(({ body }) => body.includes('"unavailable"')))
    return { status: 503, body: '{"error":{"code":503,"message":"Try again.","status":"UNAVAILABLE"}}' }
  if (!isWhole || received.some(isBad))
    return { status: 400, body: '{"error":{"code":400,"status":"INVALID_ARGUMENT"}}' }
  return { status: 200, received, body: JSON.stringify({ messageIds: received.map(({ id }) => `id-${id}`) }) }
}

const failures = {
  ...googleFailures,
  'has no such topic': { status: 404, body: '{"error":{"code":404,"status":"NOT_FOUND"}}' },
  'confirms nothing': { status: 200, body: '{"messageIds":[]}' },
  'confirms another number': { status: 200, body: '{"messageIds":["1","2","3"]}' },
  'confirms with a number': { status: 200, body: '{"messageIds":[7]}' },
  'confirms with an empty id': { status: 200, body: '{"messageIds":[""]}' },
  'confirms an error': { status: 200, body: '{"messageIds":["1"],"error":{"code":500,"status":"INTERNAL"}}' },
  'confirms in another format': { status: 200, body: '"messageIds"' },
  'accepts without an answer': { status: 204 },
  'has no capacity': { status: 429, body: '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}' },
}

/**
 * A message whose text is `unavailable` is answered 503.
 *
 * @param tokenUses how often the service takes a token
 */
export async function startPubSub(tokenUses?: number) {
  const google = createGoogle('https://www.googleapis.com/auth/pubsub', tokenUses)
  let requests = 0
  const target = await startHttpTarget({
    settings: (port) => ({
      ...settings,
      endpointUrl: `http://127.0.0.1:${port}/`,
      credentials: googleCredentials(`http://127.0.0.1:${port}/token`),
    }),
    secret: googleSecret,
    async answer(request) {
      const refused = await google.gate(request)
      if (refused) return refused
      requests++
      return publish(request)
    },
    failures,
    tokenFailures: googleTokenFailures,
  })
  return { ...target, tokens: google.tokens, requests: () => requests }
}

export const harness: KindHarness = {
  refusesBad: true,
  settingsFor: (host, port) => ({
    ...settings,
    endpointUrl: `https://${host}:${port}/`,
    credentials: googleCredentials(),
  }),
  wrong: {
    input: { projectId: 'X', topicId: '1', endpointUrl: 'ftp://example.com', credentials: '{"type":"user"}' },
    names: ['projectId', 'topicId', 'endpointUrl', 'credentials'],
  },
  failures: { ...confirmedFailures, ...retried({ ...failures, ...googleTokenFailures }) },
  start: () => startPubSub(),
}
