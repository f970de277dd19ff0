import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packIds, unpackIds } from './id-chunk.ts'
import { compareIds, mergedList, mergeIds, type SortedIds } from './merge-ids.ts'

function sorted(ids: readonly string[], size: number): SortedIds {
  const rest = [...ids].sort(compareIds)
  return { next: async () => (rest.length === 0 ? undefined : rest.splice(0, size)) }
}

const idLists = fc.array(fc.array(fc.oneof(fc.nat(30).map(String), fc.string())), { maxLength: 6 })
const chunkSizes = fc.integer({ min: 1, max: 5 })

it('a merge names each id once, in order, with the lists that contain it', async () => {
  await fc.assert(
    fc.asyncProperty(idLists, chunkSizes, async (all, size) => {
      const merged: [string, number][] = []
      await mergeIds(
        all.map((ids, at) => ({ bit: 2 ** at, ids: mergedList([sorted(ids, size)]) })),
        (id, bits) => {
          merged.push([id, bits])
          return undefined
        },
      )
      const bitsOf = (id: string) => all.reduce((bits, ids, at) => (ids.includes(id) ? bits | (2 ** at) : bits), 0)
      const ids = [...new Set(all.flat())].sort(compareIds)
      expect(merged).toEqual(ids.map((id) => [id, bitsOf(id)]))
    }),
  )
})

it('many lists are merged into one, in order, without what is there twice', async () => {
  await fc.assert(
    fc.asyncProperty(idLists, chunkSizes, async (all, size) => {
      const merged = mergedList(all.map((ids) => sorted(ids, size)))
      const ids: string[] = []
      for (let chunk = await merged.next(); chunk; chunk = await merged.next()) ids.push(...chunk)
      expect(ids).toEqual([...new Set(all.flat())].sort(compareIds))
    }),
  )
})

it('packed ids are the same when unpacked, whatever they contain', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (ids) => {
      expect(unpackIds(packIds(ids))).toEqual(ids)
    }),
  )
})
