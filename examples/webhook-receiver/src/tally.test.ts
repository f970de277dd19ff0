import { expect, test } from 'vitest'
import { createTally } from './tally.ts'

test('counts each of 200,000 keys', () => {
  const tally = createTally()
  const total = 200_000
  for (let key = 0; key < total; key++) if (tally.add(`con_${key}`) !== 0) throw new Error(`con_${key} came before`)
  for (let key = 0; key < total; key += 2) tally.add(`con_${key}`)
  const wrong = Array.from({ length: total }, (_, key) => key).filter(
    (key) => tally.count(`con_${key}`) !== (key % 2 ? 1 : 2),
  )
  expect(wrong).toEqual([])
  expect(tally.distinct).toBe(total)
  expect(tally.count('con_x')).toBe(0)
})

test('stops at 255', () => {
  const tally = createTally()
  for (let time = 0; time < 300; time++) tally.add('')
  expect(tally.count('')).toBe(255)
  expect(tally.add('')).toBe(255)
})
