import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { type Answer, testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/** `mortise diff` and `mortise deploy` against the real service. */

const root = fileURLToPath(new URL('..', import.meta.url))
const providers = join(root, 'examples/sample-crm/providers')
const bin = fileURLToPath(new URL('../packages/cli/bin/mortise.mjs', import.meta.url))

let app: TestApp
let cwd: string
/** A name that no other test has. */
let name: string
let count = 0
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providers } })
  const hook = { name: 'hook', type: 'webhook', metadata: { url: 'http://127.0.0.1:4199/hook' } }
  expect(await app.call('POST', '/projects/default/destinations', hook)).toMatchObject({ status: 201 })
})
afterAll(() => app?.stop())
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-deploy-'))
  name = `crm-${++count}`
  return () => rm(cwd, { recursive: true })
})

const env = () => ({ MORTISE_URL: app.url, MORTISE_API_KEY: app.apiKey, MORTISE_CONFIG_DIR: cwd })

async function mortise(args: string[], options: { answers?: Answer[]; stdin?: string } = {}) {
  const terminal = testTerminal({ cwd, env: env(), ...options })
  const code = await run(args, terminal)
  return { code, ...terminal.output(), asked: terminal.asked }
}

const object = (objectName: string, more = '') =>
  `        - {objectName: ${objectName}, destination: hook, schedule: '0 3 1 1 *'${more}}\n`
async function manifest(...objects: string[]) {
  const yaml = `specVersion: 1.0.0\nintegrations:\n  - name: ${name}\n    provider: sampleCrm\n    read:\n      objects:\n${objects.join('')}`
  await writeFile(join(cwd, 'mortise.yaml'), yaml)
}
const objectsOf = async () => {
  type Body = { latestRevision: { content: { read: { objects: { objectName: string }[] } } } }
  const { body } = await app.call<Body>('GET', `/projects/default/integrations/${name}`)
  return body.latestRevision?.content.read.objects.map(({ objectName }) => objectName)
}

/** Installs the integration for a group. */
async function install(groupRef: string, objectName: string, groupName?: string) {
  const who = { groupRef, consumerRef: 'person', ...(groupName && { groupName }) }
  const connected = await app.call<{ id: string }>('POST', '/projects/default/connections:generate', {
    ...who,
    provider: 'sampleCrm',
    apiKey: 'key',
    providerMetadata: { url: 'http://127.0.0.1:4199' },
  })
  const config = { content: { provider: 'sampleCrm', read: { objects: { [objectName]: { objectName } } } } }
  const path = `/projects/default/integrations/${name}/installations?skipSampling=true`
  const installed = await app.call('POST', path, { groupRef, connectionId: connected.body.id, config })
  expect(installed.body).toMatchObject({ config })
}
/** Why reads of an object are paused, for each installation. */
async function paused(objectName: string) {
  const { rows } = await sql<{ paused: string | null }>`
    select paused from read_states as state join installations as installation on installation.id = state.installation_id
      join integrations as integration on integration.id = installation.integration_id
     where integration.name = ${name} and state.object_name = ${objectName}`.execute(app.db.sql)
  return rows.map((state) => state.paused)
}

