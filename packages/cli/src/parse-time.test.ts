import { expect, test } from 'vitest'
import { parseTime } from './parse-time.ts'

const now = Date.parse('2026-01-31T12:00:00Z')

test.each([
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['90s', '2026-01-31T11:58:30.000Z'],
  ['30m', '2026-01-31T11:30:00.000Z'],
  ['2h', '2026-01-31T10:00:00.000Z'],
  ['7d', '2026-01-24T12:00:00.000Z'],
  ['0s', '2026-01-31T12:00:00.000Z'],
])('%s is %s', (text, time) => expect(parseTime(text, now)).toBe(time))

test.each(['', 'yesterday', '2h30m', '-1h', '1', '2026', '2026-13-01', '999999999w', '12:00'])(
  '“%s” is not a time',
  (text) => expect(() => parseTime(text, now)).toThrow('not a time'),
)
