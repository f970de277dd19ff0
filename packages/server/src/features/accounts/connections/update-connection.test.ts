import { resolve } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type SampleCrm, startSampleCrm } from '../../../../../../examples/sample-crm/src/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { openProviderAccess } from '../../provider-calls/calls/index.ts'
import { reportUse } from './report-use.ts'

const providers = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')

interface Body {
  id: string
  status: string
  apiKey?: string
  updateTime?: string
  providerWorkspaceRef?: string
  providerMetadata?: Record<string, unknown>
}
interface ProblemBody {
  detail: string
  context: { code: string }
  issues: { in: string; name: string; detail: string; remedy?: string; value?: unknown }[]
}

let app: TestApp
let crm: SampleCrm
let groups = 0
let groupRef = ''
let moves: { connectionId: string; to: string }[] = []
let changes: { connectionId: string; isNew: boolean }[] = []

beforeAll(async () => {
  crm = await startSampleCrm({ contacts: 10, rateLimit: 0 })
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providers } })
  const { hooks } = app.app.services
  const { connectionCreated, connectionStatusChanged } = hooks
  hooks.connectionStatusChanged = async (tx, change) => {
    moves.push(change)
    await connectionStatusChanged(tx, change)
  }
  hooks.connectionCreated = async (tx, change) => {
    changes.push(change)
    await connectionCreated(tx, change)
  }
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})
beforeEach(() => {
  groupRef = `group-${++groups}`
  changes = []
  moves = []
})

const base = () => `/projects/${app.projectId}/connections`
const sample = (more = {}) => ({
  groupRef,
  consumerRef: 'ada',
  provider: 'sampleCrm',
  apiKey: crm.apiKey,
  providerMetadata: { url: crm.url },
  ...more,
})
const made = async (body: unknown = sample()) => {
  const answer = await app.call<Body>('POST', `${base()}:generate?verify=true`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  changes = []
  return answer.body
}
const patch = <T = Body>(id: string, updateMask: unknown, connection: unknown, query = '', options = {}) =>
  app.call<T>('PATCH', `${base()}/${id}${query}`, { updateMask, connection }, options)
const get = async (id: string, query = '') => (await app.call<Body>('GET', `${base()}/${id}${query}`)).body
const generation = async (id: string) => {
  const { rows } = await sql<{ generation: number }>`
    select generation from connection_credentials where connection_id = ${id}`.execute(app.db.sql)
  return rows[0]?.generation
}

describe('a new credential', () => {
  test('replaces the old one, is unproven, and is checked like that of a new connection', async () => {
    const { id } = await made()
    const answer = await patch(id, ['apiKey'], { apiKey: 'wrong' })
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'created' } })
    expect(answer.body).not.toHaveProperty('apiKey')
    expect(answer.body).toHaveProperty('updateTime')
    expect(await generation(id)).toBe(2)
    expect(changes).toEqual([{ connectionId: id, isNew: false }])
    await vi.waitFor(async () => expect((await get(id)).status).toBe('bad_credentials'), { timeout: 30_000 })
    expect((await patch(id, ['apiKey'], { apiKey: crm.apiKey }, '?verify=true')).body.status).toBe('working')
    expect((await get(id, '?includeCreds=true')).apiKey).toBe(crm.apiKey)
  })

  test('user name and password', async () => {
    const { id } = await made({
      groupRef,
      consumerRef: 'ada',
      provider: 'ashby',
      basicAuth: { username: 'a', password: 'b' },
    })
    expect((await patch(id, ['basicAuth'], { basicAuth: { username: 'c', password: '' } })).status).toBe(200)
    const { context } = await openProviderAccess(app.db, app.app.services, id)
    const authorization = `Basic ${Buffer.from('c:').toString('base64')}`
    expect(await context.credential.authenticate({})).toMatchObject({ headers: { authorization } })
  })

  test('is not in the response, and lies encrypted', async () => {
    const { id } = await made()
    const apiKey = 'another-very-secret-key-0123456789'
    for (const caller of [app.apiKey, app.frontendKey]) {
      const answer = await patch(id, ['apiKey'], { apiKey }, '', { apiKey: caller })
      expect(answer.status).toBe(200)
      expect(JSON.stringify(answer.body)).not.toContain(apiKey)
    }
    const { rows } = await sql<{ encrypted: string }>`
      select encrypted from connection_credentials where connection_id = ${id}`.execute(app.db.sql)
    expect(rows[0]?.encrypted).toMatch(/^v1\./)
    expect(app.logs.join('\n')).not.toContain(apiKey)
  })

  test('must be of the kind that the connection has', async () => {
    const { id } = await made()
    const { id: custom } = await made({
      groupRef,
      consumerRef: 'ada',
      provider: 'gitlab',
      customAuth: { token: 't' },
    })
    const credentials = {
      basicAuth: { username: 'u', password: 'p' },
      oauth2ClientCredentials: { clientId: 'c', clientSecret: 's' },
      oauth2PasswordCredentials: { username: 'u', password: 'p', clientId: 'c', clientSecret: 's' },
    }
    const answer = await patch<ProblemBody>(id, Object.keys(credentials), credentials)
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ name, value }) => [name, value])).toEqual([
      ['updateMask[0]', 'basicAuth'],
      ['updateMask[1]', 'oauth2ClientCredentials'],
      ['updateMask[2]', 'oauth2PasswordCredentials'],
    ])
    expect((await patch(custom, ['apiKey'], { apiKey: 'k' })).status).toBe(400)
    expect(await generation(id)).toBe(1)
    expect(changes).toEqual([])
  })
})

