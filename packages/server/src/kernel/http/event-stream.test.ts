import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import { expect, test, vi } from 'vitest'
import { endpoint, eventStream, lastEventId, ProjectPath, reply, type ServerEvent } from './index.ts'
import { fullKey, startTestServer } from './test-server.testkit.ts'

type Source = (signal: AbortSignal, last: string | undefined) => AsyncIterable<ServerEvent>

function streamOf(source: Source, heartbeatMs = 60_000) {
  return endpoint({
    id: 'watch',
    method: 'GET',
    path: '/projects/{projectIdOrName}/things:stream',
    access: 'develop',
    summary: 'x',
    tag: 'x',
    params: ProjectPath,
    reply: { 200: Type.String() },
    produces: 'text/event-stream',
    run: async ({ signal, headers }) =>
      reply(200, eventStream({ signal, source: source(signal, lastEventId(headers)), heartbeatMs })),
  })
}

/** Waits for nothing but the end of its signal. */
async function* silent(signal: AbortSignal): AsyncGenerator<ServerEvent> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
}

async function open(url: string, headers: Record<string, string> = {}) {
  const controller = new AbortController()
  const answer = await fetch(`${url}/v1/projects/shop/things:stream`, {
    headers: { 'x-api-key': fullKey, ...headers },
    signal: controller.signal,
  })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    answer,
    /** Reads until the text holds this. */
    async until(part: string): Promise<string> {
      while (!text.includes(part)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`ended with ${JSON.stringify(text)}`)
        text += value
      }
      return text
    },
    async rest(): Promise<string> {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return text
        text += value
      }
    },
    leave: () => controller.abort(),
  }
}

test('events arrive as the standard writes them, and the stream ends with its source', async () => {
  const server = await startTestServer([
    streamOf(async function* () {
      yield { id: '1', data: { a: 'line\nbreak' } }
      yield { id: '2\n', event: 'changed\r\ndata: forged', data: 'two\nlines\rand\r\nthree' }
    }),
  ])
  const stream = await open(server.url)
  expect(stream.answer.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.answer.headers.get('cache-control')).toBe('no-store')
  expect(await stream.rest()).toBe(
    'retry: 2000\n\nid: 1\ndata: {"a":"line\\nbreak"}\n\n' +
      'id: 2\nevent: changeddata: forged\ndata: two\ndata: lines\ndata: and\ndata: three\n\n',
  )
})

test('a silent stream is open at once and shows that it lives', async () => {
  const server = await startTestServer([streamOf(silent, 20)])
  const stream = await open(server.url)
  expect(await stream.until(': alive\n\n: alive\n\n')).toMatch(/^retry: 2000\n\n/)
  stream.leave()
})

test('who comes back says which event was the last', async () => {
  const server = await startTestServer([
    streamOf(async function* (_, last) {
      yield { id: 'x', data: { last: last ?? 'none' } }
    }),
  ])
  expect(await (await open(server.url, { 'last-event-id': 'abc-7' })).rest()).toContain('{"last":"abc-7"}')
  expect(await (await open(server.url, { 'last-event-id': 'a b' })).rest()).toContain('{"last":"none"}')
})

test('the source ends when the client goes', async () => {
  let ended = false
  const server = await startTestServer([
    streamOf(async function* (signal) {
      try {
        yield { id: '1', data: 'first' }
        yield* silent(signal)
      } finally {
        ended = true
      }
    }),
  ])
  const stream = await open(server.url)
  await stream.until('first')
  stream.leave()
  await vi.waitFor(() => expect(ended).toBe(true), 20_000)
})

test('a HEAD request leaves no source behind', async () => {
  let [begun, ended] = [0, 0]
  const server = await startTestServer([
    streamOf(async function* (signal) {
      begun++
      yield* silent(signal)
      ended++
    }),
  ])
  expect((await server.call('HEAD', '/v1/projects/shop/things:stream')).status).toBe(200)
  await vi.waitFor(() => expect(ended).toBe(begun), 20_000)
})

test('a client that does not read holds the source back', async () => {
  let asked = 0
  const server = await startTestServer([
    streamOf(async function* (signal) {
      const data = 'x'.repeat(100_000)
      while (!signal.aborted) yield { id: String(++asked), data }
    }),
  ])
  const answer = await fetch(`${server.url}/v1/projects/shop/things:stream`, { headers: { 'x-api-key': fullKey } })
  let before = -1
  // Sockets hold some megabytes; then nothing moves.
  await vi.waitFor(async () => {
    const [last, now] = [before, asked]
    before = now
    await delay(250)
    expect(now).toBe(last)
  }, 10_000)
  expect(asked).toBeGreaterThan(0)
  expect(asked).toBeLessThan(500)
  await answer.body?.cancel()
})

test('a source that fails breaks the answer off', async () => {
  const server = await startTestServer([
    streamOf(async function* () {
      yield { id: '1', data: 'first' }
      throw new Error('the listener is gone')
    }),
  ])
  const stream = await open(server.url)
  await expect(stream.rest()).rejects.toThrow()
})

test('a server that stops ends its streams', async () => {
  let close = async () => {}
  const server = await startTestServer([streamOf(silent)], {}, (app) => {
    close = () => app.close()
  })
  const streams = await Promise.all([open(server.url), open(server.url)])
  for (const stream of streams) await stream.until('retry')
  const begun = performance.now()
  await close()
  // It would wait for them for ever, or until their clients give up after a minute.
  expect(performance.now() - begun).toBeLessThan(30_000)
  for (const stream of streams) expect(await stream.rest()).toBe('retry: 2000\n\n')
})
