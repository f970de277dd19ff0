import { createHash } from 'node:crypto'
import type { Output } from '@mortise/client'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { connectedRecord, withRecord } from './connected-record.ts'

type Tested = Output<'testProviderFile'>

const now = new Date('2026-11-26T23:30:00Z')
const health = '\nhealthCheck: { path: /me }\n'
const file = `# Facts: see NOTICES. Nobody has connected an account with this file yet.
# Set by hand, so check it first: base.

name: acme
displayName: Acme
confidence: single

baseUrl: https://api.acme.test/v1
`
const request = { step: 'get' as const, method: 'GET', url: 'https://api.acme.test/v1/me', status: 200, durationMs: 1 }
const check = (name: 'healthCheck' | 'get') => ({ check: name, requests: [request], findings: [] })
const object = (objectName: string, requests = [request]) => ({
  ...{ objectName, requests, reads: [], records: 1, recordFields: ['secretField'], describedFields: 1, writes: [] },
  findings: [],
})
const tested = (more: Partial<Tested>): Tested => ({ ok: true, faults: [], checks: [], objects: [], ...more })
const recordOf = (text: string, more: Partial<Tested>) => connectedRecord(text, tested(more), now)

test('a record has the day, the version of the file, what worked and the objects that were requested', () => {
  expect(recordOf(file, { checks: [check('get')], objects: [object('contacts'), object('notes', [])] })).toEqual({
    date: '2026-11-26',
    file: createHash('sha256').update(file).digest('hex').slice(0, 12),
    parts: ['authentication', 'baseUrl', 'objects'],
    objects: ['contacts'],
  })
  expect(recordOf(file, {})).toBeUndefined()
})

test('a health check on another host says nothing of the base URL', () => {
  const partsOf = (text: string) => recordOf(text, { checks: [check('healthCheck')] })?.parts
  const own = ['authentication', 'baseUrl', 'healthCheck']
  expect(partsOf(file + health)).toEqual(own)
  expect(partsOf(`${file}healthCheck: { url: https://api.acme.test/v1/me }`)).toEqual(own)
  for (const url of ['https://login.acme.test/me', 'https://api.acme.test/v10/me'])
    expect(partsOf(`${file}healthCheck: { url: ${url} }`)).toEqual(['authentication', 'healthCheck'])
})

test('the file says what works in place of that nobody has tested it, and once', () => {
  const record = {
    date: '2026-11-26',
    file: '012345678912',
    parts: ['authentication', 'objects'],
    objects: ['a', '1b'],
  }
  const once = withRecord(file, record)
  expect(once).toBe(`# Facts: see NOTICES.
# Set by hand, so check it first: base.

name: acme
displayName: Acme
connected:
  date: 2026-11-26
  file: '012345678912'
  parts: [authentication, objects]
  objects:
    - "a"
    - "1b"

baseUrl: https://api.acme.test/v1
`)
  expect(parse(once)).toMatchObject({ connected: record, baseUrl: 'https://api.acme.test/v1' })
  const later = withRecord(once, { ...record, date: '2027-01-01', objects: [] })
  expect(parse(later)).toEqual({
    ...(parse(file) as object),
    confidence: undefined,
    connected: { date: '2027-01-01', file: '012345678912', parts: record.parts },
  })
})
