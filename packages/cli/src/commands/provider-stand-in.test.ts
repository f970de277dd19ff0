import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runStandIn } from '../provider-testing/run-stand-in.ts'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'

const good = `name: acme
baseUrl: https://api.acme.example
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects:
  contacts: { read: { path: /contacts, records: data }, search: { query: { q: '{{filters}}' } } }
`

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-stand-in-'))
  await writeFile(join(cwd, 'acme.yaml'), good)
  await writeFile(join(cwd, 'learned.yaml'), good.replace('acme', 'learned').replace('records: data', 'records: items'))
  await writeFile(join(cwd, 'broken.yaml'), good.replace('records: data', 'records: $.data'))
  await writeFile(join(cwd, 'large.yaml'), `# ${'x'.repeat(600_000)}`)
})
afterAll(() => rm(cwd, { recursive: true }))

async function standIn(...args: string[]) {
  const terminal = testTerminal({ cwd })
  const code = await run(['provider', 'test', ...args], terminal)
  return { code, ...terminal.output() }
}

test('a file is tested without a service, a connection or a network', async () => {
  expect(await standIn('acme.yaml', '--stand-in')).toEqual({
    code: 0,
    stdout: `✓ acme.yaml
    ✓ addresses      templates, defaults, hostile inputs
    ✓ authentication apiKey

✓ contacts
    ✓ read           all pages, resumed, empty list, list of ids
    ✓ failures       HTML, half a response, 401, 429, 503, another response
    ✓ describe       fields

not tested search of contacts: the stand-in does not filter
1 object passed against the stand-in
`,
    stderr:
      'The stand-in answers as the file says. Whether the API does, a connection shows: mortise provider test acme.yaml --connection ID\n',
  })
})

test('a file that differs from another one fails, with object, case, what was found and what was expected', async () => {
  const { code, stdout } = await standIn('acme.yaml', '--stand-in', '--as', 'learned.yaml')
  expect(code).toBe(3)
  expect(stdout).toContain(`✗ contacts
    ✗ read
      error all pages, resumed: fails: "data" of the response is not a list of records.`)
  expect(stdout).toContain('1 of 1 object failed\n')
  const { code: sameCode, stdout: json } = await standIn('acme.yaml', '--stand-in', '--as', 'learned.yaml', '--json')
  expect(sameCode).toBe(3)
  expect(JSON.parse(json)).toMatchObject({
    ok: false,
    faults: [],
    objects: [
      {
        objectName: 'contacts',
        groups: [
          { group: 'read', failed: [{ case: 'full' }, { case: 'empty' }, { case: 'ids' }] },
          { group: 'failures', failed: [] },
          { group: 'describe', failed: [{ case: 'fields' }] },
        ],
      },
    ],
    untested: [{ what: 'search of contacts', because: 'the stand-in does not filter' }],
  })
})

test('an entry of the catalog is tested by its name', async () => {
  const { code, stdout } = await standIn('iterable', '--stand-in', '--object', 'templatesPush', '--object', 'lists')
  expect(code).toBe(0)
  expect(stdout).toContain('not tested create success: The response has the id in a sentence.\n')
})

test('an object that was named and is not there fails the test, as text and as JSON', async () => {
  const { code, stdout } = await standIn('acme.yaml', '--stand-in', '--object', 'contacts', '--object', 'contract')
  expect(code).toBe(3)
  expect(stdout).toContain('not tested contract: the file has no such object\n')
  expect(stdout).toMatch(/\nnot tested, although you named it: contract\n$/)
  const json = await standIn('acme.yaml', '--stand-in', '--object', 'contract', '--json')
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([3, { ok: false, objects: [] }])
})

test('a file with errors is not tested', async () => {
  const { code, stdout, stderr } = await standIn('broken.yaml', '--stand-in')
  expect(code).toBe(3)
  expect(stdout).toContain('broken.yaml:5:40 error provider-file objects.contacts.read.records is not a path')
  expect(stdout).toContain('broken.yaml:1:1 error provider-file name is not the name of the file: write "broken" here')
  expect(stderr).toBe('2 errors, 0 warnings\n')
})

test.each([
  [['acme.yaml'], 'Name a connection with --connection ID, or test offline with --stand-in.'],
  [['acme.yaml', '--as', 'learned.yaml'], '--as needs --stand-in.'],
  [['acme.yaml', '--stand-in', '--connection', 'x'], 'Leave out --connection: it'],
  [['acme.yaml', '--stand-in', '--write', '-g', '/me'], 'Leave out --get and --write: they do not go with --stand-in.'],
  [['large.yaml', '--stand-in'], 'large.yaml is larger than a provider file may be'],
  [['none.yaml', '--stand-in'], 'There is no file none.yaml'],
])('%j is refused', async (args, words) => {
  const { code, stderr } = await standIn(...args)
  expect(code).toBe(2)
  expect(stderr).toContain(words)
})

test('a file that takes too long, or too much memory, ends the test', async () => {
  const file = { path: 'acme.yaml', text: good }
  const test = async (limits: { timeLimitMs: number; heapMb: number }) => {
    for await (const _ of runStandIn({ file }, new AbortController().signal, limits));
  }
  await expect(test({ timeLimitMs: 0, heapMb: 512 })).rejects.toThrow('The file needs more than 0 seconds')
  await expect(test({ timeLimitMs: 60_000, heapMb: 4 })).rejects.toThrow('The file needs more than 4 MB of memory')
})

test('Ctrl-C ends the test', async () => {
  const terminal = testTerminal({ cwd })
  terminal.interrupt()
  expect(await run(['provider', 'test', 'acme.yaml', '--stand-in'], terminal)).toBe(130)
})
