import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { keepSession } from '../packages/cli/src/service/session-file.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import {
  type Installed,
  type ReadingKit,
  startReadingKit,
} from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'
import { mortise, temporaryFolder } from './cli.testkit.ts'

/** Commands that send one request each, against the real service. */

let kit: ReadingKit
let installed: Installed
let env: Record<string, string>
beforeAll(async () => {
  kit = await startReadingKit()
  installed = await kit.install()
  env = { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey }
})
afterAll(() => kit?.stop())

async function here(argv: string[], options: Parameters<typeof testTerminal>[0] = {}) {
  const terminal = testTerminal({ env, ...options })
  return { code: await run(argv, terminal), ...terminal.output(), asked: terminal.asked }
}

describe('search', () => {
  const search = (...more: string[]) => ['search', installed.name, 'contacts', '--group', installed.groupRef, ...more]

  test('prints the records that match, for people and as JSON', async () => {
    const id = 'con_0000001'
    const contact = await fetch(`${kit.crm.url}/contacts/${id}`, { headers: { 'x-api-key': kit.crm.apiKey } })
    const { email } = (await contact.json()) as { email: string }
    const found = await mortise(search('--where', `email=${email}`), env)
    expect([found.code, found.stderr]).toEqual([0, ''])
    expect(found.stdout).toMatch(new RegExp(`^${id}\n  email  ${email}\n$`))
    const { stdout } = await here(search('--where', `email=${email}`, '--json'))
    expect(JSON.parse(stdout)).toMatchObject([{ id, fields: { email } }])
  })

  test('says when nothing matches, and what a search needs', async () => {
    expect(await here(search('--where', 'email=nobody@example.com'))).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No records found.\n',
    })
    // The CRM ignores this parameter, and finds everybody.
    expect(await here(search('--where', 'emial=nobody@example.com'))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/emial.*email/s),
    })
    expect(await here(search())).toMatchObject({ code: 2, stderr: expect.stringContaining('--where email=') })
    expect(await here(search('--where', 'email:=[1]'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('takes a text, a number, true or false'),
    })
  })
})

describe('destination', () => {
  test('test sends one message, and says how it was answered', async () => {
    const { code, stdout } = await here(['destination', 'test', 'hook'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Delivered to hook \(HTTP 2\d\d, \d+ ms\)\.\n$/)])
    const away = { name: 'away', type: 'webhook', metadata: { url: 'http://127.0.0.1:50009/hook' } }
    await kit.app.call('POST', '/projects/default/destinations', away)
    const failed = await here(['destination', 'test', 'away'])
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('test again') })
    expect(failed.stdout).toMatch(/^Not delivered to away \(\d+ ms\)\.\n.+\n$/)
    const { stdout: answer } = await here(['destination', 'test', 'away', '--json'])
    expect(JSON.parse(answer)).toMatchObject({ delivered: false })
  })

  test('disable and enable change its status', async () => {
    expect(await here(['destination', 'disable', 'away', '--reason', 'Maintenance.'])).toMatchObject({
      code: 0,
      stderr: 'Disabled away. Its messages wait until you run mortise destination enable away.\n',
    })
    const { stdout } = await here(['destination', 'enable', 'away', '--format', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ name: 'away', status: 'active' })
    expect(await here(['destination', 'enable', 'nothing'])).toMatchObject({ code: 5 })
  })
})

test('a provider app is created, changed, shown and deleted, and its secret never printed', async () => {
  const create = ['create', 'provider-app', 'salesforce', '--client-id', 'client', '--json']
  const created = await here([...create, '--secret-stdin', '--scope', 'api', '--scope', 'refresh_token'], {
    stdin: 'the-secret\n',
  })
  expect([created.code, created.stderr]).toEqual([0, ''])
  expect(JSON.parse(created.stdout)).toMatchObject({ clientId: 'client', scopes: ['api', 'refresh_token'] })
  const param = ['--param', 'packageInstallURL=https://example.com/install']
  const updated = await here(['update', 'provider-app', 'salesforce', '--client-id', 'other', ...param, '--json'])
  expect(JSON.parse(updated.stdout)).toMatchObject({
    clientId: 'other',
    scopes: ['api', 'refresh_token'],
    metadata: { providerParams: { packageInstallURL: 'https://example.com/install' } },
  })
  const typed = await here(['update', 'provider-app', 'salesforce', '--secret-stdin'], { stdin: 'another-secret' })
  expect(typed.code).toBe(0)
  const shown = await here(['get', 'provider-app', 'salesforce'])
  for (const { stdout } of [created, updated, typed, shown]) expect(stdout).not.toContain('secret')
  expect(await here(['update', 'provider-app', 'salesforce'])).toMatchObject({ code: 2 })
  expect(await here(create)).toMatchObject({ code: 2, stderr: expect.stringContaining('--secret-stdin') })
  expect(await here(create, { answers: [undefined] })).toMatchObject({ code: 130 })
  expect(await here(['delete', 'provider-app', 'salesforce', '--yes'])).toMatchObject({ code: 0 })
  expect(await here(['get', 'provider-app', 'salesforce'])).toMatchObject({ code: 5 })
})

