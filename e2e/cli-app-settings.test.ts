import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/** A provider whose requests need a secret of the provider app. */
const file = `
name: ads
displayName: Ads
baseUrl: https://ads.example.com
authentication:
  - { scheme: oauth2, grantType: authorizationCode, authUrl: https://ads.example.com/authorize, tokenUrl: https://ads.example.com/token }
appMetadata:
  providerParams:
    - { name: developerToken, displayName: Developer token, secret: true, required: true }
    - { name: region, displayName: Region }
headers: { developer-token: '{{app.developerToken}}', x-region: '{{app.region}}' }
`
const token = 'developer-token-7f3a91'
const create = ['create', 'provider-app', 'ads', '--client-id', 'client', '--json']

let app: TestApp
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-settings-'))
  await writeFile(join(folder, 'ads.yaml'), file)
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: folder } })
})
afterAll(async () => {
  await app?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function mortise(argv: string[], options: Parameters<typeof testTerminal>[0] = {}) {
  const terminal = testTerminal({ env: { MORTISE_URL: app.url, MORTISE_API_KEY: app.apiKey }, ...options })
  const code = await run(argv, terminal)
  const { stdout, stderr } = terminal.output()
  expect(stdout + stderr).not.toContain(token)
  return { code, stdout, stderr, asked: terminal.asked.map(({ message }) => message) }
}

const missing = async () => (JSON.parse((await mortise(['list', 'provider-apps', '--json'])).stdout) as object[])[0]

test('a person is asked for what the provider requires, and for nothing else', async () => {
  const { code, stderr, asked } = await mortise(create, { answers: ['the-secret', token] })
  expect([code, stderr]).toEqual([0, ''])
  expect(asked).toEqual([expect.stringMatching(/secret/i), 'Developer token'])
  expect(await missing()).not.toHaveProperty('missingParams')
})

test('a setting comes from a file, without the line break at its end', async () => {
  await writeFile(join(folder, 'token.txt'), `${token}\n`)
  const param = `developerToken=${join(folder, 'token.txt')}`
  expect(await mortise([...create, '--secret-stdin', '--param-file', param], { stdin: 'the-secret' })).toMatchObject({
    code: 0,
    asked: [],
  })
})

test('what is missing or cannot be read is an error that names it', async () => {
  const bare = await mortise([...create, '--secret-stdin'], { stdin: 'the-secret' })
  expect(bare.code).not.toBe(0)
  expect(bare.stderr).toContain('Developer token')
  const wrong = [...create, '--secret-stdin', '--param-file']
  expect(await mortise([...wrong, 'developerToken'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Write --param-file name=path'),
  })
  expect(await mortise([...wrong, 'developerToken=/nonexistent/token'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('/nonexistent/token'),
  })
})

test('doctor names the settings that an app from before lacks', async () => {
  await sql`update provider_apps set encrypted_params = null`.execute(app.db.sql)
  expect(await missing()).toMatchObject({ missingParams: ['developerToken'] })
  const { code, stdout } = await mortise(['doctor', '--format', 'json'])
  expect(code).toBe(1)
  const { findings } = JSON.parse(stdout) as { findings: { detail: string; remedy?: string }[] }
  expect(findings).toContainEqual(
    expect.objectContaining({
      detail: expect.stringContaining('ads: developerToken'),
      remedy: expect.stringContaining('--param-file'),
    }),
  )
})
