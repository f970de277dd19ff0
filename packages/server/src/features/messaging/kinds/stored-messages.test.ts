import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { refusalOfSignature } from './aws.testkit.ts'
import { openForTest } from './conformance.testkit.ts'
import { startHttpTarget, type TargetRequest } from './http-target.testkit.ts'
import type { MessageOrigin, MessageSource, OutgoingMessage, StoredResult } from './kind.ts'
import { uploadDocument } from './s3/fake-s3.testkit.ts'
import { metadataOf } from './s3/object-store.testkit.ts'
import { type Store, storeObject, stores } from './stores.testkit.ts'

/** Objects of one message each, in every store of objects. */

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const id = '019c13d5-0800-7000-8000-000000000001'
const key = '2026-01-31T11:34:14.272000000Z_019c13d5-0800-7000-8000-000000000001.json'

interface Options {
  settings?: object
  result?: StoredResult | undefined
  origins?: (sources: readonly MessageSource[]) => MessageOrigin[]
}

async function open(store: Store, { settings: more, result, origins }: Options = {}) {
  const { kind, settings, gate } = store
  const objects = new Map<string, TargetRequest>()
  const target = await startHttpTarget({
    settings: (port) => ({ ...settings(port), ...more }),
    secret: 'unused',
    answer: async (request) => {
      const refused =
        (await gate?.(request)) ??
        (kind.name === 's3' ? await refusalOfSignature(request, { service: 's3', region: 'eu-central-1' }) : undefined)
      if (refused) return refused
      return storeObject(store, request, objects)
    },
  })
  const asked: string[] = []
  const { send, secret, close } = openForTest(kind, target.settings, {
    openResult: async (messageId) => {
      asked.push(messageId)
      return result
    },
    ...(origins && { originsOf: async (sources) => origins(sources) }),
  })
  closing.push(close, () => target.stop())
  return { send, secret, objects, asked }
}

/** A result that is kept until so many of its parts were read. */
function resultOf(text: string, partsMax = Number.POSITIVE_INFINITY): StoredResult & { sizes: number[] } {
  const bytes = Buffer.from(text)
  const sizes: number[] = []
  return {
    bytes: bytes.length,
    sizes,
    async read(from, length) {
      if (sizes.push(length) > partsMax) return undefined
      return bytes.subarray(from, from + length)
    },
  }
}

const header = { action: 'read', groupRef: 'acme', installationId: 'i-1', operationId: 'o-1', objectName: 'contact' }
const byUrl = (numRecords = 1) => ({ type: 'url', numRecords, downloadUrl: 'https://mortise.example.com/results/1' })

function message(body: object, more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return { id, kind: 'read', eventType: undefined, body: Buffer.from(JSON.stringify(body)), ...more }
}
const large = (body: object, more: Partial<OutgoingMessage> = {}) => message(body, { hasResult: true, ...more })

describe.each(Object.entries(stores))('an object in %s', (_, store) => {
  it('contains the records of a large message in full, and its signature covers them', async () => {
    // Of several bytes each, so that a part ends within a character.
    const records = [{ id: '1', fields: { text: 'ä€😀'.repeat(100_000) } }]
    const result = resultOf(JSON.stringify(records))
    const { send, secret, objects, asked } = await open(store, { result })
    expect(await send([large({ ...header, resultInfo: byUrl() })])).toMatchObject([{ outcome: 'delivered' }])
    const { body, headers } = objects.get(key) ?? expect.fail('no object')
    const expected = { ...header, resultInfo: { type: 'inline', numRecords: 1 }, result: records }
    expect(body.toString()).toBe(JSON.stringify(expected))
    expect(headers['content-length']).toBe(String(body.length))
    expect(metadataOf({ headers })).toMatchObject({ installationid: 'i-1', operationid: 'o-1', objectname: 'contact' })
    expect(new Webhook(secret).verify(body.toString(), metadataOf({ headers }))).toEqual(expected)
    expect(asked).toEqual([id])
    expect(Math.max(...result.sizes)).toBeLessThanOrEqual(2 ** 18)
  })

  it('contains the changes of a schema and the configs of a notification, as small ones do', async () => {
    const changes = { createdFields: [{ fieldName: 'a' }] }
    const watched = { ...header, action: 'schema.watch' }
    const first = await open(store, { result: resultOf(JSON.stringify([changes])) })
    await first.send([large({ ...watched, resultInfo: byUrl(3) }, { kind: 'schema.watch' })])
    expect(first.objects.get(key)?.body.toString()).toBe(
      JSON.stringify({ ...watched, resultInfo: { type: 'inline', numRecords: 3 }, result: changes }),
    )

    const data = { groupRef: 'acme', connectionId: 'c-1' }
    const configs = { config: { read: 'ä' }, lastConfig: {} }
    const second = await open(store, { result: resultOf(JSON.stringify(configs)) })
    const urls = { configURL: 'https://x.test/1', lastConfigURL: 'https://x.test/2' }
    const event = { kind: 'notification', eventType: 'installation.updated' }
    await second.send([large({ ...data, ...urls }, event)])
    const { body, headers } = second.objects.get(key) ?? expect.fail('no object')
    expect(body.toString()).toBe(JSON.stringify({ ...data, ...configs }))
    expect(metadataOf({ headers })).toMatchObject({ notificationtype: 'installation.updated', connectionid: 'c-1' })
  })

  it('is not stored without its records, which are not kept any more', async () => {
    const gone = await open(store, { result: undefined })
    const refused = [{ outcome: 'refused', error: 'The records of the message are not kept any more.' }]
    expect(await gone.send([large({ ...header, resultInfo: byUrl() })])).toEqual(refused)
    // They were read to be signed, in three parts, and then are deleted while they are sent.
    const text = JSON.stringify(['x'.repeat(2.5 * 2 ** 18)])
    const erased = await open(store, { result: resultOf(text, 4) })
    expect(await erased.send([large({ ...header, resultInfo: byUrl() })])).toEqual(refused)
    expect([gone.objects.size, erased.objects.size]).toEqual([0, 0])
  })

  it('says which connection and topic it comes from, also to its key', async () => {
    const asked: MessageSource[] = []
    const { send, objects } = await open(store, {
      settings: {
        keyTemplate: "join('/', [metadata.connectionId || 'none', metadata.topic || 'none', data.groupRef])",
      },
      origins: (sources) => {
        asked.push(...sources)
        return sources.map(({ eventType }) => (eventType ? { topic: 'errors' } : { connectionId: 'c-1' }))
      },
    })
    await send([message({ ...header, resultInfo: { type: 'inline', numRecords: 0 }, result: [] })])
    const event = { kind: 'notification', eventType: 'connection.error' }
    await send([message({ groupRef: 'acme', connectionId: 'c-2' }, event)])
    expect(asked).toEqual([
      { installationId: 'i-1', eventType: undefined },
      { installationId: undefined, eventType: 'connection.error' },
    ])
    const found = [...objects].map(([name, { headers }]) => {
      const { connectionid, topic, notificationtype } = metadataOf({ headers })
      return [name, connectionid, topic, notificationtype]
    })
    expect(found).toEqual([
      ['c-1/none/acme', 'c-1', undefined, undefined],
      ['c-2/errors/acme', 'c-2', 'errors', 'connection.error'],
    ])
  })
})