describe('deploy', () => {
  test('deploys, says what is new, and the same again changes nothing', async () => {
    await manifest(object('contacts'))
    const first = await mortise(['deploy', '--format', 'json'])
    expect(first.code, first.stderr).toBe(0)
    expect(JSON.parse(first.stdout)).toMatchObject({
      changed: true,
      destructive: false,
      errors: 0,
      integrations: [{ name, provider: 'sampleCrm', result: 'added', id: expect.any(String) }],
    })
    expect(await objectsOf()).toEqual(['contacts'])
    const again = await mortise(['deploy'])
    expect(again).toMatchObject({ code: 0, stderr: 'Nothing changed.\n' })
    expect(again.stdout).toMatch(new RegExp(`${name} +sampleCrm +unchanged`))
    await manifest(object('contacts'), object('companies'))
    const changed = await mortise(['deploy', '.'])
    expect(changed).toMatchObject({ code: 0 })
    expect(changed.stderr).toBe(`~ ${name} (sampleCrm)\n    + read companies\ndeployed: mortise.yaml\n`)
  })

  test('reads standard input, and nothing else of the folder leaves it', async () => {
    await manifest(object('contacts'))
    await writeFile(join(cwd, 'secret.txt'), 'secret')
    const yaml = `specVersion: 1.0.0\nintegrations: [{name: ${name}, provider: sampleCrm, read: {objects: [{objectName: tasks, destination: hook, schedule: '0 3 1 1 *'}]}}]`
    expect(await mortise(['deploy', '-'], { stdin: yaml })).toMatchObject({ code: 0 })
    expect(await objectsOf()).toEqual(['tasks'])
  })

  test('a manifest with errors is shown as validate shows it, and deploys nothing', async () => {
    await manifest(object('contacts', ', enabled: never'))
    const { code, stdout, stderr } = await mortise(['deploy'])
    expect([code, stderr]).toEqual([3, '1 error, 0 warnings\n'])
    expect(stdout).toMatch(/^mortise\.yaml:7:\d+ error read-enabled-value .*\n {5}7 \|.*\n {7}\| +\^\n/)
    expect((await mortise(['deploy', '--format', 'json'])).stdout).toContain('"valid": false')
    expect(await objectsOf()).toBeUndefined()
  })

  test('is strict unless it is said otherwise, and then warns', async () => {
    await manifest(object('contacts').replace('hook', 'nowhere'))
    expect(await mortise(['deploy'])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('destination-not-found'),
    })
    const lenient = await mortise(['deploy', '--no-strict'])
    expect(lenient).toMatchObject({ code: 0, stderr: expect.stringContaining('warning destination-not-found') })
    expect(await objectsOf()).toEqual(['contacts'])
  })

  test('without a credential, or with a wrong one, it says so', async () => {
    await manifest(object('contacts'))
    const nobody = testTerminal({ cwd, env: { MORTISE_URL: app.url, MORTISE_CONFIG_DIR: cwd } })
    expect(await run(['deploy'], nobody)).toBe(4)
    expect(await mortise(['deploy', '--key', 'wrong'])).toMatchObject({ code: 4 })
    expect(await mortise(['deploy', '--project', 'nowhere'])).toMatchObject({ code: 5 })
  })

  test('control characters of a group’s name do not reach the terminal', async () => {
    await manifest(object('contacts'))
    await mortise(['deploy'])
    await install('g-escape', 'contacts', 'a\u001b[2Jb')
    await manifest(object('contacts'), object('companies'))
    const { stdout, stderr } = await mortise(['diff'])
    expect(stdout + stderr).not.toContain('\u001b')
    expect(stdout).toContain('1 installation: a\\x1b[2Jb')
  })
})

describe('a read object that is no longer in the manifest', () => {
  beforeEach(async () => {
    await manifest(object('contacts'), object('companies'))
    expect(await mortise(['deploy'])).toMatchObject({ code: 0 })
    await install(`${name}-acme`, 'contacts', 'Acme')
    await manifest(object('companies'))
  })

  test('is asked about, with whom it concerns', async () => {
    const { asked, stderr } = await mortise(['deploy'], { answers: ['keep'] })
    expect(asked.map(({ choices }) => choices?.map(({ value }) => value))).toEqual([['keep', 'pause', 'cancel']])
    expect(stderr).toContain(`contacts of ${name} (1 installation: Acme)`)
  })

  test.each<[string, string[], Answer[] | undefined, number, string | null | undefined]>([
    ['keep', [], ['keep'], 0, null],
    ['pause everywhere', [], ['pause'], 0, 'removed'],
    ['cancel', [], ['cancel'], 130, undefined],
    ['Ctrl-C', [], [undefined], 130, undefined],
    ['--keep', ['--keep'], [], 0, null],
    ['--destructive', ['--destructive'], [], 0, 'removed'],
    ['--yes', ['--yes'], undefined, 0, null],
    ['--yes --destructive', ['--yes', '--destructive'], undefined, 0, 'removed'],
    ['nobody to ask', [], undefined, 2, undefined],
    ['both', ['--keep', '--destructive'], [], 2, undefined],
  ])('%s', async (_, flags, answers, code, state) => {
    const result = await mortise(['deploy', ...flags], answers && { answers })
    expect(result).toMatchObject({ code })
    if (state === undefined) return expect(await objectsOf()).toEqual(['contacts', 'companies'])
    expect(await objectsOf()).toEqual(['companies'])
    expect(await paused('contacts')).toEqual([state])
  })

  test('that an earlier deploy kept is paused by the same manifest with --destructive', async () => {
    expect(await mortise(['deploy', '--keep'])).toMatchObject({ code: 0 })
    expect(await paused('contacts')).toEqual([null])
    expect(await mortise(['deploy', '--destructive'])).toMatchObject({
      code: 0,
      stderr: 'No integration changed. Mortise pauses the reads of objects that the manifest does not have.\n',
    })
    expect(await paused('contacts')).toEqual(['removed'])
  })

  test('without anybody to ask, the flags that answer are named', async () => {
    const { stderr } = await mortise(['deploy'])
    expect(stderr).toMatch(/--keep.*--destructive/)
  })

  test('that nobody installed is not asked about', async () => {
    await manifest(object('contacts'))
    const { body } = await app.call<{ id: string }[]>('GET', `/projects/default/integrations/${name}/installations`)
    await app.call('DELETE', `/projects/default/integrations/${name}/installations/${body[0]!.id}`)
    expect(await mortise(['deploy'])).toMatchObject({ code: 0, asked: [] })
  })
})

