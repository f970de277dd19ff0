import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type SampleCrm, startSampleCrm } from '../examples/sample-crm/src/index.ts'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/** docs/writing-a-provider.md, followed step by step: every file of it is tried, and says what the page says. */

const page = await readFile(new URL('../docs/writing-a-provider.md', import.meta.url), 'utf8')
/** What the first step writes, and later ones complete or replace the objects of. */
const head = /```yaml\n(name: acmeCrm\n[\s\S]*?)```/.exec(page)?.[1] ?? ''
/** The file of each step, with the lines that the page says its test prints. */
const steps = page
  .split(/^## (?=\d)/m)
  .slice(1)
  .flatMap((section) => {
    const written = /```yaml\n((?:name: acmeCrm|templates:|objects:)\n[\s\S]*?)```/.exec(section)?.[1]
    const file = written === undefined || written === head ? written : `${head}${written}`
    const printed = /```text\n([\s\S]*?)```/.exec(section)?.[1]?.trim().split('\n') ?? []
    return file === undefined ? [] : [{ title: section.split('\n')[0] ?? '', file, printed }]
  })

let app: TestApp
let crm: SampleCrm
let cwd: string
let connection: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-guide-'))
  await mkdir(join(cwd, 'providers'))
  await writeFile(join(cwd, 'providers', 'acmeCrm.yaml'), steps[0]?.file ?? '')
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: join(cwd, 'providers'), MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 1_000, rateLimit: 0 })
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
  await rm(cwd, { recursive: true, force: true })
})

async function mortise(args: string[], stdin = '', url = app.url) {
  const env = { MORTISE_URL: url, MORTISE_API_KEY: app.apiKey, MORTISE_CONFIG_DIR: cwd }
  const terminal = testTerminal({ cwd, env, stdin })
  const code = await run(args, terminal)
  return { code, ...terminal.output() }
}

test('the page has the files of its five steps', () => {
  expect(steps.map(({ title }) => title)).toEqual([
    '1. Connect',
    '2. List records',
    '3. Add paging',
    '4. Describe fields',
    '5. Read only changes',
  ])
})

describe('in this order', () => {
  test('1: an account is connected', async () => {
    const args = ['--provider', 'acmeCrm', '--group', 'me', '--consumer', 'me', '--set', `url=${crm.url}`]
    const answer = await mortise(['connect', ...args, '--secrets-stdin', '--format', 'json'], crm.apiKey)
    expect(answer.code, answer.stderr).toBe(0)
    const made = JSON.parse(answer.stdout) as { id: string; status: string }
    expect(made.status).toBe('working')
    connection = made.id
  })

  test.each(steps.slice(1))('$title', async ({ file, printed }) => {
    await writeFile(join(cwd, 'providers', 'acmeCrm.yaml'), file)
    const { code, stdout, stderr } = await mortise([
      'provider',
      'test',
      'providers/acmeCrm.yaml',
      '--connection',
      connection,
    ])
    expect(printed.length, 'the page says what is printed').toBeGreaterThan(0)
    for (const line of printed) expect(stdout).toContain(line)
    expect(code, stderr).toBe(printed.some((line) => line.startsWith('✗')) ? 3 : 0)
    expect(stdout).not.toContain(crm.apiKey)
  })

  describe('6 and 7, on a service that was started with the file', () => {
    let restarted: TestApp
    beforeAll(async () => {
      const written = /```yaml\n(write:[\s\S]*?)```/.exec(page)?.[1] ?? ''
      const file = `${steps.at(-1)?.file ?? ''}${written.replace(/^/gm, '    ').trimEnd()}\n`
      expect(parse(file)).toMatchObject({ objects: { contacts: { write: { create: { path: '/contacts' } } } } })
      await writeFile(join(cwd, 'providers', 'acmeCrm.yaml'), file)
      restarted = await startTestApp({
        env: { MORTISE_PROVIDERS_DIR: join(cwd, 'providers') },
        first: app,
      })
    })
    afterAll(() => restarted?.stop())

    /** Runs the commands of a step, one after the other. */
    async function runCommands(step: number): Promise<string[]> {
      const section = page.split(/^## (?=\d)/m)[step] ?? ''
      const block = /```sh\n(mortise (?:validate|deploy) [\s\S]*?)```/.exec(section)?.[1] ?? ''
      const lines = block.trim().split('\n')
      const printed = []
      for (const line of lines) {
        const [, waiting] = /^until (.*) 2> \/dev\/null; do/.exec(line) ?? []
        const args = (waiting ?? line).split(' ').slice(1)
        if (waiting)
          await expect.poll(() => mortise(args, '', restarted.url), { timeout: 20_000 }).toMatchObject({ code: 0 })
        const { code, stdout, stderr } = await mortise(args, '', restarted.url)
        expect([line, code, stderr]).toEqual([line, 0, expect.anything()])
        printed.push(stdout)
      }
      return printed
    }

    test('6: the manifest of the page is valid, deployed and installed', async () => {
      const manifest = /```yaml\n(specVersion[\s\S]*?)```/.exec(page)?.[1] ?? ''
      expect(parse(manifest)).toMatchObject({ integrations: [{ provider: 'acmeCrm' }] })
      await writeFile(join(cwd, 'acme.yaml'), manifest)
      const printed = await runCommands(6)
      expect(printed).toHaveLength(6)
      expect(printed[3]).toContain('contacts: all fields')
      expect(printed[4]).toContain('backfill')
      expect(printed[5]).toContain('con_')
    })

    test('7: contacts are written', async () => {
      const manifest = await readFile(join(cwd, 'acme.yaml'), 'utf8')
      const write = /```yaml\n( {4}write:\n[\s\S]*?)```/.exec(page)?.[1] ?? ''
      await writeFile(join(cwd, 'acme.yaml'), `${manifest}${write}`)
      expect(await runCommands(7)).toEqual([
        expect.anything(),
        expect.stringContaining('Writes        contacts'),
        expect.stringMatching(/^con_\d+ created\n$/),
        'con_0000001 updated\n',
      ])
    })
  })
})

describe('the command', () => {
  test('prints what the operation answered, for programs', async () => {
    const { stdout } = await mortise([
      ...['provider', 'test', 'providers/acmeCrm.yaml', '--connection', connection],
      ...['--object', 'contacts', '--format', 'json'],
    ])
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      faults: [],
      objects: [{ objectName: 'contacts', records: 1 }],
    })
  })

  test('tells faults of the file with their place, as a compiler does', async () => {
    await writeFile(join(cwd, 'acmeCrm.yaml'), 'name: acmeCrm\nnonsense: 1\n')
    const { code, stdout } = await mortise(['provider', 'test', 'acmeCrm.yaml', '--connection', connection])
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^acmeCrm\.yaml:2:1 error .*nonsense/m)])
  })

  test('says that there is no such file, and no such connection', async () => {
    expect((await mortise(['provider', 'test', 'gone.yaml', '--connection', connection])).code).toBe(2)
    expect((await mortise(['provider', 'test', 'acmeCrm.yaml', '--connection', 'nothing'])).code).toBe(5)
  })
})
