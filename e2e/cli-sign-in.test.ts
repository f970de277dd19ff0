import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { managementKit } from '../packages/server/src/features/agents/agent-sessions/management-sign-in.testkit.ts'
import { createPerson, enrollTotp } from '../packages/server/src/features/identity/sign-in/factors/factors.testkit.ts'
import { openBrowser } from '../packages/server/src/testkit/browser.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'
import { interrupt, mortise, startMortise, temporaryFolder } from './cli.testkit.ts'

interface Item {
  id: string
  kind: string
}

/** Signing in and out with the command line, against the real service. */

const email = 'ada@example.com'
const password = 'correct horse battery'
let app: TestApp
let env: Record<string, string>
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  await signInBuilder(app, { email, role: 'owner', password })
})
afterAll(() => app?.stop())
beforeEach(async () => {
  env = { MORTISE_CONFIG_DIR: await temporaryFolder(), MORTISE_URL: app.url }
})

/** What the person does whose browser was opened: signs in, reads, agrees. */
async function agree(page: string): Promise<string> {
  const browser = openBrowser(app.url)
  const signIn = await browser.get((await browser.get(page)).location!)
  const consent = await browser.get((await browser.submit(signIn, { email, password })).location!)
  const sent = await browser.submit(consent)
  return await (await fetch(sent.location!)).text()
}

async function here(argv: string[], options: Parameters<typeof testTerminal>[0] = {}) {
  const terminal = testTerminal({ env, ...options })
  return { code: await run(argv, terminal), ...terminal.output(), terminal }
}
const sessions = async () =>
  JSON.parse(await readFile(join(env['MORTISE_CONFIG_DIR']!, 'sessions.json'), 'utf8').catch(() => 'null'))

test('a browser signs the command line in; afterwards its commands need no key', async () => {
  const login = startMortise(['login', '--no-browser'], env)
  const [page] = await login.printed(/http:\S+\/signin\/cli\S+/)
  expect(await agree(page)).toContain('You are signed in, and can close this window.')
  expect(await login.done).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining(`Signed in to ${app.url} as ${email}, project default.`),
  })
  expect((await stat(join(env['MORTISE_CONFIG_DIR']!, 'sessions.json'))).mode & 0o777).toBe(0o600)

  const { MORTISE_CONFIG_DIR } = env
  const who = await mortise(['whoami', '--format', 'json'], { MORTISE_CONFIG_DIR: MORTISE_CONFIG_DIR! })
  expect([who.code, who.stderr]).toEqual([0, ''])
  expect(JSON.parse(who.stdout)).toEqual({
    service: app.url,
    project: { id: app.projectId, name: 'default', role: 'admin' },
    credential: { kind: 'session', from: 'mortise login', email, builderId: expect.any(String) },
    org: { id: expect.any(String), label: expect.any(String), role: 'owner' },
  })
})

test('the page is opened where there is a browser', async () => {
  let shown: Promise<string> | undefined
  const browse = async (page: string) => {
    shown = agree(page)
  }
  const { code, stderr } = await here(['login'], { browse })
  expect([code, stderr]).toEqual([0, expect.stringContaining(`as ${email}`)])
  expect(await shown).toContain('You are signed in')
})

test('whoever cannot exchange the code is not signed in, and the browser says so', async () => {
  const browse = async (page: string) => {
    // As if somebody else had made the page: its challenge is not that of the command.
    const changed = page.replace(/challenge=[^&]+/, `challenge=${'x'.repeat(43)}`)
    void agree(changed).then((text) => (told = text))
  }
  let told = ''
  const { code, stderr } = await here(['login'], { browse })
  expect([code, stderr]).toEqual([4, expect.stringContaining('sign-in-code-refused')])
  await expect.poll(() => told).toContain('Your terminal shows why')
  expect(await sessions()).toBeNull()
})

test('Ctrl-C ends the wait for the browser', async () => {
  const login = startMortise(['login', '--no-browser'], env)
  await login.printed(/signin\/cli/)
  interrupt(login)
  expect(await login.done).toMatchObject({ code: 130 })
})

test('a password signs in where there is no browser, from standard input or typed', async () => {
  const argv = ['login', '--email', email]
  const { code, stderr } = await mortise([...argv, '--password-stdin'], env, `${password}\n`)
  expect([code, stderr]).toEqual([0, `Signed in to ${app.url} as ${email}, project default.\n`])
  expect(await here(argv, { answers: [password] })).toMatchObject({ code: 0 })
  expect(await here(argv, { answers: ['another password'] })).toMatchObject({ code: 4 })
  expect(await here(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining('--password-stdin') })
  expect(await here(['login', '--password-stdin'])).toMatchObject({ code: 2 })
  expect(JSON.stringify(await sessions())).not.toContain(password)
  const withKey = await here(argv, { answers: [password], env: { ...env, MORTISE_API_KEY: app.apiKey } })
  expect(withKey).toMatchObject({ code: 0, stderr: expect.stringContaining('MORTISE_API_KEY is set') })
})

