import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SampleCrm, startSampleCrm } from '../examples/sample-crm/src/index.ts'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { type HelpDesk, startHelpDesk } from './learned-provider.testkit.ts'

/** The guide from `mortise provider learn` to `mortise provider test`, with servers that refuse a wrong request. */

let app: TestApp
let crm: SampleCrm
let desk: HelpDesk
let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-learned-'))
  await mkdir(join(cwd, 'providers'))
  desk = await startHelpDesk()
  crm = await startSampleCrm({ contacts: 1_000, rateLimit: 0 })
  await writeFile(join(cwd, 'desk.json'), JSON.stringify(desk.document))
  await writeFile(join(cwd, 'crm.har'), JSON.stringify(await recordingOf(crm)))
  for (const [file, name] of [
    ['desk.json', 'desk'],
    ['crm.har', 'crm'],
  ] as const) {
    const { code, stderr } = await mortise(['provider', 'learn', file, '--out', `providers/${name}.yaml`])
    expect(code, stderr).toBe(0)
  }
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: join(cwd, 'providers'), MORTISE_ROLES: 'api' } })
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
  await desk?.close()
  await rm(cwd, { recursive: true, force: true })
})

async function mortise(args: string[], stdin = '') {
  const env = app === undefined ? {} : { MORTISE_URL: app.url, MORTISE_API_KEY: app.apiKey, MORTISE_CONFIG_DIR: cwd }
  const terminal = testTerminal({ cwd, env, stdin })
  const code = await run(args, terminal)
  return { code, ...terminal.output() }
}

/** Records requests as the developer tools of a browser do. */
async function recordingOf({ url, apiKey }: SampleCrm): Promise<object> {
  const entries: object[] = []
  const get = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: { 'X-Api-Key': apiKey } })
    const answer = await response.text()
    expect(response.status, answer).toBe(200)
    entries.push({
      request: { method: 'GET', url: `${url}${path}`, headers: [{ name: 'X-Api-Key', value: apiKey }] },
      response: { status: response.status, headers: [], content: { mimeType: 'application/json', text: answer } },
    })
    return JSON.parse(answer) as { data: { id: string }[]; next_cursor: string }
  }
  await get('/me')
  const list = '/contacts?limit=100&updated_since=2020-01-01T00:00:00Z'
  const first = await get(list)
  await get(`${list}&cursor=${encodeURIComponent(first.next_cursor)}`)
  await get(`/contacts/${first.data[0]?.id}`)
  await get('/companies?limit=50&offset=0')
  return { log: { entries } }
}

async function connected(provider: string, key: string): Promise<string> {
  const args = ['--provider', provider, '--group', 'me', '--consumer', 'me']
  const { code, stdout, stderr } = await mortise(['connect', ...args, '--secrets-stdin', '--format', 'json'], key)
  expect(code, stderr).toBe(0)
  return (JSON.parse(stdout) as { id: string }).id
}

describe('a file that was learned reads every object of the API', () => {
  test('from an OpenAPI document', async () => {
    const connection = await connected('desk', desk.token)
    const { code, stdout } = await mortise(['provider', 'test', 'providers/desk.yaml', '--connection', connection])
    expect(stdout).toContain('4 objects work')
    expect([code, stdout]).toEqual([0, expect.stringContaining('updated_since=')])
  })

  test('from a recording', async () => {
    const file = await readFile(join(cwd, 'providers', 'crm.yaml'), 'utf8')
    expect(file).not.toContain(crm.apiKey)
    const connection = await connected('crm', crm.apiKey)
    const { code, stdout } = await mortise(['provider', 'test', 'providers/crm.yaml', '--connection', connection])
    expect(stdout).toContain('2 objects work')
    expect([code, stdout]).toEqual([0, expect.stringContaining('updated_since=')])
  })
})