describe('the mask', () => {
  test('names what there is, with a value each; everything wrong is told at once', async () => {
    const { id } = await made()
    const answer = await patch<ProblemBody>(id, ['status', 'providerMetadata', 'apiKey', 'customAuth', 'basicAuth'], {
      apiKey: '',
    })
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((at) => `updateMask[${at}]`))
    expect(answer.body.issues[0]?.remedy).toBe(
      'Use one of providerWorkspaceRef, providerMetadata, apiKey, basicAuth, oauth2ClientCredentials, oauth2PasswordCredentials.',
    )
    expect(answer.body.issues[1]?.detail).toContain('no value')
  })

  test.each([[[]], ['apiKey'], [undefined], [[5]]])('%j is none', async (mask) => {
    const { id } = await made()
    expect((await patch(id, mask, { apiKey: 'x' })).status).toBe(400)
    expect((await app.call('PATCH', `${base()}/${id}`, { updateMask: ['apiKey'] })).status).toBe(400)
  })

  test('what it does not name is ignored', async () => {
    const { id } = await made()
    const change = { apiKey: 'wrong', providerWorkspaceRef: 'w', groupRef: 'other', status: 'working', id: 'x' }
    const answer = await patch(id, ['providerMetadata'], { ...change, providerMetadata: { url: crm.url, a: 'b' } })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      id,
      group: { groupRef },
      providerMetadata: { a: { value: 'b', source: 'input' } },
    })
    expect(answer.body).not.toHaveProperty('providerWorkspaceRef')
    expect((await get(id, '?includeCreds=true')).apiKey).toBe(crm.apiKey)
  })
})

