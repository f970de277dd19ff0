import { expect, it } from 'vitest'
import { forwardedHeaders, headerIssues } from './forwarded-headers.ts'

it('headers of the caller’s own pass, by their lower-case names', () => {
  const headers = [
    { key: 'Sforce-Duplicate-Rule-Header', value: ' allowSave=true ' },
    { key: 'X-Note', value: 'Grüße' },
  ]
  expect(headerIssues(headers)).toEqual([])
  expect(forwardedHeaders(headers)).toEqual({ 'sforce-duplicate-rule-header': 'allowSave=true', 'x-note': 'Grüße' })
})

it.each([
  ['Authorization', 'Bearer x'],
  ['cookie', 'a=b'],
  ['Host', 'evil.example'],
  ['Content-Length', '0'],
  ['Transfer-Encoding', 'chunked'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['Idempotency-Key', 'mine'],
  ['a b', 'x'],
  ['', 'x'],
  ['X-Split\r\nEvil', 'x'],
  ['X-Split', 'a\r\nEvil: b'],
  ['X-Null', 'a\0b'],
  ['X-Wide', '€'],
])('%j: %j does not', (key, value) => {
  expect(headerIssues([{ key, value }])).toHaveLength(1)
})

it('the value of a refused header is shown to nobody', () => {
  expect(JSON.stringify(headerIssues([{ key: 'X-Token', value: 'hush\n' }]))).not.toContain('hush')
})