describe('diff', () => {
  test('says what a new agent may do, and no JSON of it', async () => {
    await manifest(
      object('contacts', ', requiredFields: [{fieldName: email}]'),
      '    agent:\n      objects:\n        - {objectName: contacts, actions: [search, get]}\n',
    )
    expect((await mortise(['diff'])).stdout).toBe(
      `+ ${name} (sampleCrm)\n    + read contacts\n    + agent contacts actions: ["search","get"]\n`,
    )
  })

  test('shows integrations, objects and fields, and changes nothing', async () => {
    await manifest(object('contacts', ', requiredFields: [{fieldName: email}]'), object('tasks'))
    expect((await mortise(['diff'])).stdout).toBe(`+ ${name} (sampleCrm)\n    + read contacts\n    + read tasks\n`)
    expect(await objectsOf()).toBeUndefined()
    await mortise(['deploy'])
    await manifest(
      object('contacts', ', requiredFields: [{fieldName: phone}]').replace('0 3', '0 4'),
      object('companies'),
    )
    const { code, stdout } = await mortise(['diff'])
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      `~ ${name} (sampleCrm)`,
      '    - read tasks',
      '    ~ read contacts schedule: "0 3 1 1 *" → "0 4 1 1 *"',
      '    + read contacts requiredFields.phone: {"fieldName":"phone"}',
      '    - read contacts requiredFields.email: {"fieldName":"email"}',
      '    + read companies',
      '',
    ])
    expect(await objectsOf()).toEqual(['contacts', 'tasks'])
  })

  test('counts installations and names five groups at most', async () => {
    await manifest(object('contacts'))
    await mortise(['deploy'])
    for (let number = 1; number <= 6; number++) await install(`${name}-${number}`, 'contacts', `Group ${number}`)
    await manifest(object('contacts'), object('tasks'))
    expect((await mortise(['diff'])).stdout).toContain(
      `6 installations: Group 6, Group 5, Group 4, Group 3, Group 2, …`,
    )
    const { stdout } = await mortise(['diff', '--format', 'json'])
    const plan = JSON.parse(stdout)
    expect(Object.keys(plan)).toEqual(['changed', 'integrations', 'notInManifest', 'errors', 'warnings', 'findings'])
    expect(plan.notInManifest).toContain('crm-1')
    expect(plan.integrations).toEqual([
      {
        name,
        provider: 'sampleCrm',
        change: 'changed',
        id: expect.any(String),
        revisionId: expect.any(String),
        changes: [{ kind: 'added', path: ['read', 'tasks'], after: expect.objectContaining({ objectName: 'tasks' }) }],
        removedReadObjects: [],
        installations: { count: 6, groups: [6, 5, 4, 3, 2].map((number) => `Group ${number}`) },
      },
    ])
  })

  test('--exit-code tells by the exit code', async () => {
    await manifest(object('contacts'))
    expect(await mortise(['diff', '--exit-code'])).toMatchObject({ code: 1 })
    await mortise(['deploy'])
    expect(await mortise(['diff', '--exit-code'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'A deploy would change nothing.\n',
    })
  })
})

test('as processes: validate, diff and deploy of one folder', async () => {
  await manifest(object('contacts'))
  expect(await spawned('validate', '--own-provider', 'sampleCrm')).toMatchObject({ code: 0 })
  expect(await spawned('diff', '--exit-code')).toMatchObject({ code: 1, stdout: expect.stringContaining(`+ ${name}`) })
  expect(await spawned('deploy', '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('added') })
  expect(await objectsOf()).toEqual(['contacts'])
})

const { PATH, NODE_COMPILE_CACHE } = process.env
const inherited = { PATH, NODE_COMPILE_CACHE }

async function spawned(...args: string[]) {
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { ...inherited, ...env() } })
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { code, stdout, stderr }
}

test.each(['mailman', 'mediawiki', 'redmine', 'request-tracker', 'wordpress'])(
  'the commands of the recipe of %s create the destination and deploy the manifest',
  async (recipe) => {
    const page = await readFile(join(root, 'docs/recipes', `${recipe}.md`), 'utf8')
    const commands = [...page.matchAll(/^mortise ((?:create|deploy) .*)$/gm)].map(([, command = '']) =>
      command.replace('examples/', `${root}examples/`).split(' '),
    )
    expect(commands.map(([verb]) => verb)).toEqual(['create', 'deploy'])
    for (const command of commands) {
      const { code, stdout, stderr } = await mortise([...command, ...(command[0] === 'deploy' ? ['--yes'] : [])])
      expect(code, `${stdout}${stderr}`).toBe(0)
    }
  },
)
