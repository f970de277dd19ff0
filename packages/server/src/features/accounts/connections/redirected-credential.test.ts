import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkHealth } from '@mortise/providers'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../../../providers/src/testing/http-server.testkit.ts'
import { untilLockWait } from '../../../testkit/lock-waits.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { createSigner, type TestSigner } from '../../../testkit/test-consumer.ts'
import { openProviderAccess } from '../../provider-calls/calls/index.ts'
import { advanceGeneration } from '../credentials/index.ts'
import { learnProviderValues } from './learn-provider-values.ts'
import { lockConnections } from './store.ts'

/**
 * A caller who may not read a stored credential must not choose where it is sent: two real servers stand for the
 * provider and for the attacker, and the attacker's server must never be asked anything.
 */

interface ProblemBody {
  detail: string
  context: { code: string }
  issues: { name: string }[]
}

let home: string
let provider: TestServer
let evil: TestServer
let app: TestApp
let signer: TestSigner
let groups = 0
let groupRef = ''

const key = 'authentication: [{ scheme: apiKey, attach: header, name: X-Key }]'
const check = 'healthCheck: { path: /me }'

/** One file for each way in which a value of the connection becomes part of an address. */
const files = (origin: string): Record<string, string> => ({
  whole: `baseUrl: '{{url}}'\ninputs: [{ name: url, kind: url }]\n${key}\n${check}`,
  defaulted: `baseUrl: '{{url}}'\ninputs: [{ name: url, kind: url, default: '${origin}' }]\n${key}\n${check}`,
  checked: `baseUrl: ${origin}\ninputs: [{ name: url, kind: url }]\n${key}\nhealthCheck: { url: '{{url}}/me' }`,
  rooted: `baseUrl: ${origin}/{{tenant}}\ninputs: [{ name: tenant }]\n${key}\n${check}`,
  asked: `baseUrl: ${origin}\ninputs: [{ name: url, kind: url }]\n${key}\n${check}
postAuthentication: [{ name: account, request: { url: '{{url}}/account', path: id } }]`,
  derived: `baseUrl: '{{site}}'\n${key}\n${check}
inputs: [{ name: team, use: kept }]
postAuthentication:
  - { name: site, kind: url, request: { url: '${origin}/sites', list: sites, when: { team: '{{team}}' }, path: url } }`,
  moduled: `baseUrl: ${origin}\ninputs: [{ name: url, kind: url }]\n${key}\n${check}
defaultModule: main
modules: { main: { displayName: Main }, other: { displayName: Other, baseUrl: '{{url}}' } }`,
  workspaced: `baseUrl: ${origin}/{{workspace}}\ninputs: [{ name: workspace }]\n${key}\n${check}`,
  machine: `baseUrl: '{{url}}'
inputs: [{ name: url, kind: url }, { name: auth, kind: url }]
authentication: [{ scheme: oauth2, grantType: clientCredentials, tokenUrl: '{{auth}}/token', clientAuthentication: body }]
${check}`,
})

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mortise-redirected-'))
  provider = await startServer(({ url }) => {
    if (url.pathname.endsWith('/token')) return { body: { access_token: 'minted', expires_in: 3600 } }
    if (url.pathname.endsWith('/sites'))
      return {
        body: {
          sites: [
            { team: 'acme', url: provider.origin },
            { team: 'evil', url: evil.origin },
          ],
        },
      }
    return { body: { id: 'one' } }
  })
  evil = await startServer(() => ({ body: { id: 'evil', access_token: 'evil', expires_in: 3600 } }))
  for (const [name, text] of Object.entries(files(provider.origin)))
    await writeFile(join(home, `${name}.yaml`), `name: ${name}\n${text}\n`)
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: home } })
  expect(app.app.services.catalogue.faults).toEqual([])
  signer = await createSigner(app)
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await provider?.[Symbol.asyncDispose]()
  await evil?.[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})
beforeEach(() => {
  groupRef = `group-${++groups}`
  evil.seen.length = 0
})

const callers = [
  { who: 'a frontend key', options: async () => ({ apiKey: app.frontendKey }) },
  { who: 'a consumer token', options: async () => ({ apiKey: null, headers: await signer.headers(groupRef, 'ada') }) },
]