describe('metadata and workspace', () => {
  test('metadata is replaced as a whole', async () => {
    const { id } = await made(sample({ providerMetadata: { url: crm.url, gone: 'x' } }))
    const merged = { url: { value: crm.url, source: 'input' }, fresh: { value: 'y', source: 'token' } }
    const answer = await patch(id, ['providerMetadata'], { providerMetadata: merged })
    expect(answer.body.providerMetadata).toEqual(merged)
    expect(changes).toEqual([{ connectionId: id, isNew: false }])
  })

  test('what the provider needs must stay, at an address that is open', async () => {
    const answer = await made({
      groupRef,
      consumerRef: 'ada',
      provider: 'loxo',
      apiKey: 'k',
      providerWorkspaceRef: 'acme',
      providerMetadata: { agencySlug: 'a' },
    })
    const refused = await patch<ProblemBody>(answer.id, ['providerMetadata', 'providerWorkspaceRef'], {
      providerMetadata: {},
      providerWorkspaceRef: '',
    })
    expect(refused.status).toBe(400)
    expect(refused.body.issues.map(({ name }) => name)).toEqual([
      'connection.providerWorkspaceRef',
      'connection.providerMetadata.agencySlug',
    ])
    const { id } = await made()
    const closed = { providerMetadata: { url: 'http://169.254.169.254' } }
    expect((await patch(id, ['providerMetadata'], closed)).status).toBe(400)
  })

  test('a refused credential gets another chance, one that works keeps its status', async () => {
    const { id } = await made()
    const metadata = { providerMetadata: { url: crm.url, a: 'b' } }
    expect((await patch(id, ['providerMetadata'], metadata, '?verify=true')).body.status).toBe('working')
    const { connection } = await openProviderAccess(app.db, app.app.services, id)
    await reportUse(app.db, app.app.services, connection, 'credentials')
    expect(moves.filter((move) => move.connectionId === id).at(-1)?.to).toBe('bad_credentials')
    expect((await patch(id, ['providerMetadata'], metadata, '?verify=true')).body.status).toBe('working')
    expect(
      moves
        .filter((move) => move.connectionId === id)
        .map(({ to }) => to)
        .slice(-2),
      // That it works again has no consequences, because no installation uses it.
    ).toEqual(['bad_credentials', 'created'])
    // What was sent before the change says nothing about after it.
    await reportUse(app.db, app.app.services, connection, 'credentials')
    expect((await get(id)).status).toBe('working')
  })

  test('the workspace can be set, changed and taken away', async () => {
    const { id } = await made()
    const to = (providerWorkspaceRef: string) => patch(id, ['providerWorkspaceRef'], { providerWorkspaceRef })
    expect((await to('w1')).body.providerWorkspaceRef).toBe('w1')
    expect((await made(sample({ providerWorkspaceRef: 'w1' }))).id).toBe(id)
    expect((await to('')).body).not.toHaveProperty('providerWorkspaceRef')
  })

  test('two connections to one workspace are a 409, and nothing has changed', async () => {
    const { id } = await made()
    await made(sample({ providerWorkspaceRef: 'w1' }))
    const answer = await patch<ProblemBody>(id, ['providerWorkspaceRef', 'apiKey'], {
      providerWorkspaceRef: 'w1',
      apiKey: 'wrong',
    })
    expect(answer).toMatchObject({ status: 409, body: { context: { code: 'connection-exists' } } })
    expect(await get(id, '?includeCreds=true')).toMatchObject({ apiKey: crm.apiKey, status: 'working' })
    expect(await generation(id)).toBe(1)
  })
})

test('of many changes at once each one counts, and one of them is last', async () => {
  const { id } = await made()
  const keys = Array.from({ length: 8 }, (_, index) => `key-${index}`)
  const answers = await Promise.all(keys.map((apiKey) => patch(id, ['apiKey'], { apiKey })))
  expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200))
  expect(await generation(id)).toBe(1 + keys.length)
  expect(keys).toContain((await get(id, '?includeCreds=true')).apiKey)
})

test('unknown, malformed and other projects’ ids look the same', async () => {
  const { id } = await made()
  const other = { apiKey: app.otherProject.apiKey }
  const answers = await Promise.all([
    patch<ProblemBody>('0190a0a0-0000-7000-8000-000000000000', ['apiKey'], { apiKey: 'x' }),
    patch<ProblemBody>('nope', ['apiKey'], { apiKey: 'x' }),
    app.call<ProblemBody>(
      'PATCH',
      `/projects/other/connections/${id}`,
      { updateMask: ['apiKey'], connection: { apiKey: 'x' } },
      other,
    ),
  ])
  for (const { status, body } of answers) {
    expect(status).toBe(404)
    expect(body.context.code).toBe('connection-not-found')
  }
})
