import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { openForTest, outcomeOf, testMessages } from '../conformance.testkit.ts'
import { startHttpTarget, type TargetAnswer, type TargetRequest } from '../http-target.testkit.ts'
import type { DestinationKind, OutgoingMessage, SendResult, StoredResult } from '../kind.ts'
import { accessKey, createBlobStore } from './blob-store.testkit.ts'
import { azureblob } from './index.ts'

const account = 'crmevents'
const mib = 2 ** 20
const kind = azureblob as DestinationKind

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

type Instead = (request: TargetRequest, index: number) => Promise<TargetAnswer | undefined> | TargetAnswer | undefined

/** A store, and a sender to it. */
async function open({ instead, result, ...more }: { instead?: Instead; result?: StoredResult; keyTemplate?: string }) {
  const store = createBlobStore(account)
  const requests: string[] = []
  const state = { instead }
  const target = await startHttpTarget({
    settings: (port) => ({ account, container: 'crm', endpointUrl: `http://127.0.0.1:${port}`, accessKey, ...more }),
    secret: accessKey,
    answer: async (request) => {
      const index = requests.push(new URL(request.path, 'http://store.test').searchParams.get('comp') ?? 'blob') - 1
      return (await state.instead?.(request, index)) ?? store.answer(request)
    },
  })
  const { send, close } = openForTest(kind, target.settings, { openResult: async () => result })
  closing.push(close, target.stop)
  const body = () => [...store.blobs.values()].map((blob) => blob.body)[0] ?? expect.fail('no blob')
  return { ...store, send, body, requests, state, settings: target.settings }
}

