import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { json, startWritingKit, type WritingKit } from '../packages/server/src/features/sync/writing/writing.testkit.ts'
import { mortise } from './cli.testkit.ts'

/** `write` of the command line, against the real service and a provider that keeps what is written. */

let kit: WritingKit
let env: Record<string, string>
let groupRef: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-cli-write-'))
  kit = await startWritingKit()
  groupRef = (await kit.install({ deletionSettings: { enabled: true } })).groupRef
  env = { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey }
})
beforeEach(() => kit.ledger.reset())
afterAll(async () => {
  // Kept by the client of commands that ran in this process, for as long as a test server keeps connections.
  kit?.app.app.http.server.closeAllConnections()
  await kit?.stop()
  await rm(folder, { recursive: true, force: true })
})

const write = (...more: string[]) => ['write', 'crm', 'contacts', '--group', groupRef, ...more]
const sent = () => kit.ledger.writes().map(({ body }) => body)

async function here(argv: string[], options: Parameters<typeof testTerminal>[0] = {}) {
  const terminal = testTerminal({ env, ...options })
  return { code: await run(argv, terminal), ...terminal.output() }
}

async function fileOf(content: unknown): Promise<string> {
  const path = join(folder, 'records.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

test('a record of the command line is created, as text or as JSON', async () => {
  const { code, stdout } = await mortise(write('--set', 'email=ada@acme.example', '--set', 'score:=5'), env)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^contacts-\d+ created\n$/)])
  expect(sent()).toEqual([{ record: { email: 'ada@acme.example', score: 5 } }])
  const { stdout: answer } = await here(write('--set', 'email=b', '--format', 'json'))
  expect(JSON.parse(answer)).toMatchObject({ operationId: expect.any(String), result: { success: true } })
})

test('a field that the provider file does not send is named on standard error', async () => {
  const argv = ['write', 'crm', 'tickets', '--group', groupRef, '--set', 'subject=a', '--set', 'color=red']
  const { code, stdout, stderr } = await here(argv)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^tickets-\d+ created\n$/)])
  expect(stderr).toBe(
    'warning The field color is not sent: the provider file does not name it for a create of tickets.\n',
  )
})

test('a record is updated and deleted by its id', async () => {
  kit.ledger.records.set('7', { id: '7' })
  expect(await here(write('--type', 'update', '--set', 'id=7', '--set', 'email=new'))).toMatchObject({
    code: 0,
    stdout: '7 updated\n',
  })
  expect(await here(write('--type', 'delete', '--async', '--set', 'id=7'))).toMatchObject({
    code: 0,
    stdout: '7 deleted\n',
  })
  expect(kit.ledger.records.size).toBe(0)
})

test('a list goes out as a batch, or one by one, and what was refused is said and told by the exit code', async () => {
  const file = await fileOf([{ email: 'a' }, { email: 'bad' }])
  const { code, stdout } = await here(write('--file', file, '--set', 'source=cli'))
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/^contacts-\d+ created\nnot created: The email is bad\.\n$/),
  ])
  const { items } = sent()[0] as { items: { record: unknown }[] }
  expect(items.map(({ record }) => record)).toEqual([
    { email: 'a', source: 'cli' },
    { email: 'bad', source: 'cli' },
  ])
  kit.ledger.reset()
  const single = await here(write('--file', '-', '--one-by-one', '--format', 'json'), {
    stdin: '[{"email": "bad"}, {"email": "b"}]',
  })
  expect(single.code).toBe(1)
  expect(JSON.parse(single.stdout)).toMatchObject([{ result: { success: false } }, { result: { success: true } }])
  expect(sent()).toHaveLength(2)
})

test('a list for a provider that takes no batches is refused with the option that writes it', async () => {
  const list = ['write', 'crm', 'notes', '--group', groupRef, '--file', await fileOf([{ text: 'a' }, { text: 'b' }])]
  for (const more of [[], ['--async']])
    expect(await here([...list, ...more])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error The provider ledger does not support batches to create notes. Nothing was written. Use --one-by-one to send each record in a separate request.\n',
    })
  expect(sent()).toEqual([])
  expect(await here([...list, '--one-by-one'])).toMatchObject({ code: 0 })
  expect(sent()).toEqual([{ record: { text: 'a' } }, { record: { text: 'b' } }])
})

test('--async follows the write until it has ended, and --no-wait does not', async () => {
  kit.ledger.once((_, response) => json(response, 429, { error: 'later' }, { 'retry-after': '1' }))
  const { code, stdout } = await here(write('--async', '--set', 'email=a'))
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S{36} success \[contacts\] 1 record created\n$/)])
  const failed = await here(write('--async', '--set', 'email=bad', '--format', 'json'))
  expect(failed.code).toBe(1)
  expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'failure', actionType: 'write' })
  const begun = await here(write('--async', '--no-wait', '--set', 'email=c', '--format', 'json'))
  expect(begun.code).toBe(0)
  const { id } = JSON.parse(begun.stdout)
  await expect.poll(async () => (await kit.operation(id)).status, { timeout: 20_000 }).toBe('success')
})

test('Ctrl-C leaves an accepted write running, and says so', async () => {
  const hang = Promise.withResolvers<void>()
  kit.ledger.once(async (seen, response) => {
    await hang.promise
    kit.ledger.respond(seen, response)
  })
  const terminal = testTerminal({ env, answers: [] })
  const running = run(write('--async', '--set', 'email=a'), terminal)
  await expect.poll(() => terminal.output().stderr, { timeout: 20_000 }).toContain('Writing')
  terminal.interrupt()
  expect(await running).toBe(130)
  const [, id = ''] = /The write continues\. `mortise get operation (\S+)`/.exec(terminal.output().stderr) ?? []
  hang.resolve()
  await expect.poll(async () => (await kit.operation(id)).status, { timeout: 20_000 }).toBe('success')
})

test('what cannot be written is said', async () => {
  const usage: [string[], string][] = [
    [[], 'nothing to write'],
    [['--set', 'email'], '“email” has no value'],
    [['--set', 'email:=a'], 'is not valid JSON'],
    [['--file', join(folder, 'missing.json')], 'There is no file'],
    [['--file', await fileOf('[1]')], 'item 1 is not an object'],
  ]
  for (const [more, text] of usage)
    expect(await here(write(...more))).toMatchObject({ code: 2, stderr: expect.stringContaining(text) })
  expect(await here(write('--type', 'merge'))).toMatchObject({ code: 2 })
  expect(await here(write('--type', 'update', '--set', 'email=a'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('id'),
  })
  expect(await here(['write', 'nothing', 'contacts', '--group', groupRef, '--set', 'a=b'])).toMatchObject({ code: 5 })
  expect(sent()).toEqual([])
})
