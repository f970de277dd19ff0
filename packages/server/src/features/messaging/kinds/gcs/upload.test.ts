import { setImmediate as nextTurn } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { openForTest, outcomeOf } from '../conformance.testkit.ts'
import type { OutgoingMessage } from '../kind.ts'
import { metadataOf } from '../s3/object-store.testkit.ts'
import { startUploads } from './gcs.testkit.ts'
import { gcs } from './index.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const mebibyte = 2 ** 20
const size = 20 * mebibyte
const header = { action: 'read', groupRef: 'acme', objectName: 'contact' }
const message: OutgoingMessage = {
  id: '019c13d5-0800-7000-8000-000000000001',
  kind: 'read',
  eventType: undefined,
  hasResult: true,
  body: Buffer.from(JSON.stringify({ ...header, resultInfo: { type: 'url', numRecords: 1 } })),
}

/** A result whose parts differ, so that one of another place is noticed. */
const result = Buffer.from(
  JSON.stringify(Array.from({ length: size / 16 }, (_, index) => `${index}`.padStart(13, '0'))),
)

async function open({ isKept = () => true }: { isKept?: (read: number) => boolean } = {}) {
  const uploads = await startUploads()
  let read = 0
  const { send, secret, close } = openForTest(gcs as never, uploads.settings, {
    openResult: async () => ({
      bytes: result.length,
      async read(from, length) {
        read += length
        return isKept(read) ? result.subarray(from, from + length) : undefined
      },
    }),
  })
  closing.push(close, uploads.stop)
  return {
    ...uploads,
    secret,
    send: (options?: Parameters<typeof send>[1]) => send([message], options),
    read: () => read,
  }
}

/** Expects one object, which is complete. */
function expectObject({ objects, secret }: Awaited<ReturnType<typeof open>>) {
  const [object = expect.fail('no object'), ...others] = objects.values()
  expect(others).toEqual([])
  const { body } = object
  const expected = `${JSON.stringify({ ...header, resultInfo: { type: 'inline', numRecords: 1 } }).slice(0, -1)},"result":`
  expect(body.equals(Buffer.concat([Buffer.from(expected), result, Buffer.from('}')]))).toBe(true)
  expect(() => new Webhook(secret).verify(body, metadataOf(object))).not.toThrow()
}

const breaks = (response: { socket: { destroy(): void } | null }) => void response.socket?.destroy()

