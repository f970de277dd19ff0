import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import {
  asked as account,
  type ConnectingKit,
  startConnectingKit,
} from '../../packages/server/src/features/accounts/authorization-flows/connecting.testkit.ts'
import { postMessages } from '../../packages/server/src/features/messaging/messages/index.ts'
import { authorizationClients } from '../../packages/server/src/testkit/authorization-server.ts'
import type { TestAnswer } from '../../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../../packages/server/src/testkit/test-builder.ts'
import { createSigner } from '../../packages/server/src/testkit/test-consumer.ts'
import { backUpTo } from '../backup.testkit.ts'
import { excerpt, spelledIn, valuesOfBackup } from '../secret-search.testkit.ts'
import { openStoredRows } from '../stored-rows.testkit.ts'
import type { Attack } from './attack.ts'

/**
 * Uses a service with a distinctive secret in every kind of credential, while providers, receivers and the token
 * endpoint fail and echo what they were sent. Then looks for each secret, in every spelling, in all tables, the log at
 * level trace, the metrics, the problems that were answered, and a backup. There are no traces: Mortise sends none.
 */

/** Characters that look different in each spelling. */
const own = {
  apiKey: 'header-key/7Qz+Wm=rT?x&y~4vLk',
  queryKey: 'query-key/3Hn+Pb=sD?x&y~8cJf',
  accountPassword: 'pass-word/5Xg+Yd=kV?x&y~2nMq',
  hookHeader: 'hook-header/9Rt+Bk=wL?x&y~6zSg',
  hookPath: 'hook-path-4Fq8Zj2Nw7',
  builderPassword: 'builder/2Lc+Vt=hZ?x&y~9pQw',
  wrongPassword: 'guessed/6Mf+Jx=bR?x&y~1dKs',
  mailPassword: 'mail-word-8Hs5Tc3Ye6Ub',
}

export const attack: Attack = {
  id: 'S11',
  title: 'No secret stands outside its encrypted column: not in the database, a log, a metric, a problem or a backup.',
  async run() {
    const home = await mkdtemp(join(tmpdir(), 'mortise-s11-'))
    const provider = await startEchoing()
    const receiver = await startEchoing()
    receiver.status = 500
    const kit = await startConnectingKit({
      logLevel: 'trace',
      env: { MORTISE_SMTP_URL: `smtps://mailer:${own.mailPassword}@127.0.0.1:1` },
      providers: () => providerFiles(provider.url),
    })
    try {
      const secrets: Record<string, string> = { ...own, ...authorizationClients, platformKey: kit.app.apiKey }
      const answers: string[] = []
      await connectAccounts(kit, provider, answers)
      await grantAccess(kit, secrets, answers)
      await signIn(kit, secrets, answers)
      await deliver(kit, receiver, secrets, answers)
      await list(kit, answers)

      const rows = await openStoredRows(kit.app.testDatabase.url)
      const stored = [...(await rows.dump()), ...(await valuesOfBackup(await backUpTo(home, kit.app.testDatabase.url)))]
      await rows.close()
      const places = [
        ...stored.map(({ table, column, text }) => ({ place: `${table}.${column}`, text })),
        ...kit.app.logs.map((text) => ({ place: 'the log', text })),
        ...answers.map((text) => ({ place: 'an answer', text })),
      ]
      const hits = Object.entries(secrets).flatMap(([name, secret]) => {
        const isSpelled = spelledIn(secret)
        return places
          .filter(({ text }) => isSpelled(text))
          .map(({ place, text }) => `${name} stands in ${place}: ${excerpt(text, secret).replaceAll(secret, '…')}`)
      })
      const faults = [...new Set(hits)].slice(0, 30)
      const encrypted = stored.filter(({ text }) => /v1\.[0-9a-f]{8}\.[A-Za-z0-9+/]{80}\./.test(text)).length
      if (encrypted < 15) faults.push(`only ${encrypted} values are encrypted: the attack proves nothing.`)
      if (!stored.some(({ text }) => spelledIn('not-a-secret-of-acme')(text))) faults.push('the search finds nothing.')
      return {
        passed: hits.length === 0,
        figures: {
          secrets: Object.keys(secrets).length,
          places: places.length,
          logLines: kit.app.logs.length,
          encryptedValues: encrypted,
          hits: hits.length,
        },
        faults,
      }
    } finally {
      await kit.stop()
      await Promise.all([provider.stop(), receiver.stop()])
      await rm(home, { recursive: true, force: true })
    }
  },
}

