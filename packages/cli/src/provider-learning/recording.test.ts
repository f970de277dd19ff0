import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-recording-'))
})
afterAll(() => rm(cwd, { recursive: true }))

/** Values of headers, cookies, parameters and bodies that must not be in the file. */
const secrets = [
  'kee-9f8e7d6c5b',
  'cookie-value',
  'bearer-value',
  'ada@example.com',
  'Countess',
  '018f4d2a-7c1e-7bb2-9a57-0d4f5e6a7b8c',
  'query-value',
  'eyJjdXJzb3IiOjd9',
  'tok_live4711abcdefgh',
]
const headers = [
  { name: 'Authorization', value: 'Bearer bearer-value' },
  { name: 'X-Api-Key', value: 'kee-9f8e7d6c5b' },
  { name: 'Cookie', value: 'session=cookie-value' },
  { name: 'X-CSRF-Token', value: 'cookie-value' },
]
const entry = (method: string, url: string, body: unknown, more: object = {}, sent?: unknown) => ({
  request: {
    method,
    url,
    headers,
    ...(sent !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }),
  },
  response: {
    status: 200,
    headers: [],
    content: { mimeType: 'application/json; charset=utf-8', text: JSON.stringify(body) },
    ...more,
  },
})
const person = {
  id: 7,
  email: 'ada@example.com',
  title: 'Countess',
  born: '1815-12-10',
  updated_at: '2026-01-02T03:04:05Z',
  // An object of values by their owner.
  votes: { 'ada@example.com': 1, tok_live4711abcdefgh: 2, total: 3 },
}
const base = 'https://api.crm.example.com/v1'
const recording = {
  log: {
    entries: [
      entry(
        'GET',
        `${base}/people?limit=50&cursor=eyJjdXJzb3IiOjd9&updated_since=2026-01-01T00:00:00Z&name=query-value`,
        {
          people: [person],
          paging: { next_cursor: 'eyJjdXJzb3IiOjd9' },
        },
      ),
      entry('GET', `${base}/people?limit=20`, { people: [{ ...person, score: 1.5 }], paging: { next_cursor: null } }),
      entry('GET', `${base}/people/7`, person),
      entry('PATCH', `${base}/people/8`, person, {}, { title: 'Countess' }),
      entry('POST', `${base}/people`, person, {}, { email: 'ada@example.com' }),
      entry('GET', `${base}/people/7/notes`, [{ id: 1, text: 'Countess' }], {
        headers: [{ name: 'Link', value: '<https://api.crm.example.com/x>; rel="next"' }],
      }),
      entry('GET', `${base}/files/018f4d2a-7c1e-7bb2-9a57-0d4f5e6a7b8c`, { id: 'tok_live4711abcdefgh' }),
      entry('GET', 'https://metrics.example.net/collect', { ok: true }),
      entry('GET', `${base}/broken`, [], { content: { mimeType: 'application/json', text: '{"a":' } }),
      { request: { url: 'not a url' } },
      null,
    ],
  },
}

async function learn(name: string, document: unknown) {
  await writeFile(join(cwd, `${name}.har`), JSON.stringify(document))
  const terminal = testTerminal({ cwd })
  const code = await run(['provider', 'learn', `${name}.har`, '--out', `${name}.yaml`], terminal)
  const checked = testTerminal({ cwd })
  expect(await run(['provider', 'check', `${name}.yaml`], checked)).toBe(0)
  return { code, ...terminal.output(), text: await readFile(join(cwd, `${name}.yaml`), 'utf8') }
}

test('a provider file is learned from a recording', async () => {
  const { code, text, stderr } = await learn('crm', recording)
  expect(code).toBe(0)
  expect(parse(text)).toEqual({
    name: 'crm',
    displayName: 'api.crm.example.com',
    baseUrl: 'https://api.crm.example.com',
    authentication: [
      { scheme: 'apiKey', attach: 'header', name: 'Authorization', prefix: 'Bearer ' },
      { scheme: 'apiKey', schemeName: 'apiKey2', attach: 'header', name: 'X-Api-Key' },
    ],
    objects: {
      people: {
        read: {
          path: '/v1/people',
          query: { cursor: '{{cursor}}', limit: '{{pageSize}}' },
          pageSizeMax: 50,
          records: 'people',
          paging: { kind: 'cursor', next: 'paging.next_cursor' },
        },
        incremental: { read: { query: { updated_since: '{{since}}' } } },
        write: { create: { path: '/v1/people' }, update: { path: '/v1/people/{{id}}' } },
        get: { path: '/v1/people/{{id}}' },
        fields: [
          {
            source: 'static',
            fields: {
              id: 'int',
              email: 'string',
              title: 'string',
              born: 'date',
              updated_at: 'datetime',
              votes: 'other',
              score: 'float',
            },
          },
        ],
      },
      notes: {
        read: {
          path: '/v1/people/{{parent.id}}/notes',
          paging: { kind: 'linkHeader' },
          each: expect.objectContaining({ path: '/v1/people', records: 'people' }),
        },
        fields: [{ source: 'static', fields: { id: 'int', text: 'string' } }],
      },
    },
  })
  expect(stderr).toContain('hosts are left out: https://metrics.example.net')
})