test('agents of a person are among their sessions, and end with one', async () => {
  const signedIn = await here(['login', '--email', email], { answers: [password] })
  expect(signedIn.code).toBe(0)
  const kit = managementKit(app, app.app.services.publicUrl)
  await kit.tokens({ email, password }, { access: 'change' })
  const list = async () => JSON.parse((await here(['list', 'my-sessions', '--format', 'json'])).stdout) as Item[]
  const agent = (await list()).find(({ kind }) => kind === 'agent')
  expect(agent).toMatchObject({ client: 'Desk', mayChange: true, current: false })
  expect((await here(['delete', 'my-session', agent?.id ?? '', '--yes'])).code).toBe(0)
  expect((await list()).some(({ kind }) => kind === 'agent')).toBe(false)
})

test('a second factor is asked for, or comes with --code', async () => {
  const careful = 'careful@example.com'
  const person = await createPerson(app, careful, { role: 'developer' })
  const { recoveryCodes, nextCode } = await enrollTotp(app, person)
  const argv = ['login', '--email', careful]
  expect(await here(argv, { answers: [password, nextCode()] })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`as ${careful}`),
  })
  expect(await here(argv, { answers: [password, '000000'] })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('second-factor-refused'),
  })
  const scripted = [...argv, '--password-stdin']
  expect(await here(scripted, { stdin: password })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--code'),
  })
  expect(await here([...scripted, '--code', recoveryCodes[0]!], { stdin: password })).toMatchObject({ code: 0 })
  expect(await here(['login', '--code', '123456'])).toMatchObject({ code: 2 })
})

test('the project that is named at the sign-in is the one that commands use', async () => {
  const argv = ['login', '--email', email, '--password-stdin']
  expect(await here([...argv, '--project', 'nowhere'], { stdin: password })).toMatchObject({ code: 5 })
  expect(await sessions()).toBeNull()
  expect(await here([...argv, '--project', app.projectId], { stdin: password })).toMatchObject({ code: 0 })
  expect(await sessions()).toMatchObject({ sessions: { [app.url]: { project: 'default' } } })
  const other = await here(['whoami', '--project', 'other'])
  expect(other).toMatchObject({ code: 0, stdout: expect.stringContaining('no access to the project other') })
})

test('commands at once renew the tokens once, and the session lives on', async () => {
  await here(['login', '--email', email, '--password-stdin'], { stdin: password })
  // Their access token has a minute left.
  const file = join(env['MORTISE_CONFIG_DIR']!, 'sessions.json')
  const kept = await sessions()
  const before = kept.sessions[app.url].refreshToken
  kept.sessions[app.url].accessTokenExpiresAt = new Date(Date.now() + 30_000).toISOString()
  await writeFile(file, JSON.stringify(kept))
  const codes = await Promise.all(Array.from({ length: 4 }, async () => (await mortise(['whoami'], env)).code))
  expect(codes).toEqual([0, 0, 0, 0])
  expect((await sessions()).sessions[app.url].refreshToken).not.toBe(before)
  expect(await here(['whoami'])).toMatchObject({ code: 0 })
})

test('signing out ends the session at the service, and forgets it', async () => {
  await here(['login', '--email', email, '--password-stdin'], { stdin: password })
  const { accessToken } = (await sessions()).sessions[app.url]
  const asBefore = async () =>
    (
      await app.call('GET', '/projects', undefined, {
        apiKey: null,
        headers: { authorization: `Bearer ${accessToken}` },
      })
    ).status
  expect(await asBefore()).toBe(200)
  expect(await mortise(['logout'], env)).toEqual({ code: 0, stdout: '', stderr: `Signed out of ${app.url}.\n` })
  expect([await asBefore(), await sessions()]).toEqual([401, null])
  expect(await here(['logout'])).toMatchObject({ code: 0, stderr: `You are not signed in to ${app.url}.\n` })
  expect(await here(['whoami'])).toMatchObject({ code: 4, stderr: expect.stringContaining('mortise login') })
})

test('a session that ended at the service is signed out of all the same', async () => {
  await here(['login', '--email', email, '--password-stdin'], { stdin: password })
  const { accessToken } = (await sessions()).sessions[app.url]
  await app.call('DELETE', '/sessions/current', undefined, {
    apiKey: null,
    headers: { authorization: `Bearer ${accessToken}` },
  })
  expect(await here(['whoami'])).toMatchObject({ code: 4 })
  expect(await here(['logout'])).toMatchObject({ code: 0 })
})

test('where the service is away, the sign-in is deleted, and a message says that the service still accepts it', async () => {
  await here(['login', '--email', email, '--password-stdin'], { stdin: password })
  const file = join(env['MORTISE_CONFIG_DIR']!, 'sessions.json')
  const away = 'http://127.0.0.1:9'
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(app.url, away))
  const { code, stderr } = await here(['logout'], { env: { ...env, MORTISE_URL: away } })
  expect([code, stderr]).toEqual([6, expect.stringContaining('until it expires')])
  expect(await sessions()).toBeNull()
})
