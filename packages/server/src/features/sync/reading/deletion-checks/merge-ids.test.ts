import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packIds, unpackIds } from './id-chunk.ts'
import { compareIds, mergeIds, type SortedIds } from './merge-ids.ts'

function sorted(bit: number, ids: readonly string[], size: number): SortedIds {
  const rest = [...ids].sort(compareIds)
  return { bit, next: async () => (rest.length === 0 ? undefined : rest.splice(0, size)) }
}

it('a merge names each id once, in order, with the lists that contain it', async () => {
  const lists = fc.array(fc.array(fc.oneof(fc.nat(30).map(String), fc.string())), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(lists, fc.integer({ min: 1, max: 5 }), async (all, size) => {
      const merged: [string, number][] = []
      await mergeIds(
        all.map((ids, at) => sorted(2 ** at, ids, size)),
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

it('packed ids are the same when unpacked, whatever they contain', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (ids) => {
      expect(unpackIds(packIds(ids))).toEqual(ids)
    }),
  )
})
