import { afterAll, beforeAll, expect, it } from 'vitest'
import { entryOf } from '../testing/provider.testkit.ts'
import { type EchoServer, startEchoServer } from './echo-server.testkit.ts'
import { leaks, requestFaults } from './request-faults.testkit.ts'
import { sampleCredentials } from './sample-credentials.ts'
import { defaultFaults, hostFaults, templateFaults, unknownUrls } from './url-faults.ts'

/** The suite of all providers finds what it looks for. */
let server: EchoServer

beforeAll(async () => {
  server = await startEchoServer()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const entry = entryOf(`name: test
baseUrl: 'https://{{workspace}}.example.com/api'
inputs: [{ name: workspace }]
authentication: [{ scheme: apiKey, attach: query, name: key }]
`)
const [sample] = sampleCredentials(entry)
if (sample === undefined) throw new Error('no sample')

it('a file of anybody can go through it', async () => {
  expect([...unknownUrls(entry), ...templateFaults(entry), ...defaultFaults(entry), ...hostFaults(entry)]).toEqual([])
  expect(await requestFaults(entry, sample, sample.placement, server)).toEqual([])
  expect(await leaks(entry, sample, server)).toEqual([])
})

it('a credential in another place than the declared one is found, and so is one that is missing', async () => {
  const elsewhere = { headers: { 'X-Key': 'x' }, query: {} }
  expect(await requestFaults(entry, sample, elsewhere, server)).toEqual([
    'GET /api: header X-Key is undefined',
    expect.stringContaining('a secret is elsewhere, too'),
  ])
  const renamed = { headers: {}, query: { token: 'x' } }
  expect(await requestFaults(entry, sample, renamed, server)).toContain('GET /api: ?token is []')
})

it('a secret in an error is found', async () => {
  // Part of what every error says.
  const found = await leaks(entry, { ...sample, secrets: ['auth_invalidated'] }, server)
  expect(found).toContainEqual(expect.stringContaining('401: message shows a secret'))
  expect(found).toContainEqual(expect.stringContaining('401: inspect shows a secret'))
})

it('a base URL that cannot be one is found', () => {
  const unknown = { ...entry, baseUrl: 'https' }
  expect(unknownUrls(unknown)).toEqual(['baseUrl'])
  expect(templateFaults(unknown)).toEqual([expect.stringContaining('baseUrl does not resolve')])
  expect(templateFaults({ ...entry, baseUrl: 'https://a@{{workspace}}.example.com' })).toHaveLength(1)
})

it('a default that does not fit is found', () => {
  expect(defaultFaults({ ...entry, inputs: [{ name: 'workspace', default: 'acme.example.com/' }] })).toEqual([
    expect.stringContaining('the default of workspace does not fit baseUrl'),
  ])
})
