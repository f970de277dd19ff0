import { expect, it } from 'vitest'
import { OutboundError } from '../../../kernel/net/index.ts'
import { testMessages } from './conformance.testkit.ts'
import { inParts, partsOf, sendTogether } from './in-parts.ts'
import type { SendResult } from './kind.ts'

const delivered: SendResult = { outcome: 'delivered' }
const timeout = () => new OutboundError('timeout', 'It did not answer in time.')

it('splits by number and by size, and leaves what is too large alone', () => {
  const sized = testMessages('a', 'b', 'c', 'd', 'e').map((message, at) => ({ message, bytes: at === 2 ? 50 : 4 }))
  const sizes = (bytesMax: number, countMax: number) =>
    partsOf(sized, { bytesMax, countMax }).map((part) => part.length)
  expect(sizes(10, 10)).toEqual([2, 1, 2])
  expect(sizes(1_000, 2)).toEqual([2, 2, 1])
})

it('keeps what the parts before an error delivered', async () => {
  const results = await inParts([['a'], ['b', 'c'], ['d']], async ([first]) => {
    if (first === 'b') throw timeout()
    return [delivered]
  })
  expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'retry', 'retry', 'retry'])
  await expect(inParts([['a'], ['b']], () => Promise.reject(timeout()))).rejects.toThrow('in time')
})

it('finds each bad message, and delivers the others', async () => {
  const bad = new Set([3, 40])
  let calls = 0
  const results = await sendTogether(
    Array.from({ length: 100 }, (_, at) => at),
    async (part) => {
      calls++
      const isOfData = part.some((at) => bad.has(at))
      return { result: isOfData ? { outcome: 'retry', error: 'It is bad.' } : delivered, isOfData }
    },
  )
  expect(results.flatMap(({ outcome }, at) => (outcome === 'refused' ? [at] : []))).toEqual([...bad])
  expect(calls).toBeLessThan(30)
})

it('ends after some calls when all are bad, and splits nothing for other errors', async () => {
  let calls = 0
  const send = (isOfData: boolean) =>
    sendTogether(Array.from({ length: 1_000 }), async () => {
      calls++
      return { result: { outcome: 'retry' }, isOfData }
    })
  expect(await send(true)).toHaveLength(1_000)
  expect(calls).toBeLessThan(80)
  calls = 0
  expect(await send(false)).toHaveLength(1_000)
  expect(calls).toBe(1)
})

it('keeps what was delivered when a later call fails', async () => {
  const results = await sendTogether(['good', 'bad', 'lost', 'lost'], async (part) => {
    if (part.length > 2) return { result: { outcome: 'retry' }, isOfData: true }
    if (part[0] === 'lost') throw timeout()
    return { result: { outcome: part[0] === 'bad' ? 'retry' : 'delivered' }, isOfData: part.includes('bad') }
  })
  expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'refused', 'retry', 'retry'])
})