/** What a connection of each file is made with, and the place that the attacker would like better. */
const kinds = (): {
  name: string
  metadata: Record<string, string>
  swapped: Record<string, string>
  ref?: string
}[] => [
  { name: 'whole', metadata: { url: provider.origin }, swapped: { url: evil.origin } },
  { name: 'defaulted', metadata: {}, swapped: { url: evil.origin } },
  { name: 'defaulted', metadata: { url: `${provider.origin}/own` }, swapped: {} },
  { name: 'checked', metadata: { url: provider.origin }, swapped: { url: evil.origin } },
  { name: 'rooted', metadata: { tenant: 'acme' }, swapped: { tenant: 'evil' } },
  { name: 'asked', metadata: { url: provider.origin }, swapped: { url: evil.origin } },
  { name: 'derived', metadata: { team: 'acme' }, swapped: { team: 'evil' } },
  { name: 'derived', metadata: { team: 'acme' }, swapped: { team: 'acme', site: '$evil' } },
  { name: 'moduled', metadata: { url: provider.origin }, swapped: { url: evil.origin } },
  { name: 'workspaced', metadata: {}, ref: 'acme', swapped: { workspace: 'evil' } },
  {
    name: 'machine',
    metadata: { url: provider.origin, auth: provider.origin },
    swapped: { url: provider.origin, auth: evil.origin },
  },
  {
    name: 'machine',
    metadata: { url: provider.origin, auth: provider.origin },
    swapped: { url: evil.origin, auth: provider.origin },
  },
]

const secrets = { oauth2ClientCredentials: { clientId: 'stored-id', clientSecret: 'stored-secret' } }
const credentialOf = (name: string, apiKey = 'stored-key') => (name === 'machine' ? secrets : { apiKey })
const base = () => `/projects/${app.projectId}/connections`

