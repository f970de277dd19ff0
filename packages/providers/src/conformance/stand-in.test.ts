import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ProviderEntry } from '../catalogue/entry.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { objectCases } from './object-cases.ts'
import { type StandInServer, startStandIns } from './stand-in/server.ts'
import { type Subject, subjectsOf } from './stand-in/subject.ts'
import { caseName } from './tried.ts'

/** The suite of all objects finds what it looks for: an interpreter that follows another file than the stand-in. */
let server: StandInServer

beforeAll(async () => {
  server = await startStandIns()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const declared = `read:
  path: /things
  query: { limit: '{{pageSize}}', cursor: '{{cursor}}', since: '{{since}}', state: all }
  records: data.items
  total: data.total
  paging: { kind: cursor, next: next }
incremental: { format: unix }
deletions: { when: { gone: true } }
listIds: { query: { state: ids } }
write:
  answer: { data: thing, success: { ok: true } }
  create: { path: /things }
  update: { path: '/things/{{id}}' }
  delete: { path: '/things/{{id}}' }`

function subjectOf(file: string): Subject {
  const [subject] = subjectsOf(thingsProvider(file)).subjects
  if (subject === undefined) throw new Error('no object')
  return subject
}

/** What the suite finds if the connector follows another file than the stand-in. */
async function faultsOf(entry: ProviderEntry, subject = subjectOf(declared)): Promise<string[]> {
  const other = { ...subject, entry }
  const cases = await objectCases(other, server)
  return cases.flatMap((tried) => tried.faults.map((fault) => `${caseName(tried)}: ${fault}`))
}

it('a connector that follows the file has no faults', async () => {
  expect(await faultsOf(thingsProvider(declared))).toEqual([])
})

const periods = `read:
  path: /things
  query: { from: '{{period.start}}', to: '{{period.end}}', cursor: '{{cursor}}' }
  records: data.items
  paging: { kind: cursor, next: next }
  periods: { format: date, days: 31, overlapDays: 5, from: '2026-01-01', aheadDays: 60 }`

it.each([
  ['longer', 'days: 31', 'days: 32'],
  ['without an overlap', 'overlapDays: 5, ', ''],
  ['that end too early', 'aheadDays: 60', 'aheadDays: 59'],
  ['that begin too late', '2026-01-01', '2026-01-02'],
])('the list of a period refuses periods %s', async (_, text, other) => {
  expect(await faultsOf(thingsProvider(periods), subjectOf(periods))).toEqual([])
  const faults = await faultsOf(thingsProvider(periods.replace(text, other)), subjectOf(periods))
  expect(faults).toContainEqual(expect.stringContaining('full: refused: GET /api/things: query'))
})

const wide = declared
  .replace(
    '  records: data.items\n',
    `  records: data.items
  fieldsAlways: [id]
  fieldsPerRequest:
    bytes: 500
    version: changed
    request: { method: POST, path: /by-ids, body: { ids: { $value: ids }, fields: { $value: fields } }, max: 2 }
`,
  )
  .replace('state: all', "state: '{{fields}}'")

it('fields that need two requests are read by those that the file declares', async () => {
  expect(await faultsOf(thingsProvider(wide), subjectOf(wide))).toEqual([])
  const other = wide.replace('path: /by-ids', 'path: /others')
  expect(await faultsOf(thingsProvider(other), subjectOf(wide))).toContainEqual(
    expect.stringContaining('wide: refused: POST /api/others'),
  )
})

it('a provider that counts fields is tried with one more than it takes', async () => {
  const counted = wide.replace('bytes: 500', 'count: 4')
  expect(await faultsOf(thingsProvider(counted), subjectOf(counted))).toEqual([])
  const more = wide.replace('bytes: 500', 'count: 5')
  expect(await faultsOf(thingsProvider(more), subjectOf(counted))).toContainEqual(
    expect.stringContaining('wide: refused:'),
  )
})

it.each([
  ['another path', 'path: /things\n', 'path: /others\n', 'full: refused: GET /api/others: address'],
  ['a fixed parameter is missing', ', state: all', '', 'full: refused: GET /api/things: query limit=3, declared:'],
  ['another parameter', 'state: all', 'state: all, more: 1', 'full: refused: GET /api/things: query limit=3,more=1'],
  ['no further pages', 'next: next }', 'next: other }', 'full: 3 records'],
  ['another parameter of the page', "cursor: '{{cursor}}'", "after: '{{cursor}}'", 'full: refused:'],
  ['no window', "since: '{{since}}'", "until: '{{since}}'", 'window: refused:'],
  ['a window in another format', 'format: unix', 'format: date', 'window: refused:'],
  ['deleted records are not marked', 'gone: true', 'gone: other', 'deletions: deleted [], not ['],
  ['a list of ids is another', 'state: ids', 'state: others', 'ids: refused: GET /api/things: query'],
  ['records are elsewhere', 'records: data.items', 'records: items', 'full: fails: ProviderError'],
  ['another id', 'records: data.items', 'records: data.items\n  id: note', 'full: 7 records [A record'],
  ['no total', '  total: data.total\n', '', 'full: no total'],
  [
    'another method',
    "update: { path: '/things/{{id}}' }",
    "update: { method: PUT, path: '/things/{{id}}' }",
    'update success: refused: PUT',
  ],
  [
    'another body',
    'create: { path: /things }',
    'create: { path: /things, body: { a: 1 } }',
    'create success: refused: POST',
  ],
  [
    'a write of another record',
    "delete: { path: '/things/{{id}}' }",
    "delete: { path: '/others/{{id}}' }",
    'delete success: refused: DELETE',
  ],
  ['a refusal is a success', ', success: { ok: true }', '', 'create no success: Error: a success'],
  ['the id of the written record is elsewhere', 'data: thing', 'data: other', 'create success: the id is undefined'],
])('it finds that %s', async (_, part, instead, fault) => {
  expect(declared).toContain(part)
  const faults = await faultsOf(thingsProvider(declared.replace(part, instead)))
  expect(faults).toContainEqual(expect.stringContaining(fault))
})

it.each(['seconds', 'milliseconds', 'unix', 'unixMs', 'date'])(
  'a limit that headers report is kept until the time that they have as %s',
  async (format) => {
    const entry = thingsProvider(
      declared,
      `errors: { limitHeaders: { remaining: Left, reset: At, format: ${format} } }`,
    )
    const [subject] = subjectsOf(entry).subjects
    if (subject === undefined) throw new Error('no object')
    const cases = await objectCases(subject, server)
    expect(cases.filter((tried) => caseName(tried) === 'limit headers')).toMatchObject([{ faults: [] }])
  },
)

const sheet = `read: { path: /things, records: values, id: row, rows: { mayBeShort: true, number: row } }`
const pagedSheet = `read:
  path: /things
  query: { from: '{{offset}}', size: '{{pageSize}}' }
  records: values
  id: row
  unwrap: cells
  rows: { columns: names, value: v, number: row }
  paging: { kind: offset, first: 2 }`
const query = `read:
  method: POST
  path: /queries
  body: { text: all }
  records: data
  rows: { columns: meta.columns, name: name }
  paging:
    kind: result
    id: handle
    keep: { place: at }
    pending: { when: { done: false } }
    parts: meta.parts
    count: meta.count
    request: { path: '/queries/{{result.id}}', query: { part: '{{result.part}}', at: '{{result.place}}' } }`

it.each([
  ['a sheet', sheet],
  ['a sheet in pages', pagedSheet],
  ['the result of a query', query],
])('%s is read as its file says', async (_, file) => {
  expect(await faultsOf(thingsProvider(file), subjectOf(file))).toEqual([])
})

it.each([
  ['rows have another number', pagedSheet, 'number: row', 'number: other', 'full: 7 records'],
  ['columns are elsewhere', query, 'columns: meta.columns', 'columns: columns', 'full: fails: ProviderError'],
  ['the result is elsewhere', query, "part: '{{result.part}}', ", '', 'must use {{result.part}}'],
  ['the result has another id', query, 'id: handle', 'id: other', 'full: fails: ProviderError'],
  ['a value of the result is not sent', query, "at: '{{result.place}}'", "at: '{{result.id}}'", 'full: refused: GET'],
  ['another answer means that it runs', query, 'done: false', 'done: no', 'full: fails: ProviderError'],
])('it finds that %s', async (_, file, part, instead, fault) => {
  expect(file).toContain(part)
  const faults = await Promise.resolve(file.replace(part, instead))
    .then((other) => faultsOf(thingsProvider(other), subjectOf(file)))
    .catch((error: unknown) => [String(error)])
  expect(faults).toContainEqual(expect.stringContaining(fault))
})

it('a credential in another place is refused', async () => {
  const entry = thingsProvider(declared)
  const moved: ProviderEntry = { ...entry, authentication: [{ scheme: 'apiKey', attach: 'header', name: 'X-Other' }] }
  expect(await faultsOf(moved)).toContain('full: refused: the credential is not in the header X-Api-Key')
})

it('a header that the file does not declare is refused', async () => {
  const entry = thingsProvider(declared.replace('path: /things\n', "path: /things\n  headers: { X-Version: '2' }\n"))
  expect(await faultsOf(entry)).toContain('full: refused: headers x-version')
})

it('a window that is the same as a full read is found', async () => {
  const unused = "expressions: { from: { parts: ['{{since}}'] } }"
  const same = subjectOf(
    declared.replace("since: '{{since}}', ", '').replace('path: /things\n', `path: /things\n  ${unused}\n`),
  )
  expect(await faultsOf(same.entry, same)).toContain('window: the request is the same as that of a full read')
})