test('no value of a header, cookie, parameter or body is in the file or the summary', async () => {
  const { text, stderr } = await learn('secret', recording)
  for (const secret of secrets) {
    expect(text).not.toContain(secret)
    expect(stderr).not.toContain(secret)
  }
})

test('a recording of odd parts', async () => {
  const entries = [
    entry('GET', 'https://user:secret-word@api.example.com:8443/a%20b/list?{{x}}=1', [{ '{{x}}': 1, __proto__: 2 }]),
    entry('TRACE', 'https://api.example.com/a', {}),
    { request: { method: 'GET', url: 'https://api.example.com/x', headers: 'none' }, response: { status: 'x' } },
    entry('GET', 'https://api.example.com:8443/deep', JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`)),
  ]
  const { code, text } = await learn('odd', { log: { entries } })
  expect(code).toBe(0)
  expect(text).not.toContain('secret-word')
})

describe('no secret of a recording is in an output, wherever it stands', () => {
  const password = 'correcthorsebattery'
  const tokenWords = 'alphabravocharlie'
  const one = (url: string, body: unknown, more: object = {}) => ({ ...entry('GET', url, body), ...more })

  test.each<[string, unknown[]]>([
    ['a token that is a part of the path', [one(`${base}/bot${tokenWords}/people`, [person])]],
    ['a token that is a name of a property', [one(`${base}/people`, [{ ...person, [tokenWords]: 1 }])]],
    ['a token that is a name of a parameter', [one(`${base}/people?${tokenWords}=1&sort=name`, [person])]],
    ['a password in the address', [one(`https://ada:${password}@api.crm.example.com/${password}/people`, [person])]],
  ])('%s', async (name, more) => {
    const signIn = {
      request: {
        method: 'POST',
        url: `${base}/sign-in`,
        headers: [{ name: 'Authorization', value: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` }],
        postData: { mimeType: 'application/x-www-form-urlencoded', text: `login=ada&password=${password}` },
        queryString: [{ name: 'access_token', value: tokenWords }],
      },
      response: { status: 401, content: { mimeType: 'text/html', text: '<p>' } },
    }
    const { code, text, stderr } = await learn(`secret-${name.replaceAll(' ', '-')}`, {
      log: { entries: [...more, signIn] },
    })
    expect(code).toBe(0)
    expect(text + stderr).not.toContain(password)
    expect(text + stderr).not.toContain(tokenWords)
    expect(text).toContain('people')
  })

  test('a token in the host refuses the recording, and nothing is written', async () => {
    const host = `https://${tokenWords}.hooks.example.com`
    await writeFile(
      join(cwd, 'host.har'),
      JSON.stringify({ log: { entries: [one(`${host}/people?access_token=${tokenWords}`, [person])] } }),
    )
    const terminal = testTerminal({ cwd })
    expect(await run(['provider', 'learn', 'host.har', '--out', 'host.yaml'], terminal)).toBe(2)
    const { stdout, stderr } = terminal.output()
    expect(stderr).toContain('A credential of host.har would be in the provider file')
    expect(stdout + stderr).not.toContain(tokenWords)
    await expect(readFile(join(cwd, 'host.yaml'))).rejects.toThrow('ENOENT')
  })

  test.each([
    ['JSON', `{"log": {"entries": [{"password": "${password}" ${password}`],
    ['YAML', `log:\n  entries: {${password}: [\n`],
    ['a large file', `{"a": "${'x'.repeat(1024 * 1024)}", "password": "${password}" ${password}`],
  ])('an error says where a broken file is wrong, not what is there: %s', async (_, text) => {
    await writeFile(join(cwd, 'broken.har'), text)
    const terminal = testTerminal({ cwd })
    expect(await run(['provider', 'learn', 'broken.har'], terminal)).toBe(2)
    const { stdout, stderr } = terminal.output()
    expect(stdout + stderr).not.toContain(password)
    expect(stderr).toMatch(/ at line \d+, column \d+/)
  })
})
