import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deploy, sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { encryptedColumns } from '../packages/server/src/keys/encrypted-columns.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { backUpTo } from './backup.testkit.ts'
import { type EchoingCrm, startEchoingCrm } from './echoing-crm.testkit.ts'
import { excerpt, spelledIn, valuesOfBackup } from './secret-search.testkit.ts'
import { spellingsOf } from './spellings.testkit.ts'
import { openStoredRows } from './stored-rows.testkit.ts'

/**
 * After the whole way from deploy to delivery, with providers and receivers that fail and echo what they were sent, no
 * secret is anywhere outside its encrypted column: not in a table, a job, a log line at level trace, a metric, or an
 * answer that did not ask for it.
 *
 * The URL and the headers of a destination are such secrets. Payloads of messages are searched too: they hold the
 * customer's records, and no credential is one. So is every file in a backup.
 */

/** Characters that look different in each spelling. */
const secrets = {
  apiKey: 'header-key/7Qz+Wm=rT?x&y~4vLk',
  queryKey: 'query-key/3Hn+Pb=sD?x&y~8cJf',
  password: 'pass-word/5Xg+Yd=kV?x&y~2nMq',
  hookHeader: 'hook-header/9Rt+Bk=wL?x&y~6zSg',
  hookPath: 'hook-path-4Fq8Zj2Nw7',
  hookQuery: 'hook-query-8Tz5Kp1Vd3',
}

let home: string
let app: TestApp
let crm: SampleCrm
let front: EchoingCrm
let receiver: WebhookReceiver
let failing = false
const answers: { what: string; text: string }[] = []
const schemes = [
  { name: 'headerCrm', authentication: '  - { scheme: apiKey, attach: header, name: X-Api-Key }' },
  { name: 'queryCrm', authentication: '  - { scheme: apiKey, attach: query, name: api_key }' },
  { name: 'basicCrm', authentication: '  - scheme: basic' },
]
const credentials: Record<string, object> = {
  headerCrm: { apiKey: secrets.apiKey },
  queryCrm: { apiKey: secrets.queryKey },
  basicCrm: { basicAuth: { username: 'somebody', password: secrets.password } },
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mortise-secrets-'))
  const file = await readFile(join(sampleCrmProviders, 'sampleCrm.yaml'), 'utf8')
  for (const { name, authentication } of schemes) {
    const text = file
      .replace(/^name: .*$/m, `name: ${name}`)
      .replace(/^authentication:\n(?: {2}.*\n)+/m, `authentication:\n${authentication}\n`)
    await writeFile(join(home, `${name}.yaml`), text)
  }
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: home }, logLevel: 'trace' })
  crm = await startSampleCrm({ contacts: 150, rateLimit: 0 })
  front = await startEchoingCrm(crm)
  receiver = await startWebhookReceiver({
    respond: ({ headers }) => {
      const seen = headers['x-hook-token']?.toString() ?? ''
      const request = seen && `Cannot POST /${secrets.hookPath}?key=${secrets.hookQuery}`
      const body = [request, JSON.stringify(headers), ...spellingsOf(seen)].join('\n')
      return { status: failing ? 500 : 200, body }
    },
  })
})
afterAll(async () => {
  await app?.stop()
  await Promise.all([crm?.close(), front?.close(), receiver?.close()])
  await rm(home, { recursive: true, force: true })
})

/** Calls with the frontend key where that may, and remembers what was answered. */
async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  apiKey = app.apiKey,
): Promise<T & { status: number }> {
  const answer = await app.call<T>(method, path, body, { apiKey })
  const text = `${JSON.stringify([...answer.headers])}\n${JSON.stringify(answer.body)}`
  answers.push({ what: `${method} ${path}`, text })
  return { ...answer.body, status: answer.status }
}

async function until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const found = await ask()
    if (found) return found
    await sql`select pg_sleep(0.05)`.execute(app.db.sql)
  }
  throw new Error(`not in time: ${what}`)
}

interface Operation {
  id: string
  status: string
  result?: string
}

