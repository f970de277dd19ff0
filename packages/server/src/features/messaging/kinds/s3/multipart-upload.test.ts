import { createHash } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import { startHttpTarget, type TargetAnswer } from '../http-target.testkit.ts'
import type { OutgoingMessage, StoredResult } from '../kind.ts'
import { type Store, stores } from '../stores.testkit.ts'
import { createFakeS3, error, type Step, xml } from './fake-s3.testkit.ts'
import { metadataOf } from './object-store.testkit.ts'

/** Large objects, in parts. */

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const { kind, settings } = stores['s3'] as Store
const mebibyte = 2 ** 20

/** A sender to a fake S3, and a large result that starts with some bytes. */
async function open(result: StoredResult | undefined = resultOf(20 * mebibyte), more: object = {}) {
  const s3 = createFakeS3({ bucket: 'crm', region: 'eu-central-1' })
  const target = await startHttpTarget({
    settings: (port) => ({ ...settings(port), storageClass: 'STANDARD_IA', ...more }),
    secret: 'unused',
    answer: s3.answer,
  })
  const { send, secret, close } = openForTest(kind, target.settings, { openResult: async () => result })
  closing.push(close, () => target.stop())
  return { ...s3, send, secret, target }
}

/** A JSON array of one text, of so many bytes. Each MiB differs. */
function resultOf(bytes: number): StoredResult {
  const text = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; at += mebibyte) text.fill(97 + ((at / mebibyte) % 26), at)
  text.write('["')
  text.write('"]', bytes - 2)
  return { bytes, read: async (from, length) => text.subarray(from, from + length) }
}

const header = { action: 'read', groupRef: 'acme', installationId: 'i-1', objectName: 'contact' }
const message: OutgoingMessage = {
  id: '019c13d5-0800-7000-8000-000000000001',
  kind: 'read',
  eventType: undefined,
  body: Buffer.from(JSON.stringify({ ...header, resultInfo: { type: 'url', numRecords: 1, downloadUrl: 'x' } })),
  hasResult: true,
}
const key = '2026-01-31T11:34:14.272000000Z_019c13d5-0800-7000-8000-000000000001.json'
const never = () => new Promise<TargetAnswer>(() => undefined)

describe('a large object', () => {
  it('arrives in parts that the store joins, with its metadata and a signature of the whole', async () => {
    const result = resultOf(20 * mebibyte)
    const { send, secret, objects, uploads, steps } = await open(result)
    expect(await send([message])).toMatchObject([{ outcome: 'delivered', status: 200 }])
    const { body, headers } = objects.get(key) ?? expect.fail('no object')
    const inline = { ...header, resultInfo: { type: 'inline', numRecords: 1 } }
    const records = (await result.read(0, result.bytes))?.toString()
    expect(body.toString() === `${JSON.stringify(inline).slice(0, -1)},"result":${records}}`).toBe(true)
    expect(() => new Webhook(secret).verify(body.toString(), metadataOf({ headers }))).not.toThrow()
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-amz-storage-class': 'STANDARD_IA' })
    expect(steps.toSorted()).toEqual(['complete', 'create', 'part', 'part', 'part'])
    expect(uploads.size).toBe(0)
  })

  it.each([16 * mebibyte, 16 * mebibyte + 1, 24 * mebibyte, 24 * mebibyte + 1])(
    'has the right parts at %i bytes',
    async (bytes) => {
      const { send, objects, steps } = await open(resultOf(bytes - frameBytes))
      await send([message])
      expect(objects.get(key)?.body.length).toBe(bytes)
      const parts = steps.filter((step) => step === 'part').length
      expect(parts).toBe(bytes > 16 * mebibyte ? Math.ceil(bytes / (8 * mebibyte)) : 0)
    },
  )

  it('is read in small pieces, and not as a whole', async () => {
    const sizes: number[] = []
    const { read, bytes } = resultOf(20 * mebibyte)
    const { send } = await open({
      bytes,
      read: (from, length) => {
        sizes.push(length)
        return read(from, length)
      },
    })
    await send([message])
    expect(Math.max(...sizes)).toBe(2 ** 18)
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2 * bytes)
  })

  it('may be a file of records', async () => {
    const { send, objects, steps } = await open(undefined, { format: 'ndjson', storageClass: 'STANDARD' })
    const records = [0, 1].map((id) => ({ id: String(id), fields: { text: 'x'.repeat(9 * mebibyte) } }))
    const body = Buffer.from(JSON.stringify({ ...header, provider: 'hubspot', workspace: '', result: records }))
    const [sent] = await send([{ ...message, hasResult: false, body }])
    expect(sent).toMatchObject({ outcome: 'delivered' })
    expect(steps.filter((step) => step === 'part')).toHaveLength(3)
    const manifest = [...objects].find(([name]) => name.startsWith('_mortise_manifests/'))?.[1].body
    const [file] = JSON.parse(manifest?.toString() ?? '').files
    const stored = objects.get(file.key)?.body ?? Buffer.of()
    expect(createHash('sha256').update(stored).digest('hex')).toBe(file.sha256)
  })

  it('that was not stored is sent again as a whole', async () => {
    const { send, objects, uploads, answers } = await open()
    answers.part = (nth) => (nth === 2 ? error(503, 'SlowDown') : undefined)
    expect(await send([message])).toMatchObject([{ outcome: 'retry' }])
    expect([objects.size, uploads.size]).toEqual([0, 0])
    expect(await send([message])).toMatchObject([{ outcome: 'delivered' }])
    expect([objects.size, uploads.size]).toEqual([1, 0])
  })
})

