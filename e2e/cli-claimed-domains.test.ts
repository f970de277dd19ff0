import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { keepSession } from '../packages/cli/src/service/session-file.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { type NameServer, startNameServer, txt } from '../packages/server/src/testkit/name-server.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'
import { temporaryFolder } from './cli.testkit.ts'

let dns: NameServer
let app: TestApp
let email: string
let accessToken: string
beforeAll(async () => {
  dns = await startNameServer()
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' }, dnsServer: dns.address })
  ;({ token: accessToken, email } = await signInBuilder(app, { email: 'ada@acme.example', role: 'owner' }))
})
afterAll(async () => {
  await app?.stop()
  await dns?.stop()
})

test('a domain is claimed, proven, looked at and given up from the command line', async () => {
  const env = { MORTISE_CONFIG_DIR: await temporaryFolder(), MORTISE_URL: app.url }
  const accessTokenExpiresAt = new Date(Date.now() + 900_000).toISOString()
  await keepSession(env, { url: app.url, email, accessToken, refreshToken: '', accessTokenExpiresAt })
  const here = async (...argv: string[]) => {
    const terminal = testTerminal({ env })
    return { code: await run(argv, terminal), ...terminal.output() }
  }
  const made = await here('create', 'claimed-domain', 'acme.example', '--format', 'json')
  expect(made.code).toBe(0)
  const { verification } = JSON.parse(made.stdout)
  for (const part of [verification.recordName, verification.recordValue, 'mortise verify claimed-domain acme.example'])
    expect(made.stderr).toContain(part)
  expect((await here('list', 'claimed-domains')).stdout).toMatch(/acme\.example +pending/)

  const early = await here('verify', 'claimed-domain', 'acme.example')
  expect(early.code).not.toBe(0)
  expect(early.stderr).toContain(`There is no TXT record at ${verification.recordName}.`)
  dns.answers.set(verification.recordName, [txt(verification.recordName, verification.recordValue)])
  app.clock.advance(61_000)
  expect(await here('verify', 'claimed-domain', 'ACME.example')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('verified'),
  })
  expect((await here('get', 'claimed-domain', 'acme.example')).stdout).toContain('verified')
  expect((await here('delete', 'claimed-domain', 'acme.example', '--yes')).code).toBe(0)
  const unknown = await here('verify', 'claimed-domain', 'acme.example')
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has not claimed acme.example')])
})