/** The whole life of one connection, with every failure on its way. */
async function live(provider: string): Promise<void> {
  const connect = (path: string) =>
    call<{ id: string; status: string }>(
      'POST',
      `/projects/default/connections:generate${path}`,
      {
        groupRef: provider,
        consumerRef: `${provider}-person`,
        provider,
        providerMetadata: { url: front.url },
        ...credentials[provider],
      },
      app.frontendKey,
    )
  for (const status of [500, 401, 429, 200]) {
    front.answerWith(status)
    await connect(status === 429 ? '' : '?verify=true')
  }
  await app.db.sql.updateTable('connections').set({ rate_limited_until: null }).execute()
  const { id: connectionId } = await connect('?verify=true')

  const install = () =>
    call<{ id: string }>(
      'POST',
      `/projects/default/integrations/${provider}/installations`,
      {
        groupRef: provider,
        connectionId,
        config: { content: { provider, read: { objects: { contacts: { objectName: 'contacts' } } } } },
      },
      app.frontendKey,
    )
  front.answerWith(400)
  expect((await install()).status).toBe(422)
  front.answerWith(200)
  const { id: installationId } = await install()
  const operations = async () =>
    (
      await call<{ results: Operation[] }>(
        'GET',
        `/projects/default/integrations/${provider}/installations/${installationId}/operations`,
      )
    ).results
  await until('a backfill', async () => (await operations()).some(({ status }) => status === 'success'))

  const before = front.failures()
  front.answerWith(500)
  const read = await call<{ operationId: string }>(
    'POST',
    `//read/v1/projects/default/integrations/${provider}/objects/contacts`,
    {
      groupRef: provider,
      mode: 'async',
    },
  )
  await until('a failed read', async () => front.failures() > before)
  front.answerWith(401)
  const ended = await until('the end of the read', async () =>
    (await operations()).find(({ id, status }) => id === read.operationId && status === 'failure'),
  )
  expect(ended.result).toContain('401')
  front.answerWith(200)
  await call('GET', `/projects/default/operations/${read.operationId}`)
  await call('GET', `/projects/default/operations/${read.operationId}/logs`)
  await call('GET', `/projects/default/connections/${connectionId}`)
  await call('GET', `/projects/default/connections/${connectionId}`, undefined, app.frontendKey)
  await call('GET', `/projects/default/connections/${connectionId}?includeCreds=true`, undefined, app.frontendKey)
  await call('GET', `/projects/default/integrations/${provider}/installations/${installationId}`)
  await call('DELETE', `/projects/default/connections/${connectionId}`)
}

/** Requests that are refused for a reason beside the secret that they carry. */
async function mistakes(): Promise<void> {
  const generate = '/projects/default/connections:generate'
  const somebody = { groupRef: 'g', consumerRef: 'c', provider: 'headerCrm', providerMetadata: { url: front.url } }
  for (const body of [
    { ...somebody, provider: 'nobody', apiKey: secrets.apiKey },
    { ...somebody, apiKey: [secrets.apiKey] },
    { ...somebody, apiKey: secrets.apiKey.repeat(1_000) },
    { ...somebody, basicAuth: `somebody:${secrets.password}` },
    { ...somebody, basicAuth: { username: 'somebody', password: secrets.password } },
    { ...somebody, basicAuth: { username: 'somebody', password: secrets.password.repeat(1_000) } },
    { ...somebody, oauth2AuthorizationCode: secrets.apiKey },
    { ...somebody, oauth2AuthorizationCode: { accessToken: secrets.apiKey, refreshToken: { token: secrets.apiKey } } },
    { ...somebody, oauth2AuthorizationCode: { accessToken: { token: secrets.apiKey.repeat(1_000) } } },
    { ...somebody, oauth2ClientCredentials: secrets.password },
    { ...somebody, oauth2PasswordCredentials: { username: 'u', password: secrets.password } },
    { ...somebody, customAuth: secrets.apiKey },
    { ...somebody, apiKey: secrets.apiKey, groupRef: 5 },
  ])
    expect([400, 422]).toContain((await call('POST', generate, body)).status)
  await call('POST', generate, `{"apiKey":"${secrets.apiKey}" "`)
  await call('GET', '/projects/default', undefined, `mortise_${secrets.apiKey.replaceAll(/[^a-z]/gi, '')}`)
  for (const metadata of [
    { url: receiver.url, headers: { 'X-Hook-Token': `${secrets.hookHeader}\n` } },
    { url: receiver.url, headers: secrets.hookHeader },
    { url: receiver.url, headers: [secrets.hookHeader] },
    { url: receiver.url, headers: { 'X-Hook-Token': [secrets.hookHeader] } },
    { url: receiver.url, headers: { Host: secrets.hookHeader } },
    { url: `https://somebody:${secrets.hookPath}@example.com/` },
  ]) {
    const { body, status } = await app.call('POST', '/projects/default/destinations', {
      name: 'bad',
      type: 'webhook',
      metadata,
    })
    expect(status).toBe(400)
    answers.push({ what: 'a destination that is refused', text: JSON.stringify(body) })
  }
}

