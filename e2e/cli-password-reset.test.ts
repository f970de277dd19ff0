import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { keepSession } from '../packages/cli/src/service/session-file.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'
import { temporaryFolder } from './cli.testkit.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

/** The command line of somebody who is signed in. */
async function terminalOf(email: string, role: 'owner' | 'developer') {
  const { token: accessToken } = await signInBuilder(app, { email, role })
  const env = { MORTISE_CONFIG_DIR: await temporaryFolder(), MORTISE_URL: app.url }
  const accessTokenExpiresAt = new Date(Date.now() + 900_000).toISOString()
  await keepSession(env, { url: app.url, email, accessToken, refreshToken: '', accessTokenExpiresAt })
  return async (...argv: string[]) => {
    const terminal = testTerminal({ env })
    return { code: await run(argv, terminal), ...terminal.output() }
  }
}

test('an owner makes a link from the command line, and the member sets a password with it', async () => {
  const owner = await terminalOf('owner@acme.example', 'owner')
  const ada = await terminalOf('ada@acme.example', 'developer')
  const made = await owner('create', 'password-reset', 'Ada@acme.example', '--format', 'json')
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('Give the link to ada@acme.example only.')])
  const { link } = JSON.parse(made.stdout) as { link: string }
  const token = new URL(link).searchParams.get('token')
  const newPassword = 'staple battery horse correct'
  const options = { apiKey: null }
  expect((await app.call('POST', '/password-resets:complete', { token, newPassword }, options)).status).toBe(204)
  const signIn = { email: 'ada@acme.example', password: newPassword }
  expect((await app.call('POST', '/sessions', signIn, options)).status).toBe(200)

  expect((await ada('whoami')).code, 'the session has ended').not.toBe(0)
  const unknown = await owner('create', 'password-reset', 'nobody@acme.example')
  expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining('is not a member of the organization')])
  const member = await terminalOf('max@acme.example', 'developer')
  const refused = await member('create', 'password-reset', 'owner@acme.example')
  expect(refused.code).not.toBe(0)
  expect(refused.stdout).toBe('')
})

test('the operator makes a link for anyone on the database, without a sign-in', async () => {
  await signInBuilder(app, { email: 'only@acme.example', role: 'owner' })
  const here = async (email: string) => {
    const env = { MORTISE_CONFIG_DIR: await temporaryFolder(), MORTISE_PUBLIC_URL: 'https://mortise.example.com' }
    const terminal = testTerminal({ env })
    const argv = ['create', 'password-reset', email, '--database-url', app.testDatabase.url]
    return { code: await run(argv, terminal), ...terminal.output() }
  }
  const made = await here('only@acme.example')
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('Give the link to only@acme.example only.')])
  expect(made.stdout).toMatch(/https:\/\/mortise\.example\.com\/signin\/reset\?token=[\w-]{43}/)
  const unknown = await here('nobody@acme.example')
  expect([unknown.code, unknown.stderr]).toEqual([
    5,
    expect.stringContaining('There is no account with the mail address nobody@acme.example.'),
  ])
})
