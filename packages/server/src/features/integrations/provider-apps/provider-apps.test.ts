import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { appValue, encryptStoredSecrets, openClientSecret, type ProviderAppRow } from './index.ts'
import { lockProviderApp } from './store.ts'

interface Body {
  id: string
  provider: string
  clientId: string
  scopes?: string[]
  metadata?: object
}
interface ProblemBody {
  context: { code: string }
  issues: { in: string; name: string; detail: string; remedy?: string; value?: unknown }[]
}

let app: TestApp
const secret = 'a-client-secret-0123456789'

beforeAll(async () => {
  app = await startTestApp()
})
afterAll(async () => {
  await app?.stop()
})

const base = '/projects/default/provider-apps'
const salesforce = { provider: 'salesforce', clientId: 'client', clientSecret: secret }
const create = <T = Body>(body: unknown, options = {}) => app.call<T>('POST', base, body, options)
const made = async (body: unknown = salesforce) => {
  const answer = await create(body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
const patch = <T = Body>(id: string, updateMask: unknown, providerApp: unknown) =>
  app.call<T>('PATCH', `${base}/${id}`, { updateMask, providerApp })
const list = async <T = Body>(query = '', options = {}) =>
  (await app.call<T[]>('GET', `${base}${query}`, undefined, options)).body
const secretOf = async (id: string) => {
  const row = await app.db.transaction((tx) => lockProviderApp(tx, id))
  return row && openClientSecret(app.keyring, row)
}

test('a deploy names the scopes that the newest app of a provider lacks, and the objects that need them', async () => {
  const read = {
    objects: [
      { objectName: 'contacts', destination: 'hook' },
      { objectName: 'deals', destination: 'hook' },
    ],
  }
  const integration = { name: 'one', provider: 'hubspot', read, write: { objects: [{ objectName: 'contacts' }] } }
  const manifest = JSON.stringify({ specVersion: '1.0.0', integrations: [integration] })
  const advice = async () => {
    const path = '/projects/default/integrations:validate'
    const { body } = await app.call<{ findings: { rule: string; path: string; message: string }[] }>('POST', path, {
      sourceYaml: manifest,
    })
    return body.findings.filter(({ rule }) => rule === 'provider-app-scopes').map(({ message }) => message)
  }
  expect(await advice()).toEqual([])
  const needs = 'hubspot needs the scope'
  const missing = [
    `To read "deals", ${needs} crm.objects.deals.read, which the provider app does not list.`,
    `To write "contacts", ${needs} crm.objects.contacts.write, which the provider app does not list.`,
  ]
  const scopes = ['crm.objects.contacts.read']
  await made({ ...salesforce, provider: 'hubspot', scopes })
  expect(await advice()).toEqual(missing)
  expect((await app.call('PUT', '/projects/default/integrations:batch', { sourceYaml: manifest })).status).toBe(200)
  expect((await list<{ missingScopes: object[] }>())[0]?.missingScopes).toEqual([
    { objectName: 'deals', action: 'read', anyOf: ['crm.objects.deals.read'] },
    { objectName: 'contacts', action: 'write', anyOf: ['crm.objects.contacts.write'] },
  ])
  const optional_scope = ['crm.objects.contacts.write crm.objects.deals.read']
  await made({ ...salesforce, provider: 'hubspot', scopes, metadata: { authQueryParams: { optional_scope } } })
  expect(await advice()).toEqual([])
  expect((await list())[0]).not.toHaveProperty('missingScopes')
  await app.call('DELETE', '/projects/default/integrations/one')
})

describe('creating', () => {
  test('answers 200 with everything but the secret, which lies encrypted', async () => {
    const metadata = {
      authQueryParams: { optional_scope: ['a', 'b'] },
      providerParams: { packageInstallURL: 'https://x' },
    }
    const created = await made({ ...salesforce, externalRef: 'ref', scopes: ['api'], metadata, id: '', createTime: '' })
    expect(created).toEqual({
      id: expect.any(String),
      projectId: app.projectId,
      provider: 'salesforce',
      clientId: 'client',
      externalRef: 'ref',
      scopes: ['api'],
      metadata,
      createTime: expect.any(String),
    })
    expect(await secretOf(created.id)).toBe(secret)
    expect(JSON.stringify(await list())).not.toContain(secret)
    const { rows } = await sql<{ row: string }>`select a::text as row from provider_apps a`.execute(app.db.sql)
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(app.logs.join('\n')).not.toContain(secret)
  })

  test('lists inside the list of scopes are flattened, each scope is kept once', async () => {
    expect((await made({ ...salesforce, scopes: [['a', 'b'], 'c', ['a']] })).scopes).toEqual(['a', 'b', 'c'])
    expect((await made({ ...salesforce, scopes: [] })).scopes).toEqual([])
    expect(await made()).not.toHaveProperty('scopes')
  })

  test.each<[string, object, number, string[]]>([
    ['an unknown provider', { ...salesforce, provider: 'Salesforce' }, 422, ['provider']],
    ['a provider without apps', { ...salesforce, provider: 'ashby' }, 422, ['provider']],
    ['HubSpot without scopes', { ...salesforce, provider: 'hubspot' }, 422, ['scopes']],
    ['HubSpot with no scopes', { ...salesforce, provider: 'hubspot', scopes: [[]] }, 422, ['scopes']],
    ['nothing', {}, 400, ['provider', 'clientId', 'clientSecret']],
    ['all at once', { provider: 'hubspot', clientId: 5 }, 400, ['clientSecret', 'clientId', 'scopes']],
    [
      'other types',
      { ...salesforce, scopes: [5], metadata: { providerParams: { a: 1 } } },
      400,
      ['scopes[0]', 'metadata.providerParams.a'],
    ],
    ['an empty secret', { ...salesforce, clientSecret: '' }, 400, ['clientSecret']],
  ])('%s is refused', async (_, body, status, names) => {
    const answer = await create<ProblemBody>(body)
    expect(answer.status).toBe(status)
    expect(answer.body.issues.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    expect(JSON.stringify(answer.body)).not.toContain(secret)
  })

  test.each([12345678, `12345678${'x'.repeat(5_000)}`])('a setting that is refused is not repeated', async (token) => {
    const answer = await create({ ...salesforce, metadata: { providerParams: { developerToken: token } } })
    expect(answer).toMatchObject({
      status: 400,
      body: { issues: [{ name: 'metadata.providerParams.developerToken' }] },
    })
    expect(JSON.stringify(answer.body)).not.toContain('12345678')
  })

  test('custom authentication that takes something from the builder has apps', async () => {
    await made({ ...salesforce, provider: 'microsoftAdminConsent' })
    await made({ ...salesforce, provider: 'hubspot', scopes: ['crm'] })
    expect((await create({ ...salesforce, provider: 'bigquery' })).status).toBe(422)
  })
})

describe('listing', () => {
  test('newest first, to front ends too, in pages for whoever asks', async () => {
    const first = await made()
    const second = await made()
    const all = await list('', { apiKey: app.frontendKey })
    expect(all.slice(0, 2).map(({ id }) => id)).toEqual([second.id, first.id])
    const page = await app.call<Body[]>('GET', `${base}?pageSize=1`)
    expect(page.body.map(({ id }) => id)).toEqual([second.id])
    const next = await list(`?pageSize=1&pageToken=${page.headers.get('x-next-page-token')}`)
    expect(next.map(({ id }) => id)).toEqual([first.id])
  })
})

describe('changing', () => {
  test('what the mask names, and nothing else', async () => {
    const { id } = await made({ ...salesforce, externalRef: 'ref', scopes: ['a'] })
    const change = {
      clientId: 'other',
      clientSecret: 'other-secret',
      scopes: [['b']],
      externalRef: '',
      provider: 'ashby',
    }
    const answer = await patch(id, ['clientId', 'clientSecret', 'scopes', 'externalRef'], change)
    expect(answer).toMatchObject({
      status: 200,
      body: { id, provider: 'salesforce', clientId: 'other', scopes: ['b'] },
    })
    expect(answer.body).not.toHaveProperty('externalRef')
    expect(answer.body).toHaveProperty('updateTime')
    expect(JSON.stringify(answer.body)).not.toContain('secret')
    expect(await secretOf(id)).toBe('other-secret')
    const metadata = { providerParams: { a: 'b' } }
    expect((await patch(id, ['metadata'], { metadata })).body).toMatchObject({ clientId: 'other', metadata })
  })

  test('everything wrong with a mask is told at once', async () => {
    const { id } = await made()
    const answer = await patch<ProblemBody>(id, ['id', 'scopes', 'metadata.providerParams', 'provider'], {
      provider: 'hubspot',
    })
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ name }) => name)).toEqual([
      'updateMask[0]',
      'updateMask[1]',
      'updateMask[2]',
      'providerApp.scopes',
      'providerApp.clientSecret',
    ])
    expect(answer.body.issues[0]?.remedy).toBe(
      'Use one of externalRef, clientId, clientSecret, provider, scopes, metadata, allowedHosts.',
    )
    expect((await patch(id, [], {})).status).toBe(400)
    expect((await patch(id, ['provider'], { provider: 'nobody' })).status).toBe(400)
    expect((await list()).find((one) => one.id === id)).toMatchObject({ provider: 'salesforce' })
  })

  test('further hosts and another provider need the client secret again: nobody is shown the stored one', async () => {
    const { id } = await made({ ...salesforce, provider: 'gitlab', allowedHosts: ['git.acme.com', '*.corp.example'] })
    const before = await stored(id)
    const needed = (setting: string) => ({
      status: 400,
      body: {
        issues: [
          {
            name: 'providerApp.clientSecret',
            detail: `providerApp.clientSecret is needed again: providerApp.${setting} would send the stored value to another receiver.`,
          },
        ],
      },
    })
    const hosts = ['git.acme.com', 'git.evil.example']
    expect(await patch(id, ['allowedHosts'], { allowedHosts: hosts })).toMatchObject(needed('allowedHosts'))
    expect(await patch(id, ['allowedHosts'], { allowedHosts: ['*.acme.com'] })).toMatchObject(needed('allowedHosts'))
    expect(await patch(id, ['provider'], { provider: 'pipedrive' })).toMatchObject(needed('provider'))
    // In the body, but not in the mask.
    expect(await patch(id, ['allowedHosts'], { allowedHosts: hosts, clientSecret: 'own' })).toMatchObject(
      needed('allowedHosts'),
    )
    expect(await stored(id)).toEqual(before)
    const fewer = ['git.corp.example', '*.dev.corp.example']
    expect((await patch(id, ['allowedHosts'], { allowedHosts: fewer })).status).toBe(200)
    const both = { allowedHosts: hosts, clientSecret: 'own' }
    expect((await patch(id, ['allowedHosts', 'clientSecret'], both)).status).toBe(200)
    expect(await secretOf(id)).toBe('own')
  })

  test('an app of another provider has none of the secrets of the former one', async () => {
    const { id } = await made({
      ...salesforce,
      provider: 'slack',
      metadata: { providerParams: { signingSecret: 'signs-events' } },
    })
    expect((await stored(id)).signingSecret).toBe('signs-events')
    const other = { provider: 'pipedrive', clientSecret: 'own' }
    expect((await patch(id, ['provider', 'clientSecret'], other)).status).toBe(200)
    expect((await stored(id)).signingSecret).toBeUndefined()
  })

  test('an app that connections were made through stays, with its provider', async () => {
    const { id } = await made()
    const connection = await app.call<{ id: string }>('POST', '/projects/default/connections:generate', {
      groupRef: 'g',
      consumerRef: 'c',
      provider: 'salesforce',
      providerWorkspaceRef: 'acme',
      oauth2AuthorizationCode: { accessToken: { token: 't' } },
    })
    await sql`update connections set provider_app_id = ${id} where id = ${connection.body.id}`.execute(app.db.sql)
    expect((await patch(id, ['provider'], { provider: 'pipedrive' })).status).toBe(400)
    expect(await app.call('DELETE', `${base}/${id}`)).toMatchObject({
      status: 422,
      body: { context: { code: 'provider-app-in-use' } },
    })
    await app.call('DELETE', `/projects/default/connections/${connection.body.id}`)
    expect((await app.call('DELETE', `${base}/${id}`)).status).toBe(204)
    expect((await app.call('DELETE', `${base}/${id}`)).status).toBe(404)
  })
})

