import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'
import { crm } from './crm.testkit.ts'

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-learn-'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function mortise(...args: string[]) {
  const terminal = testTerminal({ cwd })
  const code = await run(['provider', ...args], terminal)
  return { code, ...terminal.output() }
}

let files = 0
/** Learns from a document, and checks the file that is written. */
async function learn(document: unknown) {
  const name = `learned${files++}`
  await writeFile(join(cwd, `${name}.json`), typeof document === 'string' ? document : JSON.stringify(document))
  const learned = await mortise('learn', `${name}.json`, '--out', `${name}.yaml`)
  if (learned.code !== 0) return { ...learned, text: '', file: {} }
  expect(await mortise('check', `${name}.yaml`)).toMatchObject({ code: 0, stdout: '' })
  const text = await readFile(join(cwd, `${name}.yaml`), 'utf8')
  return { ...learned, text, file: parse(text) }
}

describe('a provider file is learned from an OpenAPI document', () => {
  test('with base URL, inputs, authentication and health check', async () => {
    expect((await learn(crm)).file).toMatchObject({
      displayName: 'Small CRM',
      baseUrl: 'https://{{region}}.crm.example.com/v2',
      inputs: [{ name: 'region', default: 'eu' }],
      authentication: [
        {
          scheme: 'oauth2',
          grantType: 'authorizationCode',
          authUrl: 'https://crm.example.com/authorize',
          tokenUrl: 'https://crm.example.com/token',
          scopeDescriptions: { read: 'Read records' },
        },
        { scheme: 'apiKey', attach: 'header', name: 'X-Api-Key' },
        { scheme: 'apiKey', schemeName: 'apiKey2', attach: 'header', name: 'Authorization', prefix: 'Bearer ' },
        { scheme: 'basic' },
      ],
      healthCheck: { path: '/me' },
    })
  })

  test('with lists, pages, windows, writes and fields of each resource', async () => {
    const { objects } = (await learn(crm)).file
    expect(objects.contacts).toEqual({
      read: {
        path: '/contacts',
        query: { limit: '{{pageSize}}', cursor: '{{cursor}}' },
        pageSizeMax: 250,
        records: 'data',
        total: 'meta.total',
        paging: { kind: 'cursor', next: 'meta.next_cursor' },
      },
      incremental: { read: { query: { updated_since: '{{since}}', updated_until: '{{until}}' } } },
      write: {
        create: { path: '/contacts', body: { contact: { $value: 'record' } }, answer: { data: 'contact' } },
        update: { path: '/contacts/{{id}}', answer: { data: 'contact' } },
        delete: { path: '/contacts/{{id}}' },
      },
      get: { path: '/contacts/{{id}}', record: 'contact' },
      fields: [
        {
          source: 'static',
          fields: {
            id: { valueType: 'string', readOnly: true },
            email: { valueType: 'string', isRequired: true },
            stage: { valueType: 'singleSelect', values: [{ value: 'lead' }, { value: 'customer' }] },
            score: 'float',
            visits: 'int',
            active: 'boolean',
            born: 'date',
            updated_at: 'datetime',
            tags: 'other',
          },
        },
      ],
    })
    expect(objects.companies).toMatchObject({
      read: { paging: { kind: 'page', first: 0 }, query: { page: '{{page}}', per_page: '{{pageSize}}' }, id: 'uuid' },
      incremental: { filter: { timestamp: 'modifiedAt' } },
      write: { update: { method: 'PUT', path: '/companies/{{id}}', encoding: 'form' } },
    })
    expect(objects.deals.read).toMatchObject({ records: 'deals', paging: { kind: 'nextUrl', next: 'links.next' } })
    expect(objects.events.read.paging).toEqual({ kind: 'keyset', more: 'has_more' })
    expect(objects.notes.read.paging).toEqual({ kind: 'linkHeader' })
    expect(objects.tasks.read).toMatchObject({ query: { start: '{{offset}}' }, paging: { kind: 'offset' } })
  })

  test('with lists per parent, where the parents are listed', async () => {
    const { file, stderr } = await learn(crm)
    expect(file.objects.members.read).toMatchObject({
      path: '/companies/{{parent.uuid}}/members',
      each: { path: '/companies', id: 'uuid', paging: { kind: 'page' } },
    })
    expect(stderr).toContain(
      'left out, because no list has the values of {region}: /regions/{region}/offices. If customers enter them: --input region',
    )
  })

  test('and what is not known is in the summary, and in the file at the top or at the object', async () => {
    const { stderr, text } = await learn(crm)
    for (const sentence of [
      'tags: paging unknown: the parameters are color, sort',
      'tags: the id is unknown',
      '/reports is left out: it needs the parameter quarter',
      'authentication: session is left out: keys in cookies are not supported',
      'deals: the largest page is unknown',
    ]) {
      expect(stderr).toContain(sentence)
      const [about = '', note = ''] = sentence.split(': ')
      if (['tags', 'deals'].includes(about))
        expect(text).toMatch(new RegExp(`# ${note}.*\\n( +# .*\\n)* +${about}:\\n`))
      else expect(text).toContain(`# - ${sentence}`)
    }
    expect(stderr).toMatch(/^8 objects of 10 lists: contacts, /)
  })

  test('to stdout, from YAML, under the name of the title', async () => {
    await writeFile(join(cwd, 'api.yaml'), 'openapi: 3.0.0\ninfo: { title: Acme Sales API v2 }\npaths: {}\n')
    const { code, stdout } = await mortise('learn', 'api.yaml')
    expect(code).toBe(0)
    expect(parse(stdout)).toMatchObject({
      name: 'acmeSales',
      baseUrl: '{{baseUrl}}',
      authentication: [{ scheme: 'none' }],
    })
  })
})