const frameBytes =
  Buffer.byteLength(JSON.stringify({ ...header, resultInfo: { type: 'inline', numRecords: 1 }, result: 0 })) - 1

/** Answers that confirm nothing, whatever step they answer. */
const unconfirmed: Record<string, TargetAnswer> = {
  'may not': error(403, 'AccessDenied'),
  'is busy': error(503, 'SlowDown'),
  'redirects to another region': {
    ...error(301, 'PermanentRedirect'),
    headers: { location: '/crm/other', 'x-amz-bucket-region': 'us-east-1' },
  },
  'answers an error as a success': { ...error(200, 'InternalError'), headers: { etag: '"1"' } },
  'answers a page': {
    status: 200,
    headers: { etag: '"1"', 'content-type': 'text/html' },
    body: '<!DOCTYPE html><html><UploadId>1</UploadId><ETag>1</ETag></html>',
  },
  'hangs up': { status: 200, hangsUp: true },
}

const failures: [Step, string, TargetAnswer][] = [
  ...(['create', 'part', 'complete'] as const).flatMap((step) =>
    Object.entries(unconfirmed).map(([name, answer]) => [step, name, answer] as [Step, string, TargetAnswer]),
  ),
  ['create', 'answers nothing', { status: 200 }],
  ['create', 'names no upload', xml('InitiateMultipartUploadResult', '<Bucket>crm</Bucket>')],
  ['create', 'answers another document', xml('ListBucketResult', '<UploadId>1</UploadId>')],
  ['part', 'confirms without a tag', { status: 200 }],
  ['part', 'confirms with an empty tag', { status: 200, headers: { etag: '' } }],
  ['complete', 'answers nothing', { status: 200 }],
  ['complete', 'answers only spaces', { status: 200, body: ' '.repeat(10_000) }],
  [
    'complete',
    'answers an error after spaces',
    { status: 200, body: `${' '.repeat(10_000)}${error(200, 'InternalError').body}` },
  ],
  ['complete', 'answers half a document', { status: 200, body: '<CompleteMultipartUploadResult><ETag>"1"</ETag>' }],
  ['complete', 'names no tag', xml('CompleteMultipartUploadResult', '<Key>x</Key>')],
  ['complete', 'answers another document', xml('ListBucketResult', '<ETag>"1"</ETag>')],
]

