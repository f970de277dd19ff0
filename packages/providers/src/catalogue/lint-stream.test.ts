import { expect, it } from 'vitest'
import { readProviderFile } from './read-provider-file.ts'

const file = ({
  scheme = '{ scheme: oauth2, grantType: authorizationCode, authUrl: https://x.test/a, tokenUrl: https://x.test/t }',
  host = 'events.example.com:7443',
  headers = "{ accesstoken: '{{accessToken}}', tenantid: '{{org}}' }",
  topic = "{ topic: '/data/{{object}}' }",
  events = '{ create: [CREATE] }',
  more = '',
}) => `name: test
baseUrl: https://api.test
authentication: [${scheme}]
objects: { things: { read: { path: /things } } }
stream:
  protocol: pubSub
  host: ${host}
  lookups: [{ name: org, path: /me, value: org }]
  headers: ${headers}
  topics: [${topic}]
  event: { name: type, ids: ids }
  events: ${events}
${more}
`
const faultsOf = (text: string) => readProviderFile('test.yaml', text).faults?.map(({ path }) => path) ?? []

it('a stream that says everything passes', () => {
  expect(faultsOf(file({}))).toEqual([])
  expect(faultsOf(file({ topic: "{ match: '^(?<result>.+)__c$', topic: '{{result}}' }" }))).toEqual([])
})

it.each([
  ['a key without OAuth', { scheme: '{ scheme: apiKey, attach: header, name: X }' }, 'stream.protocol'],
  ['a host without a port', { host: 'events.example.com' }, 'stream.host'],
  ['a host with a variable', { host: "'{{workspace}}.example.com:443'" }, 'stream.host'],
  ['a port that does not exist', { host: 'events.example.com:70000' }, 'stream.host'],
  ['a header of binary values', { headers: '{ token-bin: a }' }, 'stream.headers.token-bin'],
  ['a header of the protocol', { headers: '{ grpc-timeout: 1S }' }, 'stream.headers.grpc-timeout'],
  ['a header in capitals', { headers: '{ Token: a }' }, 'stream.headers.Token'],
  ['an unknown variable', { headers: "{ token: '{{other}}' }" }, 'stream.headers.token'],
  ['a result of nothing', { topic: "{ topic: '{{result}}' }" }, 'stream.topics.0.topic'],
  ['a pattern without a result', { topic: "{ match: '^a', topic: b }" }, 'stream.topics.0.match'],
  ['no events', { events: '{}' }, 'stream.events'],
  [
    'webhooks, too',
    {
      more: 'webhooks: { endpoint: installation, verify: { by: token, header: X, secret: { from: generated } }, event: { name: type, id: [id] }, objects: { things: { create: [a] } } }',
    },
    'stream',
  ],
])('%s is refused', (_, parts, path) => {
  expect(faultsOf(file(parts))).toContain(path)
})
