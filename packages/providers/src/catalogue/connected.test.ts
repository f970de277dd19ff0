import { expect, it } from 'vitest'
import { readProviderFile } from './read-provider-file.ts'

const faultsOf = (more: string) =>
  readProviderFile('test.yaml', `name: test\nbaseUrl: https://a.example\nauthentication: [{ scheme: none }]\n${more}\n`)
    .faults?.map(({ line, message }) => `${line} ${message}`)
    .join()

it('a file says what a test with an account has shown', () => {
  const record = "{ date: 2026-11-26, file: '012345678912', parts: [authentication, objects], objects: [contacts] }"
  expect(faultsOf(`connected: ${record}`)).toBeUndefined()
})

it('a file that was tested is not one that nobody has tested', () => {
  const record = 'connected: { date: 2026-11-26, file: 0123456789ab, parts: [baseUrl] }'
  expect(faultsOf(`confidence: single\n${record}`)).toMatch(/^4 confidence is of a file that nobody has tested/)
})

it('a file that was compared with documentation has no other evidence', () => {
  const compared = (part: string) => faultsOf(`confidence: single\ndocumented: { date: 2026-11-26, parts: [${part}] }`)
  expect(compared('objects')).toMatch(/^4 confidence is of a file that was not compared/)
  expect(compared('authentication')).toMatch(/^4 confidence is of a file that was not compared/)
  expect(compared('limits')).toBeUndefined()
})

it.each([
  ['{ date: 2026-11-26, file: 0123456789ab, parts: [person@acme.test] }', 'connected.parts.0 must be one of'],
  ['{ date: 2026-11-26, file: 0123456789ab, parts: [] }', 'connected.parts'],
  ['{ date: yesterday, file: 0123456789ab, parts: [baseUrl] }', 'connected.date'],
  ['{ date: 2026-11-26, file: v1, parts: [baseUrl] }', 'connected.file'],
  ['{ date: 2026-11-26, file: 0123456789ab, parts: [baseUrl], account: acme }', 'connected'],
])('a record of something else is refused: %s', (record, expected) => {
  expect(faultsOf(`connected: ${record}`)).toContain(expected)
})