describe('an object above 16 MiB', () => {
  it('is begun, and sent in one request', async () => {
    const store = await open()
    expect(await store.send()).toMatchObject([{ outcome: 'delivered', status: 200 }])
    expect(store.sent).toEqual(['POST', expect.stringMatching(/^PUT bytes 0-\*\/\d+$/)])
    expectObject(store)
  })

  it('continues behind what the store has, when the connection breaks', async () => {
    const store = await open()
    store.faults.push({ after: 5 * mebibyte, happens: breaks }, { after: 4 * mebibyte + 1, happens: breaks })
    expect(await store.send()).toMatchObject([{ outcome: 'delivered' }])
    const [, first, , second, , third] = store.sent
    expect(store.sent).toHaveLength(6)
    expect([first, second, third].map((range) => Number(/(\d+)-/.exec(range ?? '')?.[1]))).toEqual([
      0,
      expect.toSatisfy((from: number) => from >= 5 * mebibyte && from % 2 ** 18 === 0),
      expect.toSatisfy((from: number) => from >= 9 * mebibyte && from % 2 ** 18 === 0),
    ])
    expectObject(store)
  })

  it('continues when the store took only a part, or the connection breaks before anything was kept', async () => {
    const store = await open()
    store.faults.push(
      { after: 1, loses: true, happens: breaks },
      {
        after: 6 * mebibyte,
        happens: (response) => response.writeHead(308, { range: `bytes=0-${6 * mebibyte - 1}` }).end(),
      },
    )
    expect(await store.send()).toMatchObject([{ outcome: 'delivered' }])
    expectObject(store)
  })

  it('is delivered when only the confirmation was lost', async () => {
    const store = await open()
    store.faults.push({ after: Number.POSITIVE_INFINITY, happens: breaks })
    expect(await store.send()).toMatchObject([{ outcome: 'delivered' }])
    expect(store.sent.slice(1)).toEqual([expect.stringContaining('PUT bytes 0-'), 'PUT bytes */*'])
    expectObject(store)
  })

  it('is tried again later when the store keeps nothing more', async () => {
    const store = await open()
    for (let i = 0; i < 9; i++) store.faults.push({ after: mebibyte, loses: true, happens: breaks })
    expect(await outcomeOf(store.send())).toBe('retry')
    expect(store.faults).toHaveLength(5)
    expect(store.objects.size).toBe(0)
  })

  it('is not delivered by a success that comes too early, and shows no URL that can write', async () => {
    const store = await open()
    store.faults.push(
      { after: mebibyte, happens: (response, url) => response.writeHead(200).end(JSON.stringify({ url })) },
      { after: mebibyte, happens: (response, url) => response.writeHead(503).end(url) },
    )
    expect(await store.send()).toMatchObject([{ outcome: 'retry', status: 200 }])
    const [failed] = await store.send()
    expect(failed).toMatchObject({ outcome: 'retry', status: 503, error: expect.stringContaining('503') })
    expect(failed?.response?.toString()).toContain('upload_id=')
    expect(failed?.response?.toString()).not.toContain('upload-secret')
  })

  it('is sent to no other server that the store names', async () => {
    const [store, other] = [await open(), await open()]
    store.state.location = `${other.settings.endpointUrl}upload/storage/v1/b/crm/o?upload_id=1`
    expect(await store.send()).toMatchObject([{ outcome: 'retry' }])
    expect([store.sent, other.sent]).toEqual([['POST'], []])
  })

  it('is sent to the endpoint when the store names the address of Google', async () => {
    const store = await open()
    store.state.location = 'https://storage.googleapis.com/upload/storage/v1/b/crm/o?upload_id=upload-secret-0'
    expect(await store.send()).toMatchObject([{ outcome: 'delivered' }])
    expectObject(store)
  })

  it('gets a new token within an upload', async () => {
    const store = await open()
    store.faults.push({ after: 5 * mebibyte, happens: (response) => response.writeHead(401).end() })
    expect(await store.send()).toMatchObject([{ outcome: 'delivered' }])
    expectObject(store)
  })

  it('ends at the deadline and when it is canceled, and sends nothing afterwards', async () => {
    const store = await open()
    store.faults.push({ after: mebibyte, happens: () => undefined }, { after: mebibyte, happens: () => undefined })
    expect(await outcomeOf(store.send({ timeoutMs: -18_000 }))).toBe('retry')
    const cancel = new AbortController()
    store.faults[0] = { after: mebibyte, happens: () => cancel.abort() }
    expect(await outcomeOf(store.send({ signal: cancel.signal }))).toBe('cancelled')
    const { length } = store.sent
    await nextTurn()
    expect(store.sent).toHaveLength(length)
  })

  it('is refused when its records disappear while it is sent', async () => {
    const store = await open({ isKept: (read) => read < result.length + 8 * mebibyte })
    expect(await store.send()).toMatchObject([{ outcome: 'refused' }])
    expect(store.objects.size).toBe(0)
  })

  it('is read as fast as the store takes it', async () => {
    const store = await open()
    let ahead = 0
    store.state.slow = async () => {
      for (let turn = 0; turn < 4; turn++) await nextTurn()
      // It is read as a whole before, to sign it.
      ahead = Math.max(ahead, store.read() - result.length - store.state.received)
    }
    expect(await store.send()).toMatchObject([{ outcome: 'delivered' }])
    expect(ahead).toBeGreaterThan(0)
    expect(ahead).toBeLessThan(size / 2)
  })
})