describe('an upload', () => {
  it.each(failures)('whose step %s %s is tried again, and leaves no parts', async (step, _, answer) => {
    const { send, objects, uploads, answers, steps, target } = await open()
    answers[step] = () => answer
    const outcome = await send([message]).then(
      ([result]) => result?.outcome,
      (thrown) => thrown.kind,
    )
    expect(outcome).toBe(answer.hangsUp ? 'connect' : 'retry')
    expect([objects.size, uploads.size]).toEqual([0, 0])
    // The server may read parts that were canceled after it.
    expect(steps.filter((one) => one === 'abort')).toHaveLength(step === 'create' ? 0 : 1)
    expect(target.connections().total).toBeLessThanOrEqual(6)
  })

  it('with a part that fails does not wait for the others', async () => {
    const { send, uploads, answers } = await open()
    answers.part = (nth) => (nth === 1 ? never() : error(503, 'SlowDown'))
    const timeoutMs = 3_600_000
    expect(await send([message], { timeoutMs })).toMatchObject([{ outcome: 'retry', status: 503 }])
    expect(uploads.size).toBe(0)
  })

  it('shows the code of the error that S3 answers late', async () => {
    const { send, answers } = await open()
    answers.complete = () => ({ status: 200, body: `${' '.repeat(10_000)}${error(200, 'InternalError').body}` })
    expect(await send([message])).toMatchObject([
      { status: 200, error: expect.stringMatching(/ 200 \(InternalError\)\.$/) },
    ])
  })

  it('is complete when S3 says so after spaces', async () => {
    const { send, answers } = await open()
    const { body } = xml('CompleteMultipartUploadResult', '<ETag>"1-3"</ETag>')
    answers.complete = () => ({ status: 200, body: ` \n${' '.repeat(10_000)}${body}` })
    expect(await send([message])).toMatchObject([{ outcome: 'delivered' }])
  })

  it('is complete when a compatible service says so in a document of another name', async () => {
    const { send, answers } = await open()
    answers.complete = () => xml('CompleteMultipartUploadResponse', '<ETag>"1-3"</ETag>')
    expect(await send([message])).toMatchObject([{ outcome: 'delivered' }])
  })

  it.each(['create', 'part', 'complete'] as const)(
    'whose step %s hangs ends at the deadline, and leaves no parts',
    async (step) => {
      const { send, uploads, answers } = await open()
      answers[step] = never
      // The time of the size comes on top.
      const result = send([message], { timeoutMs: -17_000 })
      await expect(result).rejects.toMatchObject({ kind: 'timeout' })
      expect(uploads.size).toBe(0)
    },
  )

  it.each(['create', 'part', 'complete'] as const)('that is cancelled in its step %s leaves no parts', async (step) => {
    const { send, objects, uploads, answers } = await open()
    const cancel = new AbortController()
    answers[step] = () => {
      cancel.abort()
      return never()
    }
    await expect(send([message], { signal: cancel.signal })).rejects.toMatchObject({ kind: 'aborted' })
    expect([objects.size, uploads.size]).toEqual([0, 0])
  })

  it.each([error(403, 'AccessDenied'), { status: 200, hangsUp: true }])(
    'that cannot be aborted keeps its own failure: %j',
    async (answer) => {
      const { send, answers, steps } = await open()
      answers.part = () => error(503, 'SlowDown')
      answers.abort = () => answer
      expect(await send([message])).toMatchObject([{ outcome: 'retry', status: 503 }])
      expect(steps.at(-1)).toBe('abort')
    },
  )

  it('whose abort hangs ends soon', async () => {
    const { send, answers } = await open()
    answers.part = () => error(503, 'SlowDown')
    answers.abort = never
    expect(await send([message])).toMatchObject([{ outcome: 'retry', status: 503 }])
  })

  it('whose records disappear is refused, and leaves no parts', async () => {
    const { bytes, read } = resultOf(20 * mebibyte)
    let pieces = 0
    const { send, uploads, objects } = await open({
      bytes,
      // They were read to be signed, and then are deleted while they are sent.
      read: async (from, length) => (++pieces > 120 ? undefined : read(from, length)),
    })
    expect(await send([message])).toMatchObject([{ outcome: 'refused' }])
    expect([objects.size, uploads.size]).toEqual([0, 0])
  })
})