test('a further host of a provider app needs its client secret again: the command says why, and asks for it', async () => {
  const create = ['create', 'provider-app', 'gitea', '--client-id', 'client', '--secret-stdin', '--scope', 'read:user']
  expect(await here(create, { stdin: 'the-secret' })).toMatchObject({ code: 0 })
  const allow = ['update', 'provider-app', 'gitea', '--allowed-host', 'git.acme.example']
  const reason = 'would send the stored client secret to another receiver, so the secret is needed again.'
  const refused = await here(allow)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${reason} Pass it with --secret-stdin.`) })
  const asked = await here([...allow, '--json'], { answers: ['the-secret'] })
  expect(asked).toMatchObject({ code: 0, stderr: expect.stringContaining(reason) })
  expect(JSON.parse(asked.stdout)).toMatchObject({ allowedHosts: ['git.acme.example'] })
  const piped = await here([...allow, '--allowed-host', 'git.other.example', '--secret-stdin'], { stdin: 'the-secret' })
  expect(piped).toMatchObject({ code: 0 })
  await here(['delete', 'provider-app', 'gitea', '--yes'])
})

test('an owner invites a person, and gets the link where no mail is sent', async () => {
  const { token } = await signInBuilder(kit.app, { email: 'ada@example.com', role: 'owner' })
  const folder = { MORTISE_CONFIG_DIR: await temporaryFolder() }
  const accessTokenExpiresAt = new Date(Date.now() + 900_000).toISOString()
  const session = { url: kit.app.url, email: 'ada@example.com', accessToken: token, refreshToken: '' }
  await keepSession(folder, { ...session, accessTokenExpiresAt })
  const { code, stdout, stderr } = await here(['create', 'invite', 'Bob@example.com'], { env: folder })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^http\S+\/signin\/invite\S*token=\S+\n$/)])
  expect(stderr).toContain('role developer. To change it later: mortise update builder bob@example.com --role')
  expect(await here(['create', 'invite', 'bob@example.com'], { env: folder })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Revoke that invite first'),
  })
  const asOwner = await here(['create', 'invite', 'eva@example.com', '--role', 'owner'], { env: folder })
  expect(asOwner).toMatchObject({ code: 0, stderr: expect.stringContaining('They join with the role owner.') })
  expect((await here(['list', 'invites'], { env: folder })).stdout).toMatch(/eva@example\.com +owner +pending/)
  // As a person, too.
  expect(await here(['api', 'GET', '/v1/my-info'], { env: folder })).toMatchObject({ code: 0 })
  expect(await here(['create', 'invite', 'eve@example.com'])).toMatchObject({ code: 4 })
})

test('open prints the address of a page, and opens it where somebody sits', async () => {
  const opened: string[] = []
  const browse = async (url: string) => void opened.push(url)
  const docs = `${kit.app.url}/docs`
  expect(await here(['open', 'docs'], { browse })).toMatchObject({ code: 0, stdout: `${docs}\n`, stderr: '' })
  expect(await here(['open', 'docs'], { browse, answers: [] })).toMatchObject({ code: 0, stdout: `${docs}\n` })
  expect(await here(['open', 'docs', '--no-browser'], { browse, answers: [] })).toMatchObject({ code: 0 })
  expect(opened).toEqual([docs])
  expect(await here(['open', '/problems/not-found', '--json'])).toMatchObject({
    stdout: `{\n  "url": "${kit.app.url}/problems/not-found"\n}\n`,
  })
  expect((await here(['open', 'docs'], { answers: [] })).stderr).toContain('There is no browser here.')
  expect(await here(['open', 'nothing'])).toMatchObject({ code: 2, stderr: expect.stringContaining('sign-in') })
  for (const page of ['home', 'docs', 'sign-in', 'forgot-password', 'openapi', 'health']) {
    const { stdout } = await here(['open', page])
    expect([page, (await fetch(stdout.trim())).status]).toEqual([page, 200])
  }
})

describe('api', () => {
  test('sends a request below the project, or from the root, and prints status and body', async () => {
    const { code, stdout, stderr } = await mortise(['api', 'get', 'destinations'], env)
    expect([code, stderr]).toEqual([0, 'HTTP 200 OK\n'])
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'hook' })]))
    const path = `/read/v1/projects/{project}/integrations/${installed.name}/installations/${installed.installationId}:pause`
    expect(await here(['api', 'POST', path])).toMatchObject({ code: 0, stdout: '', stderr: 'HTTP 204 No Content\n' })
    const html = await here(['api', 'GET', '/docs', '--header', 'Accept: text/html'])
    expect(html.stdout).toContain('<html')
  })

  test('takes a body from the command line, a file or standard input', async () => {
    const topic = (name: string) => JSON.stringify({ name })
    expect(await here(['api', 'POST', 'topics', '--data', topic('one')])).toMatchObject({ code: 0 })
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'topic.json'), topic('two'))
    expect(await here(['api', 'POST', 'topics', '--data', '@topic.json'], { cwd })).toMatchObject({ code: 0 })
    expect(await here(['api', 'POST', 'topics', '--data', '-'], { stdin: topic('three') })).toMatchObject({ code: 0 })
    const { stdout } = await here(['list', 'topics', '--json'])
    expect(JSON.parse(stdout)).toHaveLength(3)
  })

  test('tells the status by its exit code', async () => {
    const status = async (path: string, options = {}) => (await here(['api', 'GET', path], options)).code
    expect(await status('destinations/nothing')).toBe(5)
    expect(await status('destinations', { env: { ...env, MORTISE_API_KEY: 'wrong' } })).toBe(4)
    expect(await status('messages?state=lost')).toBe(1)
    expect(await status('destinations', { env: { ...env, MORTISE_URL: 'http://127.0.0.1:9' } })).toBe(6)
    const refused = await here(['api', 'GET', 'destinations/nothing'])
    expect(JSON.parse(refused.stdout)).toMatchObject({ status: 404 })
  })

  test('sends the credential nowhere else', async () => {
    for (const path of ['//example.com/v1', 'https://example.com/v1', '/\\example.com'])
      expect([path, await here(['api', 'GET', path])]).toEqual([
        path,
        expect.objectContaining({ code: 2, stderr: expect.stringContaining('is not a path') }),
      ])
    for (const data of ['{', '@missing.json'])
      expect(await here(['api', 'POST', 'topics', '--data', data])).toMatchObject({ code: 2 })
    expect(await here(['api', 'POST', 'topics', '--header', 'no header'])).toMatchObject({ code: 2 })
  })
})

describe('an error says what to do next', () => {
  test.each([
    [['raed'], "Unknown command 'raed'. Did you mean read?", 'mortise --help'],
    [['invite'], "Unknown command 'invite'. Did you mean `mortise create invite`?", 'mortise --help'],
    [['list:destinations'], 'Did you mean `mortise list destinations`?', 'mortise --help'],
    [['installations'], 'Did you mean `mortise list installations`?', 'mortise --help'],
    [['list', 'operations', '--integrations', 'x'], 'Did you mean --integration?', 'mortise list --help'],
    [['create', 'topic'], "Missing required argument 'name'.", 'mortise create topic --help'],
    [['list', 'topics', '--format', 'xml'], 'Allowed choices are text, json, yaml.', 'mortise list --help'],
  ])('%j', async (argv, sentence, help) => {
    const { code, stdout, stderr } = await here(argv)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(sentence)
    expect(stderr).toContain(`Run \`${help}\` for its options and examples.\n`)
  })

  test('a service that does not answer', async () => {
    const { code, stderr } = await here(['list', 'topics'], { env: { ...env, MORTISE_URL: 'http://127.0.0.1:1' } })
    expect(code).toBe(6)
    expect(stderr).toMatch(
      /^error Could not reach http:\/\/127\.0\.0\.1:1: .+\.\nIs the service running\? Start it with `npm start`, or set MORTISE_URL to its address\.\n$/,
    )
  })
})

test('--json is --format json', async () => {
  const long = await here(['list', 'destinations', '--format', 'json'])
  expect(await here(['list', 'destinations', '--json'])).toEqual(long)
  const manifest = join(await temporaryFolder(), 'missing.yaml')
  expect((await here(['validate', manifest, '--json'])).code).toBe(2)
})
