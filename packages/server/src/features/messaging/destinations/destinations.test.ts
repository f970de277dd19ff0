import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.stop())

const base = '/projects/default/destinations'
const url = 'https://203.0.114.5/hooks'

interface Problem {
  status: number
  detail: string
  context: { code: string }
  issues?: { in: string; name: string; detail: string; remedy?: string; value?: unknown }[]
}
interface Found {
  id: string
  name: string
  metadata: { url: string; headers?: Record<string, string> }
  status: string
  disabledReason?: string
  secrets?: { webhookSigningKey: string }
  updateTime?: string
}

let count = 0
async function create(metadata: Record<string, unknown> = { url }) {
  const answer = await app.call<Found>('POST', base, { name: `made-${count++}`, type: 'webhook', metadata })
  expect(answer.status).toBe(201)
  return answer.body
}

describe('creating', () => {
  it('answers the destination without its secret, and lists it', async () => {
    const answer = await app.call<Found>('POST', base, {
      name: 'CrmEvents',
      type: 'webhook',
      metadata: { url, headers: { 'X-Tenant': 'a' } },
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(String),
      name: 'CrmEvents',
      type: 'webhook',
      metadata: { url, headers: { 'X-Tenant': '***' } },
      endpoint: url,
      status: 'active',
      createTime: expect.any(String),
    })
    const list = await app.call<Found[]>('GET', base)
    expect(list.body).toContainEqual(answer.body)
  })

  it('refuses a name that is taken', async () => {
    const { name } = await create()
    const answer = await app.call<Problem>('POST', base, { name, type: 'webhook', metadata: { url } })
    expect([answer.status, answer.body.context.code]).toEqual([422, 'destination-name-taken'])
  })

  it.each(['', 'has space', 'a/b', 'a.b', 'ü', 'x'.repeat(129)])('refuses the name %j', async (name) => {
    const answer = await app.call<Problem>('POST', base, { name, type: 'webhook', metadata: { url } })
    expect([answer.status, answer.body.issues?.[0]?.name]).toEqual([400, 'name'])
  })

  it('refuses settings that the type does not have, so that none is missing later', async () => {
    const answer = await app.call<Problem>('POST', base, {
      name: 'misspelled',
      type: 'webhook',
      metadata: { url, heders: { 'x-team': 'growth' }, clientSecret: 'hidden-7', unused: null },
      secrets: { url, token: 'hidden-8' },
    })
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toMatchObject([
      {
        name: 'metadata.heders',
        detail: 'A destination of type webhook has no setting "heders" in metadata.',
        remedy: 'Did you mean headers?',
      },
      { name: 'metadata.clientSecret', detail: 'clientSecret belongs to secrets.', remedy: 'Move it to secrets.' },
      { name: 'secrets.url', detail: 'url belongs to metadata.' },
      { name: 'secrets.token', remedy: expect.stringContaining('clientSecret') },
    ])
    expect(JSON.stringify(answer.body)).not.toContain('hidden-')
  })

  it('lists the types when the type is unknown', async () => {
    const answer = await app.call<Problem>('POST', base, {
      name: 'broker',
      type: 'carrier-pigeon',
      metadata: {},
    })
    expect(answer.status).toBe(400)
    expect(answer.body.issues?.[0]).toMatchObject({ name: 'type', value: 'carrier-pigeon' })
    expect(answer.body.issues?.[0]?.detail).toContain('webhook')
  })

  it.each([
    ['no url', {}],
    ['no string', { url: 5 }],
    ['no url at all', { url: 'hello' }],
    ['another scheme', { url: 'ftp://example.com' }],
    ['a user name', { url: 'https://me@example.com' }],
    ['plain http to a public address', { url: 'http://203.0.114.5/' }],
    ['plain http to a name that nobody knows', { url: 'http://nowhere.invalid/' }],
    ['a private address', { url: 'https://10.1.2.3/' }],
    ['the metadata address', { url: 'http://169.254.169.254/' }],
  ])('refuses %s', async (_, metadata) => {
    const answer = await app.call<Problem>('POST', base, { name: 'refused', type: 'webhook', metadata })
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toHaveLength(1)
    expect(answer.body.issues?.[0]).toMatchObject({ name: 'metadata.url', remedy: expect.any(String) })
  })

  it('tells what is wrong with the name and with the URL in one answer', async () => {
    const { status, body } = await app.call<{ issues: { name: string }[] }>('POST', '/projects/default/destinations', {
      name: 'bad name',
      type: 'webhook',
      metadata: { url: 'http://169.254.169.254/x' },
    })
    expect(status).toBe(400)
    expect(body.issues.map(({ name }) => name)).toEqual(['name', 'metadata.url'])
  })

  it('names the setting that would admit a private address', async () => {
    const metadata = { url: 'https://10.1.2.3/' }
    const answer = await app.call<Problem>('POST', base, { name: 'refused', type: 'webhook', metadata })
    expect(answer.body.issues?.[0]?.remedy).toContain('MORTISE_ALLOW_PRIVATE_NETWORK')
  })

  it('takes http inside the networks that the operator opened, by address and by name', async () => {
    expect((await create({ url: 'http://127.0.0.1:4999/' })).metadata.url).toBe('http://127.0.0.1:4999/')
    expect((await create({ url: 'http://localhost:4999/' })).metadata.url).toBe('http://localhost:4999/')
  })

  it('lists every header that it does not take, and shows no value', async () => {
    const headers = {
      Host: 'a',
      'Content-Length': '1',
      connection: 'close',
      'webhook-signature': 'v1,x',
      'SVIX-ID': 'a',
      'bad name': 'a',
      'X-Line': 'secret\r\nX: y',
      'X-Number': 5,
      'X-Good': 'ok',
    }
    const answer = await app.call<Problem>('POST', base, { name: 'h', type: 'webhook', metadata: { url: 5, headers } })
    expect(answer.body.issues?.map((issue) => issue.name)).toEqual([
      'metadata.url',
      ...Object.keys(headers)
        .filter((name) => name !== 'X-Good')
        .map((name) => `metadata.headers.${name}`),
    ])
    expect(JSON.stringify(answer.body)).not.toContain('secret')
  })

  it('takes no prototype for a header', async () => {
    const text = `{"name":"proto","type":"webhook","metadata":{"url":"${url}","headers":{"__proto__":{"x":"y"}}}}`
    const answer = await app.call<Problem>('POST', base, text)
    expect(answer.status).toBe(400)
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

describe('getting', () => {
  it('finds by id and by name, and tells the secret only when asked', async () => {
    const made = await create()
    expect((await app.call('GET', `${base}/${made.id}`)).body).toEqual(made)
    const withSecret = await app.call<Found>('GET', `${base}/${made.name}?includeSecrets=true`)
    expect(withSecret.body).toEqual({ ...made, secrets: { webhookSigningKey: expect.stringMatching(/^whsec_/) } })
    expect(Buffer.from(withSecret.body.secrets?.webhookSigningKey.slice(6) ?? '', 'base64')).toHaveLength(32)
  })

  it('makes a new secret on rotation and keeps it', async () => {
    const { id } = await create()
    const secret = async (query: string) =>
      (await app.call<Found>('GET', `${base}/${id}?includeSecrets=true${query}`)).body.secrets?.webhookSigningKey
    const first = await secret('')
    const second = await secret('&rotate=true')
    expect(second).not.toBe(first)
    expect(await secret('')).toBe(second)
  })

  it('makes a new secret when asked by POST, and says it on request', async () => {
    const { id } = await create()
    const secret = async () =>
      (await app.call<Found>('GET', `${base}/${id}?includeSecrets=true`)).body.secrets?.webhookSigningKey
    const first = await secret()
    const rotated = await app.call<Found>('POST', `${base}/${id}:rotateSecret?includeSecrets=true`)
    expect(rotated.status).toBe(200)
    expect(rotated.body.secrets?.webhookSigningKey).not.toBe(first)
    expect(await secret()).toBe(rotated.body.secrets?.webhookSigningKey)
    expect((await app.call<Found>('POST', `${base}/${id}:rotateSecret`)).body.secrets).toBeUndefined()
    expect((await app.call('POST', `${base}/nothing:rotateSecret`)).status).toBe(404)
  })

  it.each<[string, string, Record<string, string>]>([
    ['a HEAD', 'HEAD', {}],
    ['a prefetch', 'GET', { 'sec-purpose': 'prefetch;prerender' }],
  ])('%s rotates nothing', async (_, method, headers) => {
    const { id } = await create()
    const secret = async () =>
      (await app.call<Found>('GET', `${base}/${id}?includeSecrets=true`)).body.secrets?.webhookSigningKey
    const first = await secret()
    expect((await app.call(method, `${base}/${id}?rotate=true`, undefined, { headers })).status).toBe(200)
    expect(await secret()).toBe(first)
  })

  it('keeps at most ten replaced secrets', async () => {
    const { id } = await create()
    for (let i = 0; i < 12; i++) await app.call('POST', `${base}/${id}:rotateSecret`)
    const row = await app.db.sql
      .selectFrom('destinations')
      .select('previous_secrets')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.previous_secrets).toHaveLength(10)
  })

  it('stores no secret in the clear', async () => {
    const { id } = await create()
    const { body } = await app.call<Found>('GET', `${base}/${id}?includeSecrets=true`)
    const row = await app.db.sql.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(body.secrets?.webhookSigningKey.slice(6, 20))
  })

  it.each(['GET', 'PATCH', 'DELETE'])(
    '%s looks the same for what is missing, malformed and another project’s',
    async (method) => {
      const { id } = await create()
      const body = method === 'PATCH' ? { updateMask: ['name'], destination: { name: 'x' } } : undefined
      const otherProject = { apiKey: app.otherProject.apiKey }
      const answers = [
        await app.call<Problem>(method, `${base}/${app.projectId}`, body),
        await app.call<Problem>(method, `${base}/no%2Fsuch`, body),
        await app.call<Problem>(method, `/projects/${app.otherProject.id}/destinations/${id}`, body, otherProject),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(404)
        expect(answer.body.context.code).toBe('destination-not-found')
        expect(answer.body.detail).toBe(answers[0]?.body.detail)
      }
    },
  )
})

describe('updating', () => {
  const patch = <T>(id: string, updateMask: string[], destination: unknown) =>
    app.call<T>('PATCH', `${base}/${id}`, { updateMask, destination })

  it('changes what the mask lists and ignores the rest', async () => {
    const { id, name } = await create({ url, headers: { a: '1' } })
    const changed = await patch<Found>(id, ['metadata.url'], {
      id: '',
      name: 'ignored',
      metadata: { url: `${url}/2`, headers: { b: '2' } },
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ name, metadata: { url: `${url}/2`, headers: { a: '***' } } })
    expect(changed.body.updateTime).toEqual(expect.any(String))
    const headers = await patch<Found>(id, ['metadata.headers', 'name'], {
      name: `${name}-b`,
      metadata: { headers: null },
    })
    expect(headers.body).toMatchObject({ name: `${name}-b`, metadata: { url: `${url}/2` } })
    expect(headers.body.metadata.headers).toBeUndefined()
    const whole = await patch<Found>(id, ['metadata'], { metadata: { url, headers: { c: '3' } } })
    expect(whole.body.metadata).toEqual({ url, headers: { c: '***' } })
  })

  it.each([
    ['an unknown path', ['metadata.bucket'], {}],
    ['secrets', ['secrets.password'], { secrets: { password: 'x' } }],
    ['the type', ['type'], { type: 's3' }],
    ['a path without its value', ['metadata.url'], { metadata: {} }],
    ['a private address', ['metadata.url'], { metadata: { url: 'https://192.168.1.1' } }],
    ['metadata without url', ['metadata'], { metadata: { headers: {} } }],
    ['a bad name', ['name'], { name: 'a b' }],
  ])('refuses %s and changes nothing', async (_, mask, destination) => {
    const made = await create()
    const answer = await patch<Problem>(made.id, mask, destination)
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toHaveLength(1)
    expect((await app.call('GET', `${base}/${made.id}`)).body).toEqual(made)
  })

  it('refuses the name of another destination', async () => {
    const [one, two] = [await create(), await create()]
    const answer = await patch<Problem>(two.id, ['name'], { name: one.name })
    expect([answer.status, answer.body.context.code]).toEqual([422, 'destination-name-taken'])
  })

  it('enables a disabled destination when its url is given, even the same', async () => {
    const { id } = await create()
    await app.db.sql
      .updateTable('destinations')
      .set({
        disabled_time: new Date(),
        disabled_reason: 'The endpoint answered 410 Gone.',
        failure_count: 12,
        probe_at: new Date(),
      })
      .where('id', '=', id)
      .execute()
    expect((await app.call<Found>('GET', `${base}/${id}`)).body).toMatchObject({
      status: 'disabled',
      disabledReason: 'The endpoint answered 410 Gone.',
    })
    expect((await patch<Found>(id, ['metadata.headers'], { metadata: { headers: {} } })).body.status).toBe('disabled')
    const enabled = await patch<Found>(id, ['metadata.url'], { metadata: { url } })
    expect(enabled.body.status).toBe('active')
    expect(enabled.body.disabledReason).toBeUndefined()
    const row = await app.db.sql.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row).toMatchObject({ failure_count: 0, first_failure_at: null, probe_at: null })
  })
})

it('deletes, and the name is free again', async () => {
  const { id, name } = await create()
  expect((await app.call('DELETE', `${base}/${name}`)).status).toBe(204)
  expect((await app.call('GET', `${base}/${id}`)).status).toBe(404)
  expect((await app.call('POST', base, { name, type: 'webhook', metadata: { url } })).status).toBe(201)
})

it('is no business of a frontend key', async () => {
  const { id } = await create()
  for (const [method, path] of [
    ['GET', base],
    ['POST', base],
    ['GET', `${base}/${id}`],
    ['PATCH', `${base}/${id}`],
    ['DELETE', `${base}/${id}`],
  ] as const) {
    const body =
      method === 'POST'
        ? { name: 'f', type: 'webhook', metadata: { url } }
        : method === 'PATCH'
          ? { updateMask: ['name'], destination: { name: 'g' } }
          : undefined
    expect((await app.call(method, path, body, { apiKey: app.frontendKey })).status).toBe(403)
  }
})
