import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { postMessages } from '../packages/server/src/features/messaging/messages/index.ts'
import { type InstallationKit, startInstallationKit } from '../packages/server/src/testkit/installation-kit.ts'
import { mortise, temporaryFolder } from './cli.testkit.ts'
import { freePort } from './mortise-process.testkit.ts'

/** `mortise doctor` finds what is wrong, and says what to do. */

interface Finding {
  check: string
  status: string
  detail: string
  remedy?: string
}

let kit: InstallationKit
beforeAll(async () => {
  kit = await startInstallationKit()
})
afterAll(() => kit?.stop())

async function doctor(options: { url?: string; key?: string; project?: string; cwd?: string } = {}) {
  const { url = kit.app.url, key = kit.app.apiKey, project = kit.app.projectId, cwd = '/nonexistent' } = options
  const terminal = testTerminal({ cwd })
  const argv = ['doctor', '--format', 'json', '--url', url, '--project', project, ...(key === '' ? [] : ['--key', key])]
  const code = await run(argv, terminal)
  const { healthy, findings } = JSON.parse(terminal.output().stdout) as { healthy: boolean; findings: Finding[] }
  const wrong = findings.filter(({ status }) => status !== 'ok')
  expect({ code, healthy }).toEqual(wrong.length > 0 ? { code: 1, healthy: false } : { code: 0, healthy: true })
  // What is wrong has something to do about it.
  for (const { remedy } of wrong) expect(remedy).toMatch(/\w/)
  return { findings, wrong, checks: findings.map(({ check }) => check) }
}

describe('a service that is well', () => {
  it('has nothing wrong, once what its manifest names is there', async () => {
    const { wrong } = await doctor()
    expect(wrong).toMatchObject([
      { check: 'waiting messages', detail: expect.stringContaining('delivers to hook, which does not exist') },
    ])
    const url = 'https://hooks.example.com/in'
    await kit.app.call('POST', `${kit.base}/destinations`, { name: 'hook', type: 'webhook', metadata: { url } })
    expect((await doctor()).wrong).toEqual([])
  })

  it('shows so as text, from a real process', async () => {
    const { code, stdout } = await mortise(['doctor', '--url', kit.app.url], {
      MORTISE_API_KEY: kit.app.apiKey,
      MORTISE_PROJECT: kit.app.projectId,
    })
    expect(stdout).toContain('✓ service: Mortise answers')
    expect(code).toBe(0)
  })
})