async function startCanary() {
  let connections = 0
  const server = createServer().on('connection', (socket) => {
    connections++
    socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closing.push(async () => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** Of 17 MiB: in three blocks. No part of it is like another. */
function large(first = 0): OutgoingMessage {
  const text = Array.from({ length: 17 * 64 }, (_, index) => String(first + index).padEnd(2 ** 14, '.')).join('')
  return {
    id: testMessages('')[0]?.id ?? '',
    kind: 'read',
    eventType: undefined,
    body: Buffer.from(`{"text":"${text}"}`),
  }
}

/** A result of so many bytes, and what happens before a part of it is read. */
function resultOf(bytes: number, beforeRead: (read: number) => boolean = () => true): StoredResult {
  let read = 0
  return {
    bytes,
    async read(_, length) {
      const isKept = beforeRead(read)
      read += length
      return isKept ? Buffer.alloc(length, ' ') : undefined
    },
  }
}
const withResult: OutgoingMessage = {
  ...large(),
  hasResult: true,
  body: Buffer.from('{"resultInfo":{"type":"url","numRecords":1},"objectName":"Größe "}'),
}

describe('a large blob', () => {
  it('is uploaded in blocks, with all that a small one has', async () => {
    const { send, blobs, uncommitted, body, requests } = await open({})
    expect(await send([large()])).toMatchObject([{ outcome: 'delivered', status: 201 }])
    expect(requests).toEqual(['block', 'block', 'block', 'blocklist'])
    expect(body().equals(large().body)).toBe(true)
    const [blob] = blobs.values()
    expect(blob?.contentType).toBe('application/json')
    expect(blob?.metadata).toMatchObject({ event_id: large().id, projectid: 'project-1' })
    expect(uncommitted()).toEqual([])
  })

  it('of records that are read in parts is uploaded in blocks, too', async () => {
    const { send, blobs, body, requests } = await open({ result: resultOf(20 * mib) })
    expect(await send([withResult])).toMatchObject([{ outcome: 'delivered' }])
    expect(requests).toEqual(['block', 'block', 'block', 'blocklist'])
    const [start, end] = ['{"objectName":"Größe ","resultInfo":{"type":"inline","numRecords":1},"result":', '}']
    expect(body().equals(Buffer.from(`${start}${' '.repeat(20 * mib)}${end}`))).toBe(true)
    const [blob] = blobs.values()
    expect(blob?.metadata['objectname']).toBe('Gr%C3%B6%C3%9Fe')
  })

  it('is not stored without its records, which are deleted while they are sent', async () => {
    // They were read once to be signed. Some of the second block was sent.
    const result = resultOf(20 * mib, (read) => read < 30 * mib)
    const { send, blobs, uncommitted } = await open({ result })
    const error = 'The records of the message are not kept any more.'
    expect(await send([withResult])).toEqual([{ outcome: 'refused', error }])
    expect([blobs.size, uncommitted()]).toEqual([0, [8 * mib]])
  })

  it('is read as fast as the store takes it, and not as a whole', async () => {
    const bytes = 96 * mib
    let [read, received, ahead] = [0, 0, 0]
    const receive = async (request: IncomingMessage, response: ServerResponse) => {
      for await (const chunk of request) {
        received += (chunk as Buffer).length
        for (let turn = 0; turn < 4; turn++) await nextTurn()
      }
      response.writeHead(201, { etag: '"1"' }).end()
    }
    const server = createServer(receive).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const result = resultOf(bytes, (at) => {
      read = at
      // It is read as a whole before, to sign it.
      ahead = Math.max(ahead, read - bytes - received)
      return true
    })
    const settings = { account, container: 'crm', endpointUrl, accessKey }
    const { send, close } = openForTest(kind, settings, { openResult: async () => result })
    closing.push(close, async () => server.close())
    expect(await send([withResult])).toMatchObject([{ outcome: 'delivered' }])
    expect(received).toBeGreaterThan(bytes)
    // Of one block at most, while its request is under way.
    expect(ahead).toBeLessThanOrEqual(8 * mib + 2 ** 19)
  })
})

describe('an upload in blocks', () => {
  const steps = [
    { name: 'first block', index: 0 },
    { name: 'second block', index: 1 },
    { name: 'list', index: 3 },
  ]

  it.each(steps)('that fails at its $name stores nothing, and the next one does', async ({ index: failing }) => {
    const canary = await startCanary()
    const elsewhere = { status: 307, headers: { location: `http://127.0.0.1:${canary.port}/crm/elsewhere` } }
    const xml = '<Error><Code>AuthorizationFailure</Code></Error>'
    const html = { status: 200, headers: { 'content-type': 'text/html', etag: '"1"' }, body: '<html>Hello</html>' }
    const failures: [TargetAnswer, Partial<SendResult>][] = [
      [
        { status: 503, headers: { 'retry-after': '7' } },
        { status: 503, retryAfterMs: 7_000 },
      ],
      [{ status: 403, body: xml }, { error: expect.stringMatching(/^127.* answered 403 \(AuthorizationFailure\)\.$/) }],
      [html, { status: 200, error: expect.stringMatching(/did not confirm the blob\.$/) }],
      [{ status: 413 }, { outcome: 'refused' }],
      [elsewhere, { status: 307 }],
      [{ status: 307, headers: { location: '/crm/elsewhere' } }, { status: 307 }],
    ]
    const { send, blobs, uncommitted, body, state } = await open({})
    for (const [answer, expected] of failures) {
      let at = 0
      state.instead = () => (at++ === failing ? answer : undefined)
      expect(await send([large()])).toMatchObject([{ outcome: 'retry', ...expected }])
      expect(at).toBe(failing + 1)
    }
    let at = 0
    state.instead = () => (at++ === failing ? { status: 0, hangsUp: true } : undefined)
    expect(await outcomeOf(send([large()]))).toBe('retry')
    expect([blobs.size, canary.connections()]).toEqual([0, 0])
    expect(uncommitted()).toHaveLength(7 * failing)
    state.instead = undefined
    expect(await send([large()])).toMatchObject([{ outcome: 'delivered' }])
    expect([body().equals(large().body), uncommitted()]).toEqual([true, []])
  })

  it('is not confirmed by its blocks, nor by a list without a version', async () => {
    const etag = { status: 201, headers: { etag: '"1"' } }
    const { send } = await open({ instead: (_, index) => (index === 3 ? { status: 201 } : etag) })
    expect(await send([large()])).toMatchObject([{ outcome: 'retry', status: 201 }])
  })

  it.each(steps)('ends when it is cancelled at its $name, and at the deadline', async ({ index: hanging }) => {
    const cancel = new AbortController()
    const { send, blobs, state } = await open({
      instead: (_, index) => {
        if (index !== hanging) return undefined
        cancel.abort()
        return new Promise(() => undefined)
      },
    })
    expect(await outcomeOf(send([large()], { signal: cancel.signal }))).toBe('cancelled')
    let at = 0
    state.instead = () => (at++ === hanging ? new Promise(() => undefined) : undefined)
    expect(await outcomeOf(send([large()], { timeoutMs: 500 }))).toBe('retry')
    expect(blobs.size).toBe(0)
  })

  it('ends when it is cancelled within a block, whatever its records do then', async () => {
    const cancel = new AbortController()
    const cancelled = Promise.withResolvers<void>()
    let reads = 0
    const { send, uncommitted } = await open({
      result: {
        bytes: 20 * mib,
        async read(at, length) {
          // The first time, it is read to be signed.
          if (at > 10 * mib && ++reads > 40) {
            cancel.abort()
            await cancelled.promise
            throw new Error('read after the end')
          }
          return Buffer.alloc(length, ' ')
        },
      },
    })
    expect(await outcomeOf(send([withResult], { signal: cancel.signal }))).toBe('cancelled')
    cancelled.resolve()
    await nextTurn()
    expect(uncommitted()).toEqual([8 * mib])
  })

  it('never has blocks of another one of the same name', async () => {
    const committing: (() => void)[] = []
    // The lists of both are answered when the blocks of both are there.
    const instead: Instead = async ({ path }) => {
      if (!path.includes('comp=blocklist')) return undefined
      await new Promise<void>((resolve) => {
        if (committing.push(resolve) === 2) for (const commit of committing) commit()
      })
      return undefined
    }
    const { send, body, state } = await open({ instead, keyTemplate: "'same'" })
    const messages = [large(), large(1_000_000)]
    const outcomes = (await Promise.all(messages.map((message) => send([message])))).map(([result]) => result?.outcome)
    expect(outcomes.toSorted()).toEqual(['delivered', 'retry'])
    const [stored, other] = outcomes[0] === 'delivered' ? messages : messages.toReversed()
    expect(stored && body().equals(stored.body)).toBe(true)
    state.instead = undefined
    if (other) expect(await send([other])).toMatchObject([{ outcome: 'delivered' }])
    expect(other && body().equals(other.body)).toBe(true)
  })
})

it('an answer that never ends confirms nothing', async () => {
  const server = createServer((_, response) => response.writeHead(201, { etag: '"1"' }).write('<'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { send, close } = openForTest(kind, { account, container: 'crm', endpointUrl, accessKey })
  closing.push(close, async () => server.close())
  expect(await outcomeOf(send(testMessages('x'), { timeoutMs: 200 }))).toBe('retry')
})

describe('the client', () => {
  const program = `
    const { azureblob } = await import('./azureblob/index.ts')
    const { openForTest, testMessages } = await import('./conformance.testkit.ts')
    const { send, close } = openForTest(azureblob, JSON.parse(process.env.SETTINGS))
    const results = await send(testMessages('x'))
    await close()
    console.log(results.map(({ outcome }) => outcome).join())`

  async function run(settings: object, env: Record<string, string>) {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--conditions=mortise-source', '--input-type=module', '--eval', program],
      {
        cwd: fileURLToPath(new URL('..', import.meta.url)),
        env: { ...env, SETTINGS: JSON.stringify(settings) },
        timeout: 60_000,
      },
    )
    return { stdout, stderr }
  }

  it('takes nothing from the environment, and prints nothing', async () => {
    const canary = await startCanary()
    const proxy = `http://127.0.0.1:${canary.port}`
    const { settings, blobs } = await open({})
    const env = {
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      ALL_PROXY: proxy,
      AZURE_STORAGE_CONNECTION_STRING: `AccountName=other;AccountKey=b3RoZXI=;BlobEndpoint=${proxy}`,
      AZURE_STORAGE_ACCOUNT: 'other',
      AZURE_STORAGE_KEY: 'b3RoZXI=',
      AZURE_AUTHORITY_HOST: proxy,
      AZURE_LOG_LEVEL: 'verbose',
      DEBUG: 'azure*',
    }
    expect(await run(settings, env)).toEqual({ stdout: 'delivered\n', stderr: '' })
    expect(await run(settings, { HTTPS_PROXY: '10.1.2.3:3128' })).toEqual({ stdout: 'delivered\n', stderr: '' })
    expect([blobs.size, canary.connections()]).toEqual([1, 0])
  })
})