interface Echoing {
  url: string
  /** 200 answers as a provider does; any other status echoes the request. */
  status: number
  failures: number
  stop(): Promise<void>
}

async function startEchoing(): Promise<Echoing> {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const echoing: Echoing = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    status: 200,
    failures: 0,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (echoing.status === 200) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"one"}')
      return
    }
    echoing.failures++
    const { headers, rawHeaders, url } = request
    const basic = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64').toString()
    const message = `Wrong: ${rawHeaders.join(' ')} ${url} ${basic} ${Buffer.concat(chunks)}`
    response.writeHead(echoing.status, {
      'content-type': 'application/json',
      'www-authenticate': `Key realm="${basic}"`,
    })
    response.end(JSON.stringify({ error: { message }, message, headers }))
  }
  return echoing
}

function providerFiles(url: string): Record<string, object> {
  const file = (authentication: object) => ({
    baseUrl: url,
    authentication: [authentication],
    healthCheck: { path: '/me' },
  })
  return {
    keyed: file({ scheme: 'apiKey', attach: 'header', name: 'X-Key' }),
    queried: file({ scheme: 'apiKey', attach: 'query', name: 'api_key' }),
    named: file({ scheme: 'basic' }),
  }
}

function noted(answers: string[], { headers, body }: Pick<TestAnswer, 'headers' | 'body'>): void {
  answers.push(`${JSON.stringify([...headers])}\n${JSON.stringify(body)}`)
}

/** Connects an account with each way to pass a credential, while the provider fails, refuses and accepts it. */
async function connectAccounts(kit: ConnectingKit, provider: Echoing, answers: string[]): Promise<void> {
  const credentials: Record<string, object> = {
    keyed: { apiKey: own.apiKey },
    queried: { apiKey: own.queryKey },
    named: { basicAuth: { username: 'somebody', password: own.accountPassword } },
    machines: { oauth2ClientCredentials: { clientId: 'body', clientSecret: authorizationClients.body } },
  }
  const generate = '/projects/default/connections:generate?verify=true'
  for (const [name, credential] of Object.entries(credentials))
    for (const status of [500, 401, 200]) {
      provider.status = status
      const body = { provider: name, groupRef: 'not-a-secret-of-acme', consumerRef: 'ada', ...credential }
      noted(answers, await kit.app.call('POST', generate, body, { apiKey: kit.app.frontendKey }))
      // Refused for another reason than the secret that it holds.
      noted(answers, await kit.app.call('POST', generate, { ...body, groupRef: 5 }))
      noted(answers, await kit.app.call('POST', generate, `${JSON.stringify(body)} "`))
    }
  if (provider.failures < 6) throw new Error('the provider was not asked')
}

/** Connects accounts by OAuth, once while the token endpoint echoes what it was sent. */
async function grantAccess(kit: ConnectingKit, secrets: Record<string, string>, answers: string[]): Promise<void> {
  await kit.makeApp('plain')
  const begin = () => kit.begin({ ...account, groupRef: 'granted', enableCSRFProtection: false })
  kit.server.answerTokens((_, response) => {
    const { parameters, authorization } = kit.server.tokenRequests.at(-1) ?? {}
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ error: 'invalid_grant', error_description: JSON.stringify([parameters, authorization]) }),
    )
  })
  answers.push((await kit.browser().get(await kit.grant(await begin()))).text)
  kit.server.answerTokens(undefined)
  const back = await kit.grant(await begin())
  answers.push((await kit.browser().get(back)).text)
  for (const [index, { parameters }] of kit.server.tokenRequests.entries())
    for (const name of ['code', 'code_verifier']) if (parameters[name]) secrets[`${name} ${index}`] = parameters[name]
  secrets['state'] = new URL(back, kit.app.url).searchParams.get('state') ?? ''

  const imported = await kit.server.issue()
  secrets['accessToken'] = imported.accessToken
  secrets['refreshToken'] = imported.refreshToken
  const tokens = { accessToken: { token: imported.accessToken }, refreshToken: { token: imported.refreshToken } }
  // A frontend key: the answer to a full key holds the credential.
  const made = await kit.app.call(
    'POST',
    '/projects/default/connections:generate?verify=true',
    { ...account, groupRef: 'imported', oauth2AuthorizationCode: tokens },
    { apiKey: kit.app.frontendKey },
  )
  if (made.status !== 201) throw new Error(`an account with tokens is answered with ${made.status}`)
  noted(answers, made)
  for (const [index, { authorization }] of kit.server.resourceRequests.entries())
    if (authorization) secrets[`bearer ${index}`] = authorization.replace('Bearer ', '')
}