describe('a large object', () => {
  const { s3 } = stores as { s3: Store }

  it('has more time than a small one', async () => {
    const { send } = await open(s3, { result: resultOf(JSON.stringify(['x'.repeat(8 * 2 ** 20)])) })
    expect(await send([large({ ...header, resultInfo: byUrl() })], { timeoutMs: 0 })).toMatchObject([
      { outcome: 'delivered' },
    ])
  })

  it('is sent again as a whole after a new access token', async () => {
    const { gcs } = stores as { gcs: Store }
    let refusals = 0
    const gate: Store['gate'] = async (request) =>
      (await gcs.gate?.(request)) ?? (refusals++ === 0 ? { status: 401 } : undefined)
    const records = [{ id: '1', fields: { text: 'x'.repeat(2 ** 20) } }]
    const { send, objects } = await open({ ...gcs, gate }, { result: resultOf(JSON.stringify(records)) })
    expect(await send([large({ ...header, resultInfo: byUrl() })])).toMatchObject([{ outcome: 'delivered' }])
    expect(refusals).toBe(2)
    expect(JSON.parse(objects.get(key)?.body.toString() ?? '')).toMatchObject({ result: records })
  })

  it('is tried again when the store refuses it before it has all of it', async () => {
    const server = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { send, close } = openForTest(s3.kind, s3.settings((server.address() as AddressInfo).port), {
      openResult: async () => resultOf(JSON.stringify(['x'.repeat(32 * 2 ** 20)])),
    })
    closing.push(close, async () => {
      server.closeAllConnections()
      server.close()
    })
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await send([large({ ...header, resultInfo: byUrl() })])).toMatchObject([{ outcome: 'retry', status: 503 }])
  })

  it('is read as fast as the store takes it, and not as a whole', async () => {
    const bytes = 96 * 2 ** 20
    const part = Buffer.alloc(2 ** 18, ' ')
    let [read, received, ahead] = [0, 0, 0]
    const server = createServer(async (request, response) => {
      for await (const chunk of request) {
        received += (chunk as Buffer).length
        for (let turn = 0; turn < 4; turn++) await nextTurn()
      }
      const { body } = request.method === 'POST' ? uploadDocument(request.url) : { body: '' }
      response.writeHead(200, { etag: '"1"' }).end(body)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { send, close } = openForTest(s3.kind, s3.settings((server.address() as AddressInfo).port), {
      openResult: async () => ({
        bytes,
        read: async (_, length) => {
          read += length
          // It is read as a whole before, to sign it.
          ahead = Math.max(ahead, read - bytes - received)
          return part.subarray(0, length)
        },
      }),
    })
    closing.push(close, async () => void server.close())
    expect(await send([large({ ...header, resultInfo: byUrl() })])).toMatchObject([{ outcome: 'delivered' }])
    expect([read, received > bytes]).toEqual([2 * bytes, true])
    // What the buffers of both sockets take.
    expect(ahead).toBeLessThan(bytes / 4)
  })
})