const stored = async (id: string) => {
  const { rows } = await sql<ProviderAppRow>`select * from provider_apps where id = ${id}`.execute(app.db.sql)
  const [row] = rows as [ProviderAppRow]
  return { row, signingSecret: appValue(app.app.services.keyring, row, 'signingSecret') }
}

test('secrets that an earlier release stored in plain are encrypted at the start, and nothing else changes', async () => {
  const shown = { providerParams: { packageInstallURL: 'https://slack.example.com/install' } }
  const { id } = await made({ ...salesforce, provider: 'slack', metadata: shown })
  await sql`
    update provider_apps set metadata = jsonb_set(metadata, '{providerParams,signingSecret}', '"signs-events"')
    where id = ${id}`.execute(app.db.sql)
  const before = await stored(id)
  expect(JSON.stringify(before.row)).toContain('signs-events')

  await encryptStoredSecrets(app.app.services)

  const { row, signingSecret } = await stored(id)
  expect(signingSecret).toBe('signs-events')
  expect(JSON.stringify(row)).not.toContain('signs-events')
  expect({ ...row, encrypted_params: null }).toEqual({ ...before.row, metadata: shown })
  await encryptStoredSecrets(app.app.services)
  expect((await stored(id)).row).toEqual(row)
})

test('secrets among what a provider needs of an app are encrypted, never shown, and stay until they are replaced or taken away', async () => {
  const providerParams = { signingSecret: 'signs-events', packageInstallURL: 'https://slack.example.com/install' }
  const created = await made({ ...salesforce, provider: 'slack', metadata: { providerParams } })
  const shown = { providerParams: { packageInstallURL: providerParams.packageInstallURL } }
  expect(created.metadata).toEqual(shown)
  expect((await list()).find(({ id }) => id === created.id)?.metadata).toEqual(shown)
  const { row, signingSecret } = await stored(created.id)
  expect(signingSecret).toBe('signs-events')
  expect(JSON.stringify(row)).not.toContain('signs-events')

  expect((await patch(created.id, ['metadata'], { metadata: shown })).body).toMatchObject({ metadata: shown })
  expect((await stored(created.id)).signingSecret).toBe('signs-events')
  await patch(created.id, ['metadata'], { metadata: { providerParams: { signingSecret: 'signs-anew' } } })
  expect((await stored(created.id)).signingSecret).toBe('signs-anew')
  const emptied = await patch(created.id, ['metadata'], { metadata: { providerParams: { signingSecret: '' } } })
  expect(emptied.body).toMatchObject({ metadata: { providerParams: {} } })
  expect(await stored(created.id)).toMatchObject({ row: { encrypted_params: null }, signingSecret: undefined })
})