describe('what is wrong at the service', () => {
  it('nobody answers', async () => {
    const { wrong, checks } = await doctor({ url: `http://127.0.0.1:${await freePort()}` })
    expect(wrong).toMatchObject([{ check: 'service', detail: expect.stringMatching(/Nothing answers .*ECONNREFUSED/) }])
    expect(checks).not.toContain('project')
  })

  it('something else answers, an hour ahead', async () => {
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { wrong } = await doctor({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    expect(wrong).toMatchObject([{ check: 'service', detail: expect.stringContaining('Another program') }])
  })

  it('it is not ready, and its clock is wrong', async () => {
    const server = createServer((request, response) => {
      response.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString())
      response.setHeader('content-type', 'application/json')
      const ready = request.url !== '/readyz'
      response.statusCode = ready ? 200 : 503
      response.end(
        JSON.stringify(ready ? { status: 'alive' } : { causes: ['Migrations of the database are missing.'] }),
      )
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { wrong } = await doctor({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: '' })
    expect(wrong).toMatchObject([
      { check: 'readiness', detail: 'Migrations of the database are missing.' },
      { check: 'clock', detail: expect.stringMatching(/(3600|35\d\d) s ahead/) },
      { check: 'credential', detail: 'There is no credential.' },
    ])
  })

  it('the credential, its scope or its project', async () => {
    const unknown = await doctor({ key: 'mortise_not-the-right-key-at-all-0000' })
    expect(unknown.wrong).toMatchObject([{ check: 'credential', detail: expect.stringContaining('is refused') }])
    expect(unknown.checks).not.toContain('destinations')
    const frontend = await doctor({ key: kit.app.frontendKey })
    expect(frontend.wrong[0]).toMatchObject({
      check: 'credential',
      detail: expect.stringContaining('lacks permissions'),
    })
    const elsewhere = await doctor({ project: 'nobody-has-this' })
    expect(elsewhere.wrong).toMatchObject([{ check: 'project', remedy: expect.stringContaining('default') }])
  })

  it('a provider that could not be reached, and why', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const id = await kit.connect('out-of-reach', { providerMetadata: { url } })
    const { wrong } = await doctor()
    expect(wrong).toMatchObject([
      { check: 'connections', detail: expect.stringMatching(/out-of-reach at sampleCrm: .*nothing listens there/) },
    ])
    await kit.app.call('DELETE', `${kit.base}/connections/${id}`)
    expect((await doctor()).wrong).toEqual([])
  })

  it('OAuth scopes that a provider app does not list, and that an account did not grant', async () => {
    const { app, base } = kit
    const objects = [
      { objectName: 'contacts', destination: 'hook' },
      { objectName: 'deals', destination: 'hook' },
    ]
    const integration = { name: 'hub', provider: 'hubspot', read: { objects } }
    await kit.deploy(JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }))
    const credentials = { provider: 'hubspot', clientId: 'client', clientSecret: 'secret' }
    const scopes = ['crm.objects.contacts.read']
    const { body } = await app.call<{ id: string }>('POST', `${base}/provider-apps`, { ...credentials, scopes })
    const accessToken = { token: 'at-1', expiresAt: '2099-01-01T00:00:00Z' }
    const account = { provider: 'hubspot', apiKey: undefined, oauth2AuthorizationCode: { accessToken, scopes } }
    const id = await kit.connect('scoped', account)
    const content = { provider: 'hubspot', read: { objects: { contacts: {}, deals: {} } } }
    const installed = { groupRef: 'scoped', config: { content } }
    const { status } = await app.call('POST', `${kit.path('hub')}?skipSampling=true`, installed)
    expect(status).toBe(201)
    const { wrong } = await doctor()
    const found = wrong.filter(({ check }) => check === 'scopes').map(({ detail }) => detail)
    expect(found).toEqual([
      'Provider apps lack OAuth scopes that integrations need (hubspot: crm.objects.deals.read to read deals).',
      'Accounts did not grant OAuth scopes that installations need (scoped at hubspot: crm.objects.deals.read to read deals).',
    ])
    await app.call('DELETE', `${base}/connections/${id}`)
    await app.call('DELETE', `${base}/integrations/hub`)
    await app.call('DELETE', `${base}/provider-apps/${body.id}`)
    expect((await doctor()).wrong).toEqual([])
  })

  it('destinations with dead letters, how many, and what to run', async () => {
    const { app } = kit
    const message = { destinationName: 'hook', kind: 'read' as const, payload: Buffer.from('{}') }
    const messages = Array.from({ length: 3 }, () => message)
    await app.db.transaction((tx) => postMessages(tx, app.app.services, messages))
    await sql`update messages set state = 'failed', failure = 'refused', end_time = now()`.execute(app.db.sql)
    const { wrong } = await doctor()
    expect(wrong).toEqual([
      {
        check: 'dead letters',
        status: 'warning',
        detail: 'The destination hook has 3 dead letters: messages or records that it did not accept.',
        remedy: expect.stringMatching(
          /`mortise list dead-letters --destination hook`.*`mortise dead-letter redrive --destination hook`/,
        ),
      },
    ])
    await app.call('POST', `${kit.base}/dead-letters:discard`, { destination: 'hook' })
    expect((await doctor()).wrong).toEqual([])
  })

  it('connections, installations and destinations', async () => {
    const { app, base } = kit
    const id = await kit.connect('acme')
    await kit.create('acme', { contacts: { objectName: 'contacts' } })
    await sql`update connections set status = 'bad_credentials' where id = ${id}`.execute(app.db.sql)
    await sql`update installations set health_status = 'unhealthy' where connection_id = ${id}`.execute(app.db.sql)
    await app.call('POST', `${base}/destinations/hook:disable`, {})
    const { wrong } = await doctor()
    expect(wrong.map(({ check }) => check)).toEqual(['destinations', 'connections', 'installations'])
    expect(wrong[1]!.detail).toContain('acme at sampleCrm')
    expect(wrong[2]!.remedy).toContain('`mortise resume INTEGRATION --group REF`')
  })
})

describe('what is wrong in the data folder', () => {
  it('an encryption key that others can read, or that is missing', async () => {
    const cwd = await temporaryFolder()
    const dataDir = join(cwd, '.mortise')
    await mkdir(join(dataDir, 'postgres/data'), { recursive: true, mode: 0o700 })
    const found = async () => (await doctor({ cwd })).wrong.filter(({ check }) => check === 'data folder')
    expect(await found()).toMatchObject([{ detail: expect.stringContaining('is missing') }])
    await writeFile(join(dataDir, 'encryption-key'), 'x', { mode: 0o644 })
    expect(await found()).toMatchObject([{ remedy: expect.stringContaining('chmod 600') }])
    await chmod(join(dataDir, 'encryption-key'), 0o600)
    expect(await found()).toEqual([])
    await chmod(dataDir, 0o777)
    expect(await found()).toMatchObject([{ remedy: expect.stringContaining('chmod go-w') }])
  })
})
