import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

interface Tested {
  ok: boolean
  faults: { line: number; path: string; message: string }[]
  checks: {
    check: string
    requests: { step: string; method: string; url: string; status?: number }[]
    findings: { level: string; message: string }[]
  }[]
  objects: {
    objectName: string
    reads: { kind: string; request: string; because: string; step: string }[]
    requests: { step: string; method: string; url: string; status?: number }[]
    writes: { type: string; id?: string; outcome: string; message: string }[]
    records: number
    recordFields: string[]
    describedFields: number
    findings: { level: string; message: string }[]
  }[]
}

const sampleCrmProviders = fileURLToPath(new URL('../../../../../../examples/sample-crm/providers', import.meta.url))
const apiKey = 'a-secret-key-of-the-crm'
let app: TestApp
let crm: SampleCrm
let file: string
let connectionId: string
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 20, rateLimit: 0, apiKey })
  file = await readFile(join(sampleCrmProviders, 'sampleCrm.yaml'), 'utf8')
  const { body } = await app.call<{ id: string }>('POST', '/projects/default/connections:generate', {
    groupRef: 'acme',
    consumerRef: 'person',
    provider: 'sampleCrm',
    apiKey,
    providerMetadata: { url: crm.url },
  })
  connectionId = body.id
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})

const tryFile = async (text: string, more: object = {}) => {
  const path = `/projects/default/connections/${connectionId}/provider-file:test`
  const { status, body } = await app.call<Tested>('POST', path, { name: 'sampleCrm.yaml', text, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(JSON.stringify(body)).not.toContain(apiKey)
  return body
}
const findingsOf = ({ objects }: Tested, name = 'contacts') =>
  objects.find(({ objectName }) => objectName === name)?.findings.map(({ level, message }) => `${level} ${message}`)

/** The same provider without objects, as files that say only how to connect. */
const connectOnly = (health: string) =>
  `name: sampleCrm
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
${health}`

describe('a file without objects', () => {
  const check = 'healthCheck: { path: /me }'

  test('is tried by its health check, and by a path that the person names', async () => {
    expect(await tryFile(connectOnly(check))).toMatchObject({
      ok: true,
      objects: [],
      checks: [{ check: 'healthCheck', requests: [{ step: 'healthCheck', status: 200 }], findings: [] }],
    })
    const named = await tryFile(connectOnly(''), { get: '/contacts?limit=1' })
    expect(named).toMatchObject({ ok: true, checks: [{ check: 'get', findings: [] }] })
    expect(named.checks[0]?.requests[0]?.url).toBe(`${crm.url}/contacts?limit=1`)
    expect(await tryFile(connectOnly(''))).toMatchObject({ ok: true, checks: [], objects: [] })
  })

  test('with a wrong path, a path elsewhere or a wrong credential has an error', async () => {
    const statuses = async (health: string, get?: string) => {
      const { ok, checks } = await tryFile(connectOnly(health), get === undefined ? {} : { get })
      return [ok, ...checks.map(({ findings }) => findings[0]?.message)]
    }
    expect(await statuses('healthCheck: { path: /nowhere }')).toEqual([false, expect.stringContaining('healthCheck:')])
    expect(await statuses('', '/nowhere')).toEqual([false, expect.stringContaining('get:')])
    for (const get of ['//evil.example/', '/../etc', '/a#b', '/\\\\evil.example'])
      expect([get, await statuses('', get)]).toEqual([get, [false, expect.stringMatching(/^get: The path/)]])
    expect(await statuses('placeholders: [baseUrl]', '/me')).toEqual([false, expect.stringContaining('no confirmed')])
    const elsewhere = 'healthCheck: { url: https://evil.example/ }'
    expect(await statuses(elsewhere)).toEqual([false, expect.stringContaining('Nothing was sent.')])
    const path = `/projects/default/connections/${connectionId}/provider-file:test`
    const body = { name: 'sampleCrm.yaml', text: connectOnly(''), get: 'me' }
    expect((await app.call('POST', path, body)).status).toBe(400)
  })
})

describe('a file is tried', () => {
  test('that works: each object is described and read, with its requests and its fields', async () => {
    const tested = await tryFile(file)
    expect(tested).toMatchObject({ ok: true, faults: [] })
    expect(tested.objects.map(({ objectName }) => objectName)).toEqual(['contacts', 'companies'])
    const [contacts] = tested.objects
    expect(contacts).toMatchObject({ records: 1, findings: [] })
    expect(contacts?.describedFields).toBeGreaterThan(10)
    expect(contacts?.recordFields).toContain('email')
    const asked = contacts?.requests.map(({ step, url, status }) => {
      const { pathname, searchParams } = new URL(url)
      return [status, step, pathname, ...searchParams.keys()].join(' ')
    })
    expect(asked).toEqual([
      '200 describe /schema/contacts',
      '200 backfill /contacts limit',
      '200 backfill /contacts limit cursor',
      '200 scheduled /contacts limit updated_since updated_before',
      '200 scheduled /contacts limit updated_since updated_before',
      '200 scheduled /contacts limit cursor updated_since updated_before',
      '200 future /contacts limit updated_since updated_before',
    ])
    expect(contacts?.reads).toEqual([
      { kind: 'backfill', request: 'read', because: 'the full history is read', step: 'backfill' },
      { kind: 'triggered', request: 'read', because: 'the full history is read', step: 'backfill' },
      { kind: 'scheduled', request: 'incremental.read', because: 'the window has a beginning', step: 'scheduled' },
    ])
    expect(contacts?.writes).toEqual([])
  })

  test('with writes that the application refuses, where that is asked for: it says what came, and nothing is written', async () => {
    const refused = file.replace(
      "update: { path: '/contacts/{{id}}' }",
      "update: { path: '/contacts/{{id}}', refused: { score: banana } }",
    )
    const { objects, ok } = await tryFile(refused, { objects: ['contacts'], writes: true })
    expect(ok).toBe(true)
    expect(objects[0]?.writes).toEqual([
      { type: 'update', id: expect.any(String), outcome: 'refused', message: expect.stringContaining('score') },
    ])
    expect(objects[0]?.requests.filter(({ step }) => step === 'write')).toMatchObject([
      { method: 'PATCH', status: 400 },
    ])
    expect((await tryFile(refused, { objects: ['contacts'] })).objects[0]?.writes).toEqual([])
  })

  test('for one object alone', async () => {
    const { objects } = await tryFile(file, { objects: ['companies'] })
    expect(objects.map(({ objectName }) => objectName)).toEqual(['companies'])
    expect(await tryFile(file, { objects: ['nothing'] })).toMatchObject({ ok: false, objects: [] })
  })

  test('with an object that is only written: described, and not read', async () => {
    const calls =
      '  calls:\n    fields: [{ source: static, fields: { title: string } }]\n    write: { create: { path: /calls } }\n'
    const tested = await tryFile(file.replace(/^objects:\n/m, `$&${calls}`), { objects: ['calls'] })
    expect(tested).toMatchObject({
      ok: true,
      objects: [{ requests: [], records: 0, describedFields: 1, findings: [] }],
    })
  })

  test('that is no provider file: all that is wrong, with lines, and nothing is asked', async () => {
    const before = crm.counters().requests
    const { ok, faults, objects } = await tryFile(`${file}\nnonsense: 1\n`)
    expect([ok, objects]).toEqual([false, []])
    expect(faults).toMatchObject([{ line: file.split('\n').length + 1, path: 'nonsense' }])
    expect((await tryFile('{{{')).faults.length).toBeGreaterThan(0)
    expect(crm.counters().requests).toBe(before)
  })

  test('whose path leads nowhere', async () => {
    const tested = await tryFile(file.replace('path: /contacts', 'path: /people'))
    expect(tested.ok).toBe(false)
    expect(findingsOf(tested)).toContainEqual(expect.stringMatching(/^error read: .*not_found/))
  })

  test('whose records are elsewhere', async () => {
    const tested = await tryFile(file.replaceAll('records: data', 'records: items'))
    expect(findingsOf(tested)).toContainEqual(expect.stringMatching(/^error read: .*items/))
  })

  test('whose paging moves a parameter that the provider does not know', async () => {
    const tested = await tryFile(file.replace("offset: '{{offset}}'", "start: '{{offset}}'"))
    const companies = findingsOf(tested, 'companies')
    expect(companies?.some((finding) => /^error next page/.test(finding))).toBe(true)
  })

  test('that forgets to page', async () => {
    const tested = await tryFile(
      file.replace("offset: '{{offset}}'", "other: '0'").replace('paging: { kind: offset }', 'paging: { kind: none }'),
    )
    expect(findingsOf(tested, 'companies')).toContainEqual(
      expect.stringMatching(/^error next page: there are \d+ records/),
    )
  })

  test('that describes fewer fields than records have', async () => {
    const fields = 'fields: [{ source: static, fields: { id: string, name: string } }]'
    const tested = await tryFile(
      file.replace('displayName: Companies\n    like: described', `displayName: Companies\n    ${fields}`),
    )
    expect(findingsOf(tested, 'companies')).toContainEqual(expect.stringMatching(/^warning describe: .*city/))
  })
})

describe('the credential', () => {
  test('goes nowhere but to the provider of the connection', async () => {
    let asked = 0
    const elsewhere = createServer((_, response) => {
      asked++
      response.end('{}')
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
    const tested = await tryFile(file.replace("baseUrl: '{{url}}'", `baseUrl: ${url}`))
    elsewhere.close()
    expect(asked).toBe(0)
    expect(tested.ok).toBe(false)
    expect(findingsOf(tested)).toContainEqual(expect.stringContaining('Nothing was sent.'))
  })

  test('is attached as the provider’s own file says, and in no answer', async () => {
    const tested = await tryFile(file.replace('name: X-Api-Key', 'name: X-Other'))
    expect(tested.ok).toBe(true)
  })

  test('stays as it is when a request of the file is refused', async () => {
    const status = async () =>
      (await app.call<{ status: string }>('GET', `/projects/default/connections/${connectionId}`)).body.status
    const before = await status()
    crm.failNext(2, 401)
    expect((await tryFile(file, { objects: ['contacts'] })).ok).toBe(false)
    expect(await status()).toBe(before)
  })
})

test('a file of another provider is not tried', async () => {
  const path = `/projects/default/connections/${connectionId}/provider-file:test`
  const text = file.replace('name: sampleCrm', 'name: otherCrm')
  expect(await app.call('POST', path, { name: 'otherCrm.yaml', text })).toMatchObject({
    status: 200,
    body: { ok: false, faults: [{ path: 'name' }], objects: [] },
  })
})

test('a connection that is not there, and a file that is too large or named like a path, are refused', async () => {
  const of = (id: string) => `/projects/default/connections/${id}/provider-file:test`
  const body = { name: 'sampleCrm.yaml', text: file }
  for (const id of [newId(), 'nothing'])
    expect(await app.call('POST', of(id), body)).toMatchObject({
      status: 404,
      body: { context: { code: 'connection-not-found' } },
    })
  for (const bad of [{ text: '#'.repeat(262_145) }, { name: '../sampleCrm.yaml' }, { name: 'sampleCrm.json' }])
    expect((await app.call('POST', of(connectionId), { ...body, ...bad })).status).toBe(400)
})
