import type { ReadPage, ReadPageRequest } from '@mortise/providers'
import { describe, expect, it } from 'vitest'
import { streamPages } from './page-stream.ts'

/** A provider of `count` pages that fails at page `failsAt`, and notes what it was asked. */
function pages(count: number, failsAt?: number) {
  const asked: (string | undefined)[] = []
  return {
    asked,
    async readPage({ page }: ReadPageRequest): Promise<ReadPage> {
      asked.push(page)
      const number = page === undefined ? 0 : Number(page)
      if (number === failsAt) throw new Error(`page ${number} is broken`)
      return {
        records: [{ id: String(number), fields: {}, raw: {} }],
        nextPage: number + 1 < count ? String(number + 1) : undefined,
      }
    },
  }
}

const nameOf = ({ id }: { id?: string }) => id ?? ''

describe('a stream of pages', () => {
  it('gives every page once and in order, and then nothing', async () => {
    const stream = streamPages(
      { connector: pages(10), entry: nameOf, calls: [] },
      { object: 'contacts', fields: 'all' },
    )
    const seen: (string | undefined)[] = []
    for (let taken = await stream.take(); taken.length > 0; taken = await stream.take()) {
      seen.push(...taken.map((page) => page.entries[0]))
    }
    expect(seen).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })

  it('begins where it is told to', async () => {
    const stream = streamPages(
      { connector: pages(10), entry: nameOf, calls: [] },
      { object: 'contacts', fields: 'all', page: '9' },
    )
    expect((await stream.take())[0]?.entries[0]).toBe('9')
  })

  it('reads no more than a few pages ahead of whoever takes them', async () => {
    const provider = pages(1_000)
    const stream = streamPages({ connector: provider, entry: nameOf, calls: [] }, { object: 'contacts', fields: 'all' })
    await stream.take()
    // Every turn of the event loop lets the reader go on as far as it may.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(provider.asked.length).toBeLessThanOrEqual(20)
    await stream.stop()
  })

  it('reads ahead less of long pages', async () => {
    const provider = pages(1_000)
    const stream = streamPages(
      { connector: provider, entry: () => 'x'.repeat(1_000_000), calls: [] },
      { object: 'contacts', fields: 'all' },
    )
    await stream.take()
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(provider.asked.length).toBeLessThanOrEqual(5)
    await stream.stop()
  })

  it('gives the pages before an error, then the error', async () => {
    const stream = streamPages(
      { connector: pages(10, 3), entry: nameOf, calls: [] },
      { object: 'contacts', fields: 'all' },
    )
    const seen: unknown[] = []
    const all = async () => {
      for (;;) seen.push(...(await stream.take()))
    }
    await expect(all()).rejects.toThrow('page 3 is broken')
    expect(seen).toHaveLength(3)
  })

  it('ends when it is stopped, and what was asked for can still be taken', async () => {
    const provider = pages(1_000_000)
    const stream = streamPages({ connector: provider, entry: nameOf, calls: [] }, { object: 'contacts', fields: 'all' })
    const first = await stream.take()
    await stream.stop()
    const asked = provider.asked.length
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(provider.asked.length).toBe(asked)
    expect(first.length + (await stream.take()).length).toBe(asked)
    expect(await stream.take()).toEqual([])
  })
})