/** Signs in as people and as a consumer, rightly and wrongly, and makes the keys and links that stand for them. */
async function signIn(kit: ConnectingKit, secrets: Record<string, string>, answers: string[]): Promise<void> {
  const email = 'owner@example.com'
  const { headers } = await signInBuilder(kit.app, { email, role: 'owner', password: own.builderPassword })
  const call = (path: string, body: object, more: object = {}) =>
    kit.app.call<Record<string, string>>('POST', path, body, { apiKey: null, ...more })
  const session = await call('/sessions', { email, password: own.builderPassword })
  if (session.status !== 200) throw new Error(`a sign-in is answered with ${session.status}`)
  for (const [name, value] of Object.entries(session.body))
    if (/token/i.test(name) && value.length > 20) secrets[`session ${name}`] = value
  noted(answers, await call('/sessions', { email, password: own.wrongPassword }))
  noted(
    answers,
    await call('/my-info/password', { password: own.wrongPassword, newPassword: own.wrongPassword }, { headers }),
  )
  const { orgId } = (await kit.app.call<{ orgId: string }>('GET', '/projects/default')).body
  // Goes out by a mail server that is not there, with a password.
  noted(answers, await call(`/orgs/${orgId}/invites`, { email: 'new@example.com' }, { headers }))

  const key = await kit.app.call<{ key: string }>('POST', '/projects/default/api-keys', {
    label: 'more',
    scopes: ['full'],
  })
  secrets['newKey'] = key.body.key
  noted(answers, await kit.app.call('GET', '/projects', undefined, { apiKey: key.body.key }))
  const link = await kit.app.call<{ url: string }>('POST', '/projects/default/connect-sessions', {
    provider: 'keyed',
    groupRef: 'linked',
    consumerRef: 'ada',
  })
  secrets['connectLink'] = link.body.url.split('/').at(-1) ?? ''
  const consumer = await (await createSigner(kit.app)).headers('granted', 'ada')
  secrets['consumerToken'] = consumer.authorization.replace('Bearer ', '')
  noted(
    answers,
    await kit.app.call('GET', '/projects/default/connections', undefined, { apiKey: null, headers: consumer }),
  )
}

/** Delivers to a receiver that fails and echoes, with a secret in the URL and in a header. */
async function deliver(
  kit: ConnectingKit,
  receiver: Echoing,
  secrets: Record<string, string>,
  answers: string[],
): Promise<void> {
  const metadata = { url: `${receiver.url}/${own.hookPath}`, headers: { 'X-Hook': own.hookHeader } }
  const path = '/projects/default/destinations'
  noted(answers, await kit.app.call('POST', path, { name: 'hook', type: 'webhook', metadata }))
  const { body } = await kit.app.call<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    `${path}/hook?includeSecrets=true`,
  )
  secrets['signingKey'] = body.secrets.webhookSigningKey.replace('whsec_', '')
  await kit.app.db.transaction((tx) =>
    postMessages(tx, kit.app.app.services, [{ destinationName: 'hook', kind: 'read', payload: Buffer.from('{}') }]),
  )
  for (const until = Date.now() + 60_000; Date.now() < until; await setTimeout(20)) {
    const { rows } = await sql<{ status: number }>`select status from attempts where status = 500`.execute(
      kit.app.db.sql,
    )
    if (rows.length > 0) return
  }
  throw new Error('the receiver was not asked in time')
}

async function list(kit: ConnectingKit, answers: string[]): Promise<void> {
  const project = '/projects/default'
  const names = [
    'connections',
    'provider-apps',
    'destinations',
    'destinations/hook',
    'messages',
    'jwt-keys',
    'integrations',
  ]
  for (const path of [project, ...names.map((name) => `${project}/${name}`), '//metrics', '//readyz'])
    noted(answers, await kit.app.call('GET', path))
}