it('no secret leaves its encrypted column', { timeout: 120_000 }, async () => {
  const url = `${receiver.url}/${secrets.hookPath}?key=${secrets.hookQuery}`
  const metadata = { url, headers: { 'X-Hook-Token': secrets.hookHeader } }
  expect(
    (await call('POST', '/projects/default/destinations', { name: 'hook', type: 'webhook', metadata })).status,
  ).toBe(201)
  failing = true
  for (const { name } of schemes) {
    await deploy(app, name, { backfill: { defaultPeriod: { fullHistory: true } } }, false, name)
    await live(name)
  }
  const attempts = async (which: 'failed' | 'delivered') =>
    (await app.db.sql.selectFrom('attempts').select('status').execute()).some(
      ({ status }) => (status === 200) === (which === 'delivered'),
    )
  await until('a failed delivery', () => attempts('failed'))
  failing = false
  await call('PATCH', '/projects/default/destinations/hook', {
    updateMask: ['metadata.url'],
    destination: { metadata },
  })
  await app.db.sql.updateTable('messages').set({ next_attempt_at: sql`now()` }).where('state', '=', 'pending').execute()
  await until('a delivery', () => attempts('delivered'))
  await mistakes()
  for (const path of [
    '/projects',
    '/projects/default',
    '/projects/default/connections',
    '/projects/default/installations',
    '/projects/default/integrations',
    '/projects/default/destinations',
    '/projects/default/destinations/hook',
    '/projects/default/messages',
    '/generate-upload-url',
    '//metrics',
    '//readyz',
  ])
    await call('GET', path)
  const signing = await app.call<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    '/projects/default/destinations/hook?includeSecrets=true&rotate=true',
  )

  const rows = await openStoredRows(app.testDatabase.url)
  const stored = [...(await rows.dump()), ...(await valuesOfBackup(await backUpTo(home, app.testDatabase.url)))]
  await rows.close()

  const all = [
    ...Object.values(secrets),
    app.apiKey,
    app.frontendKey,
    app.otherProject.apiKey,
    signing.body.secrets.webhookSigningKey,
    signing.body.secrets.webhookSigningKey.slice('whsec_'.length),
    Buffer.from(`somebody:${secrets.password}`).toString('base64'),
  ]
  const findings = all.flatMap((secret) => {
    const isSpelled = spelledIn(secret)
    const found: string[] = []
    for (const { table, column, text } of stored)
      if (isSpelled(text)) found.push(`${table}.${column}: ${excerpt(text, secret)}`)
    for (const line of app.logs) if (isSpelled(line)) found.push(`log: ${excerpt(line, secret)}`)
    for (const { what, text } of answers) if (isSpelled(text)) found.push(`${what}: ${excerpt(text, secret)}`)
    return found.map((place) => `${secret} in ${place}`)
  })
  expect([...new Set(findings)].slice(0, 30)).toEqual([])

  // What is encrypted lies where a rotation of keys looks for it.
  const envelope = /v1\.[0-9a-f]{8}\.[A-Za-z0-9+/]{80}\./
  const registered = new Set(encryptedColumns.map(({ table, column }) => `mortise.${table}.${column}`))
  const encrypted = stored.filter(({ table, text }) => table !== 'backup' && envelope.test(text))
  expect(encrypted.length).toBeGreaterThan(5)
  expect(encrypted.map(({ table, column }) => `${table}.${column}`).filter((name) => !registered.has(name))).toEqual([])

  // The search finds what is there: in JSON, in bytes, and in what was answered.
  const { email } = crm.contactsChangedSince(new Date(0))[0]!
  expect(
    stored.some(
      ({ table, column, text }) => table === 'mortise.messages' && column === 'payload' && spelledIn(email)(text),
    ),
  ).toBe(true)
  expect(app.logs.length).toBeGreaterThan(10)
})