const circle = { $ref: '#/components/schemas/Circle' }
const odd: [string, unknown][] = [
  ['nothing but a version', { openapi: '3.1.0' }],
  ['values of other types', { openapi: '3.0.0', info: 7, servers: 'x', paths: [1], components: [], security: {} }],
  [
    'values of other types, deeper',
    {
      openapi: '3.0.0',
      servers: [{ url: 'https://{a}/{b}', variables: 3 }],
      paths: {
        '/a': { get: null },
        '/b': { get: { responses: 4, parameters: {} } },
        '/c': { parameters: [null], get: 1 },
      },
      components: {
        securitySchemes: { a: null, b: { type: 'oauth2' }, c: { type: 'apiKey', in: 'header', name: 'a b' } },
      },
    },
  ],
  [
    'circles of references',
    {
      openapi: '3.0.0',
      servers: [{ url: 'https://api.example.com' }],
      paths: {
        '/circles': { $ref: '#/paths/~1circles' },
        '/a': listPath(circle),
        '/b': { get: { parameters: [circle] } },
      },
      components: {
        schemas: { Circle: { allOf: [circle], properties: { self: circle, items: { type: 'array', items: circle } } } },
      },
    },
  ],
  [
    'references to other documents',
    {
      openapi: '3.0.0',
      paths: { '/a': listPath({ $ref: 'https://evil.example/x.json' }), '/b': { $ref: '../secrets.yaml#/x' } },
    },
  ],
  [
    'hostile names',
    {
      openapi: '3.0.0',
      info: { title: '__proto__\n\u0000{{x}}\n# y: [' },
      servers: [{ url: 'https://api.example.com/{{x}}' }],
      paths: {
        '/{{evil}}/a': listPath({ type: 'object' }),
        '/a\n# b': listPath({ type: 'object' }),
        '/__proto__': listPath({
          type: 'object',
          properties: JSON.parse('{"__proto__": {"type": "string"}, "{{x}}": {}}'),
        }),
        '/constructor': listPath({
          type: 'object',
          properties: { 'a.b': { type: 'string', enum: ['{{x}}', ''] }, '': {} },
        }),
        '/a{b': listPath({ type: 'object' }),
      },
    },
  ],
  ['a host that is a variable', { openapi: '3.0.0', servers: [{ url: 'https://{host}', variables: { host: {} } }] }],
  ['a base URL without encryption', { openapi: '3.0.0', servers: [{ url: 'http://api.example.com/v1' }] }],
  ['a relative base URL', { openapi: '3.0.0', servers: [{ url: '/v1' }] }],
  [
    'parameters with templates',
    {
      openapi: '3.0.0',
      paths: {
        '/a': {
          get: {
            ...listPath({ type: 'object' }).get,
            parameters: [
              { in: 'query', name: '{{x}}', required: true, schema: { default: 'a' } },
              { in: 'query', name: 'limit', schema: { maximum: -3 } },
              { in: 'header', name: 'a b', required: true, schema: { default: 'c' } },
              { in: 'query', name: 'cursor', required: true, schema: { default: '{{y}}' } },
            ],
          },
        },
      },
    },
  ],
]

