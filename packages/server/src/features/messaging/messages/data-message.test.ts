import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutDataMessages, type DataMessageHeader, messageBytesMax, withDownloadUrl } from './data-message.ts'

const header: DataMessageHeader = {
  action: 'read',
  projectId: 'p',
  provider: 'sampleCrm',
  groupRef: 'g',
  groupName: 'Gruppe Ä',
  consumerRef: 'c',
  consumerName: 'C',
  installationId: 'i',
  installationUpdateTime: '2026-01-01T00:00:00.000Z',
  objectName: 'contacts',
  operationId: 'o',
  readType: 'backfill',
}
const limits = { messageBytesMax }
const entry = (id: number, text: string) => JSON.stringify({ fields: { id, text }, raw: {} })
const read = (payload: Buffer) => JSON.parse(payload.toString())

describe('cutDataMessages', () => {
  it('writes the header, the count and the entries', () => {
    const entries = [entry(1, 'a'), entry(2, 'b')]
    const [message, ...rest] = cutDataMessages(header, entries, limits)
    expect(rest).toEqual([])
    expect(read(message!.payload)).toEqual({
      ...header,
      resultInfo: { type: 'inline', numRecords: 2 },
      result: entries.map((text) => JSON.parse(text)),
    })
  })

  it('makes no message of no entries', () => {
    expect(cutDataMessages(header, [], limits)).toEqual([])
  })

  it('fills a message to the last byte and not beyond, counting bytes, not characters', () => {
    for (const letter of ['a', 'ä', '€', '🦀']) {
      const bytes = Buffer.byteLength(letter)
      const [lone] = cutDataMessages(header, [entry(1, '')], limits)
      const room = messageBytesMax - lone!.payload.length
      const fits = entry(1, letter.repeat(Math.floor(room / bytes)) + 'x'.repeat(room % bytes))
      const [full] = cutDataMessages(header, [fits], limits)
      expect(full?.payload.length).toBe(messageBytesMax)
      expect(full?.result).toBeUndefined()
      const tooLarge = entry(1, `${letter.repeat(Math.floor(room / bytes))}${'x'.repeat((room % bytes) + 1)}`)
      expect(cutDataMessages(header, [tooLarge], limits)[0]?.result?.toString()).toBe(`[${tooLarge}]`)
    }
  })

  it('sends an entry that is too large by URL, alone and in its place', () => {
    const large = entry(2, 'ä'.repeat(200_000))
    const messages = cutDataMessages(header, [entry(1, 'a'), large, entry(3, 'c')], limits)
    expect(messages.map(({ payload }) => read(payload).resultInfo)).toEqual([
      { type: 'inline', numRecords: 1 },
      { type: 'url', numRecords: 1, downloadUrl: '' },
      { type: 'inline', numRecords: 1 },
    ])
    expect(messages.map(({ result }) => result?.toString())).toEqual([undefined, `[${large}]`, undefined])
    const url = 'https://example.com/results/1?expires=1&claims=a-_&signature=b'
    expect(read(withDownloadUrl(messages[1]!.payload, url))).toEqual({
      ...header,
      resultInfo: { type: 'url', numRecords: 1, downloadUrl: url },
    })
  })

  it('puts no more entries into a message than asked', () => {
    const entries = Array.from({ length: 7 }, (_, id) => entry(id, 'a'))
    const sizes = cutDataMessages(header, entries, { ...limits, recordsMax: 3 }).map(
      ({ payload }) => read(payload).resultInfo.numRecords,
    )
    expect(sizes).toEqual([3, 3, 1])
  })

  it('loses, repeats and reorders nothing, and never passes the limit', () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.nat(3_000).map((n) => '€'.repeat(n)),
      ),
    )
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 600, max: 6_000 }),
        fc.option(fc.integer({ min: 1, max: 9 })),
        (all, max, records) => {
          const entries = all.map((text, id) => entry(id, text))
          const messages = cutDataMessages(header, entries, {
            messageBytesMax: max,
            ...(records !== null && { recordsMax: records }),
          })
          const found = messages.flatMap(({ payload, result }) => {
            const message = read(payload)
            const list = result ? JSON.parse(result.toString()) : message.result
            expect(payload.length).toBeLessThanOrEqual(max)
            expect(message.resultInfo.numRecords).toBe(list.length)
            expect(list.length).toBeLessThanOrEqual(records ?? entries.length)
            return list
          })
          expect(found).toEqual(entries.map((text) => JSON.parse(text)))
        },
      ),
    )
  })
})