test('unknown, malformed and other projects’ ids look the same', async () => {
  const { id } = await made()
  const theirs = { apiKey: app.otherProject.apiKey }
  const change = { updateMask: ['clientId'], providerApp: { clientId: 'x' } }
  const answers = await Promise.all([
    app.call('PATCH', `${base}/nope`, change),
    app.call('PATCH', `${base}/0190a0a0-0000-7000-8000-000000000000`, change),
    app.call('PATCH', `/projects/other/provider-apps/${id}`, change, theirs),
    app.call('DELETE', `/projects/other/provider-apps/${id}`, undefined, theirs),
  ])
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 404, body: { context: { code: 'provider-app-not-found' } } })
  expect((await app.call<Body[]>('GET', '/projects/other/provider-apps', undefined, theirs)).body).toEqual([])
})

test('where webhooks are entered by hand, an app shows the URL of each integration that subscribes', async () => {
  const objects = [{ objectName: 'contacts', destination: 'hook', updateEvent: { enabled: 'always' } }]
  const integrations = [
    { name: 'listens', provider: 'hubspot', subscribe: { objects } },
    { name: 'reads', provider: 'hubspot', proxy: { enabled: true } },
  ]
  const deployed = await app.call<{ id: string; name: string }[]>('PUT', '/projects/default/integrations:batch', {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }),
  })
  expect(deployed.status).toBe(200)
  const integrationId = deployed.body.find(({ name }) => name === 'listens')?.id
  const webhookUrls = [
    {
      integrationId,
      integrationName: 'listens',
      url: `${app.app.services.publicUrl}/subscribe/v1/projects/${app.projectId}/integrations/${integrationId}`,
    },
  ]
  const created = await made({ ...salesforce, provider: 'hubspot', scopes: ['oauth'] })
  expect(created).toMatchObject({ webhookUrls })
  expect((await list()).find(({ id }) => id === created.id)).toMatchObject({ webhookUrls })
  expect((await patch(created.id, ['externalRef'], { externalRef: 'x' })).body).toMatchObject({ webhookUrls })
  // Its webhooks are registered, or it has none.
  for (const provider of ['attio', 'salesforce'])
    expect(await made({ ...salesforce, provider, scopes: ['x'] })).not.toHaveProperty('webhookUrls')
})