function listPath(items: object) {
  return { get: { responses: { 200: { content: { 'application/json': { schema: { type: 'array', items } } } } } } }
}

describe('the file that is written passes its check, whatever the document is', () => {
  test.each(odd)('%s', async (_, document) => {
    expect(await learn(document)).toMatchObject({ code: 0, stdout: '' })
  })

  test('a document with more than a provider file may have', async () => {
    const choices = Array.from({ length: 20 }, (_, at) => `a rather long choice with the number ${at}`)
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`property${at}`, { type: 'string', enum: choices }]),
    )
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`/list${at}`, listPath({ type: 'object', properties })]),
    )
    const { code, stderr } = await learn({ openapi: '3.0.0', servers: [{ url: 'https://a.example.com' }], paths })
    expect(code).toBe(0)
    expect(stderr).toContain('the choices of fields are left out: the file would be too large')
  })

  test('a name of a built-in provider', async () => {
    await writeFile(join(cwd, 'any.json'), JSON.stringify(crm))
    expect(await mortise('learn', 'any.json', '--out', 'salesforce.yaml')).toMatchObject({ code: 0 })
    expect(await mortise('check', 'salesforce.yaml')).toMatchObject({ code: 0 })
  })
})

describe('what is not a document is a wrong command line', () => {
  test.each([
    ['neither JSON nor YAML', '{"openapi": ', 'neither valid JSON nor valid YAML'],
    ['a text', 'hello', 'is not an OpenAPI document or a HAR recording'],
    ['a list', '[1]', 'is not an OpenAPI document or a HAR recording'],
    ['an empty file', '', 'is not an OpenAPI document or a HAR recording'],
    ['bytes', '\u0000\u0001\ufffd', 'learned'],
    ['another object', '{"a": 1}', 'it has no key "openapi" or "log"'],
    ['Swagger 2.0', '{"swagger": "2.0"}', 'Convert it to OpenAPI 3'],
    ['an empty recording', '{"log": {"entries": []}}', 'has no response in JSON'],
    ['many levels of YAML', '['.repeat(20_000), 'neither valid JSON nor valid YAML'],
    [
      'aliases of aliases',
      `a: &a [x,x]\n${'bcdefghijk'.replace(/./g, (n) => `${n}: &${n} [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n`)}`,
      'valid YAML',
    ],
    ['50 MB', `{"openapi": "3.0.0", "x": "${'x'.repeat(50 * 1024 * 1024)}"}`, 'is larger than 32 MB'],
    ['20 MB of YAML', `openapi: 3.0.0\nx: ${'x'.repeat(20 * 1024 * 1024)}`, 'Convert it to JSON'],
  ])('%s', async (_, text, message) => {
    const { code, stdout, stderr } = await learn(text)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/\n +at /)
  })

  test('a file that does not exist, and one to write that does', async () => {
    expect(await mortise('learn', 'none.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no file'),
    })
    await writeFile(join(cwd, 'crm.json'), JSON.stringify(crm))
    await writeFile(join(cwd, 'kept.yaml'), 'mine')
    expect(await mortise('learn', 'crm.json', '--out', 'kept.yaml')).toMatchObject({ code: 2 })
    expect(await readFile(join(cwd, 'kept.yaml'), 'utf8')).toBe('mine')
    expect(await mortise('learn', 'crm.json', '--name', 'other', '--out', 'new.yaml')).toMatchObject({ code: 2 })
  })

  test('the folder of the file to write is created', async () => {
    await writeFile(join(cwd, 'crm.json'), JSON.stringify(crm))
    expect(await mortise('learn', 'crm.json', '--out', 'new/providers/acme.yaml')).toMatchObject({ code: 0 })
    expect(await readFile(join(cwd, 'new/providers/acme.yaml'), 'utf8')).toContain('name: acme')
  })
})
