import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ProviderEntry } from '../catalogue/entry.ts'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { entryOf } from '../testing/provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { type StandInServer, startStandIns } from './stand-in/server.ts'
import { type DeclaredStream, declaredStreams, streamCases } from './stream-cases.ts'

/** Tries the streams of every provider as its file declares them. */
const catalogue = await loadCatalogue({ cacheDir: testCache })
const all = catalogue.list().flatMap((entry) => declaredStreams(entry).map((declared) => ({ entry, declared })))
let server: StandInServer

beforeAll(async () => {
  server = await startStandIns()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

async function faultsOf(entry: ProviderEntry, declared: DeclaredStream & { entry: ProviderEntry }): Promise<string[]> {
  const cases = await streamCases(entry, declared, server)
  return cases.flatMap(({ name, faults, because }) =>
    [...faults, ...(because === undefined ? [] : [`not tried: ${because}`])].map((fault) => `${name}: ${fault}`),
  )
}

it('the catalog has a stream', () => expect(all.map(({ entry }) => entry.name)).toContain('salesforce'))

it.each(all.map(({ entry, declared }) => [`${entry.name} ${declared.module}`.trim(), entry, declared] as const))(
  '%s',
  async (_, entry, declared) => {
    expect((await faultsOf(entry, { ...declared, entry })).join('\n')).toBe('')
  },
)

const file = `name: test
baseUrl: https://{{workspace}}.example.com/api
inputs: [{ name: workspace }]
headers: { X-Version: '2' }
authentication:
  - { scheme: oauth2, grantType: authorizationCode, authUrl: https://example.com/authorize, tokenUrl: https://example.com/token }
objects:
  contacts: { read: { path: /contacts, records: data } }
stream:
  protocol: pubSub
  host: events.example.com:7443
  lookups:
    - { name: account, path: /me, query: { of: '{{workspace}}' }, value: account.id }
    - { name: organization, method: POST, path: '/accounts/{{account}}', body: { fields: [org] }, value: org }
  headers: { token: '{{accessToken}}', org: '{{account}}/{{organization}}' }
  topics: [{ match: '^(?<result>.+)__c$', topic: '/custom/{{result}}' }, { topic: '/{{object}}' }]
  event: { name: of.type, ids: of.ids, idPattern: '[0-9a-z-]+', time: at, fieldsUpdated: of.fields, record: data.record }
  missed: [lost]
  events: { create: [made], update: [changed, touched], delete: [erased] }
`

async function faultsWith(text: string, declared: string): Promise<string[]> {
  const entry = entryOf(declared)
  const [stream] = declaredStreams(entry)
  if (stream === undefined) throw new Error('no stream')
  return faultsOf(entryOf(text), { ...stream, entry })
}

it('a stream with two lookups is as its file says', async () => {
  expect(await faultsWith(file, file)).toEqual([])
})

it.each([
  ['another lookup', 'path: /me', 'path: /account', 'connect: fails: ProviderError'],
  ['another parameter', "of: '{{w", "in: '{{w", 'connect: fails: ProviderError'],
  ['another value', 'account.id', 'account.name', 'connect: fails: ProviderError'],
  ['another body', '[org]', '[id]', 'connect: fails: ProviderError'],
  ['another fixed header', "'2'", "'3'", 'connect: fails: ProviderError'],
  [
    'another topic',
    "topic: '/{{object}}'",
    "topic: '/data/{{object}}'",
    'topics: the topic of contacts is /data/contacts',
  ],
  ['another name', 'name: of.type', 'name: of.name', 'create made: there is no event'],
  ['other ids', 'ids: of.ids', 'ids: of.id', 'create made: records: []'],
  ['another pattern', "'[0-9a-z-]+'", "'[0-9a-z*-]+'", 'other ids: 101*: the object is not read'],
  ['another time', 'time: at', 'time: time', 'create made: time: undefined'],
  ['other fields', 'fieldsUpdated: of.fields', 'fieldsUpdated: of.changes', 'create made: changed fields: undefined'],
  ['another missed event', 'missed: [lost]', 'missed: [gap]', 'missed lost: the object is not read'],
  ['another kind', 'update: [changed, touched]', 'update: [changed]', 'update touched: its kind is not update'],
  ['another header of the call', "token: '{{accessToken}}'", "key: '{{accessToken}}'", 'connect: headers {"key"'],
])('it finds that there is %s', async (_, part, instead, fault) => {
  expect(file).toContain(part)
  expect(await faultsWith(file.replace(part, instead), file)).toContainEqual(expect.stringContaining(fault))
})