async function made(name: string, providerMetadata: Record<string, string>, ref?: string, more = {}) {
  const answer = await app.call<{ id: string; status: string }>('POST', `${base()}:generate?verify=true`, {
    groupRef,
    consumerRef: 'ada',
    provider: name,
    providerMetadata,
    ...(ref && { providerWorkspaceRef: ref }),
    ...credentialOf(name),
    ...more,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

const patch = (id: string, updateMask: string[], connection: object, options: object = {}) =>
  app.call<ProblemBody>('PATCH', `${base()}/${id}?verify=true`, { updateMask, connection }, options)

describe.each(callers)('$who', ({ options }) => {
  test('that changes an address without the credential is refused, whatever the way to the address', async () => {
    for (const { name, metadata, swapped, ref } of kinds()) {
      const { id, status } = await made(name, metadata, ref)
      expect(status, name).toBe('working')
      const providerMetadata = Object.fromEntries(
        Object.entries(swapped).map(([value, text]) => [value, text.replace('$evil', evil.origin)]),
      )
      const { status: answered, body } = await patch(id, ['providerMetadata'], { providerMetadata }, await options())
      expect([name, answered, body.context?.code]).toEqual([name, 403, 'credential-needed'])
      expect(body.issues.map((issue) => issue.name).join(), name).toMatch(
        /^connection\.provider(Metadata\.\w+|WorkspaceRef)/,
      )
      await app.call('DELETE', `${base()}/${id}`)
    }
    expect(evil.seen).toEqual([])
  })

  test('cannot name another workspace where it is part of the address, nor take it away', async () => {
    const { id } = await made('workspaced', {}, 'acme')
    for (const providerWorkspaceRef of ['evil', 'Acme']) {
      const answer = await patch(id, ['providerWorkspaceRef'], { providerWorkspaceRef }, await options())
      expect(answer).toMatchObject({ status: 403, body: { issues: [{ name: 'connection.providerWorkspaceRef' }] } })
    }
    const emptied = await patch(id, ['providerWorkspaceRef'], { providerWorkspaceRef: '' }, await options())
    expect([400, 403]).toContain(emptied.status)
  })

  test('may send the same values, and others that lead nowhere', async () => {
    const { id } = await made('whole', { url: provider.origin })
    const same = { url: { value: provider.origin, source: 'input' }, note: 'mine' }
    expect((await patch(id, ['providerMetadata'], { providerMetadata: same }, await options())).status).toBe(200)
  })

  test('may change an address together with the credential: the new one alone goes there', async () => {
    const { id } = await made('whole', { url: provider.origin })
    const connection = { providerMetadata: { url: evil.origin }, apiKey: 'own-key' }
    expect((await patch(id, ['providerMetadata', 'apiKey'], connection, await options())).status).toBe(200)
    const machine = await made('machine', { url: provider.origin, auth: provider.origin })
    const own = { oauth2ClientCredentials: { clientId: 'own', clientSecret: 'own-key' } }
    const moved = { providerMetadata: { url: evil.origin, auth: evil.origin }, ...own }
    const mask = ['providerMetadata', 'oauth2ClientCredentials']
    expect((await patch(machine.id, mask, moved, await options())).status).toBe(200)
    const sent = JSON.stringify(evil.seen.map(({ headers, body }) => [headers, body]))
    expect(sent).toContain('own-key')
    expect(sent).not.toMatch(/stored|minted/)
  })

  test('that generates a connection again sends its own credential, never the stored one', async () => {
    const { id } = await made('whole', { url: provider.origin })
    const body = { groupRef, consumerRef: 'ada', provider: 'whole', providerMetadata: { url: evil.origin } }
    const without = await app.call('POST', `${base()}:generate?verify=true`, body, await options())
    expect(without.status).toBe(400)
    expect(evil.seen).toEqual([])
    const own = await app.call<{ id: string }>(
      'POST',
      `${base()}:generate?verify=true`,
      { ...body, apiKey: 'own-key' },
      await options(),
    )
    expect([own.status, own.body.id]).toEqual([201, id])
    expect(evil.seen.map(({ headers }) => headers['x-key'])).toEqual(['own-key'])
  })

  test('that plants an address has nothing from whoever connects later', async () => {
    const account = { groupRef, consumerRef: 'ada', provider: 'defaulted' }
    const planted = { ...account, apiKey: 'own-key', providerMetadata: { url: evil.origin, note: 'stays' } }
    const first = await app.call<{ id: string }>('POST', `${base()}:generate?verify=true`, planted, await options())
    expect(first.status).toBe(201)
    evil.seen.length = 0
    const again = await app.call<{ id: string; status: string; providerMetadata: object }>(
      'POST',
      `${base()}:generate?verify=true`,
      { ...account, apiKey: 'stored-key' },
    )
    expect(again.body).toMatchObject({ id: first.body.id, status: 'working' })
    expect(again.body.providerMetadata).toEqual({ note: { value: 'stays', source: 'input' } })
    expect(evil.seen).toEqual([])
  })
})

test('a key of scope full may move a connection with its credential', async () => {
  const { id } = await made('whole', { url: provider.origin })
  const moved = await patch(id, ['providerMetadata'], { providerMetadata: { url: `${provider.origin}/moved` } })
  expect(moved.status).toBe(200)
  expect(provider.seen.at(-1)).toMatchObject({ headers: { 'x-key': 'stored-key' } })
  expect(provider.seen.at(-1)?.url.pathname).toBe('/moved/me')
})

test('who holds a connection open sends a new credential to no old address', async () => {
  const { id } = await made('whole', { url: evil.origin }, undefined, { apiKey: 'own-key' })
  const held = await openProviderAccess(app.db, app.app.services, id)
  await made('whole', { url: provider.origin })
  evil.seen.length = 0
  const asked = checkHealth(held.entry, held.context, held.http)
  await expect(asked).rejects.toThrow('The connection was changed meanwhile.')
  expect(evil.seen).toEqual([])
})

test('what another host answered meanwhile does not become part of the address', async () => {
  const { id } = await made('derived', { team: 'acme' })
  const held = await openProviderAccess(app.db, app.app.services, id)
  await made('derived', { team: 'acme', site: `${provider.origin}/own` })
  const signal = AbortSignal.timeout(10_000)
  await learnProviderValues(app.db, app.app.services, held, signal).catch(() => false)
  const { body } = await app.call<{ providerMetadata: Record<string, { value: string }> }>('GET', `${base()}/${id}`)
  expect(body.providerMetadata['site']?.value).toBe(`${provider.origin}/own`)
})

test('what an account answered whose credential was replaced meanwhile does not become part of the address', async () => {
  const { id } = await made('derived', { team: 'acme' })
  const { services } = app.app
  await sql`update connections set provider_metadata = provider_metadata - 'site' where id = ${id}`.execute(app.db.sql)
  services.connectionHandles.forget(app.projectId, id)
  const held = await openProviderAccess(app.db, services, id)
  let learning: Promise<boolean> | undefined
  await app.db.transaction(async (tx) => {
    await lockConnections(tx, { ids: [id] })
    await advanceGeneration(tx, id)
    learning = learnProviderValues(app.db, services, held, AbortSignal.timeout(20_000))
    await untilLockWait(app.db.sql)
  })
  expect(await learning).toBe(false)
  const { body } = await app.call<{ providerMetadata: object }>('GET', `${base()}/${id}`)
  expect(body.providerMetadata).not.toHaveProperty('site')
})
