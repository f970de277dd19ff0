import { expect, it } from 'vitest'
import { providerErrorClasses } from '../error-classes.ts'
import { ProviderError } from '../provider-error.ts'
import { type Answer, plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { createConnector } from './create-connector.ts'
import { refusesCredential } from './errors.ts'

const secret = 'k-8f3a1c99d2'
const now = Date.parse('2026-01-01T00:00:00Z')
const rules = `errors:
  message: [problem.text]
  rules:
    - { status: 200, when: { ok: false, error: [invalid_auth, token_revoked] }, is: auth_invalidated }
    - { status: 200, when: { ok: false }, is: bad_request }
    - { status: 400, when: { code: cursor_expired }, is: cursor_gone }
    - { status: 403, when: { reason: quota }, is: rate_limited }
    - { status: 403, headers: { X-Left: '0' }, is: rate_limited }
    - { headers: { Retry-After: { present: true } }, status: 403, is: rate_limited }
  retryAfterHeaders: { X-Reset: unix, X-Wait: milliseconds }`

async function failure(answer: Answer): Promise<ProviderError> {
  await using server = await startServer(() => answer)
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: secret } } as const
  const entry = thingsProvider('read: { path: /things, records: data }', rules)
  const connector = createConnector(entry, connection, plainHttp(fetch), { now: () => now })
  const error = await connector.readPage({ object: 'things', fields: 'all' }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ProviderError)) throw new Error(`no ProviderError: ${String(error)}`)
  return error
}

it.each([
  [400, 'bad_request'],
  [401, 'auth_invalidated'],
  [402, 'bad_request'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'bad_request'],
  [410, 'not_found'],
  [429, 'rate_limited'],
  [500, 'provider_5xx'],
  [503, 'provider_5xx'],
  [302, 'unexpected_response'],
] as const)('status %i is %s', async (status, errorClass) => {
  const error = await failure({ status, body: { message: 'no' }, headers: { location: 'https://evil.example/' } })
  expect(error).toMatchObject({ class: errorClass, status, providerMessage: 'no' })
})

it.each([
  [{ body: { ok: false, error: 'invalid_auth' } }, 'auth_invalidated'],
  [{ body: { ok: false, error: 'other' } }, 'bad_request'],
  [{ status: 400, body: { code: 'cursor_expired' } }, 'cursor_gone'],
  [{ status: 403, body: { reason: 'quota' } }, 'rate_limited'],
  [{ body: { data: {} } }, 'unexpected_response'],
  [{ body: {} }, 'unexpected_response'],
  [{ body: '<html>' }, 'unexpected_response'],
  [{ body: '{"data": [' }, 'unexpected_response'],
  [{ body: { data: [1, 'text'] } }, 'unexpected_response'],
  [{ body: '' }, 'unexpected_response'],
] as const)('%j is %s', async (answer, errorClass) => {
  expect((await failure(answer)).class).toBe(errorClass)
})

it('an object that the file does not declare is unsupported', async () => {
  const entry = thingsProvider('read: { path: /things }')
  const connection = { metadata: { baseUrl: 'http://127.0.0.1:1' }, credential: { scheme: 'none' } } as const
  const connector = createConnector(entry, connection, plainHttp(fetch))
  for (const object of ['others', '__proto__', 'constructor', '']) {
    await expect(connector.readPage({ object, fields: 'all' })).rejects.toMatchObject({ class: 'unsupported_object' })
    await expect(connector.describeObject(object)).rejects.toMatchObject({ class: 'unsupported_object' })
  }
})

it.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, 90_000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon', 'x-wait': '1500' }, 1_500],
  [{ 'x-reset': String(now / 1000 + 20) }, 20_000],
  [{ 'x-reset': '-5' }, undefined],
  [{}, undefined],
])('how long to wait: %j', async (headers, expected) => {
  expect((await failure({ status: 429, headers: headers as Record<string, string>, body: {} })).retryAfterMs).toBe(
    expected,
  )
})

it.each([400, 404, 409, 500, 503])('Retry-After counts on every answer: %i', async (status) => {
  expect((await failure({ status, headers: { 'retry-after': '5' }, body: {} })).retryAfterMs).toBe(5_000)
  // A reset time stands in answers that have nothing to do with a limit.
  const reset = await failure({ status: 404, headers: { 'x-reset': String(now / 1000 + 20) }, body: {} })
  expect(reset.retryAfterMs).toBeUndefined()
})

it('a provider that asks for more than a day is asked again after a day', async () => {
  expect((await failure({ status: 503, headers: { 'retry-after': '999999999' }, body: {} })).retryAfterMs).toBe(
    86_400_000,
  )
})

const maintenance = '<!doctype html><html><head><title>\n Down for <maintenance> & more </title></head></html>'

it.each([
  [
    { body: maintenance, headers: { 'content-type': 'text/html; charset=utf-8' } },
    'The provider answered with status 200 and a page (text/html) titled "Down for" instead of JSON.',
  ],
  ...['<html><body>Sign in</body></html>', '<html><title> \n </title></html>', '<!doctype html><title'].map(
    (body) =>
      [
        { body, headers: { 'content-type': 'text/html' } },
        'The provider answered with status 200 and a page (text/html) without a title instead of JSON.',
      ] as const,
  ),
  [{ body: '' }, 'The provider answered with status 200 and an empty body instead of JSON.'],
  [
    { body: '{"data": [', headers: { 'content-type': 'application/json' } },
    'The provider answered with status 200 and application/json that is cut or malformed (10 characters) instead of JSON.',
  ],
  [{ body: [] }, '"data" of the response is not a list of records.'],
  [{ body: { error: 'Try later' } }, '"data" of the response is not a list of records.'],
  [{ body: { data: null, errors: ['Try later'] } }, '"data" of the response is not a list of records.'],
  [
    { status: 302, headers: { location: 'https://sso.example/login?next=/things&token=x' } },
    'The provider redirects to "https://sso.example/login" (status 302); redirects are not followed.',
  ],
] as const)('an answer that is not what the file declares says what came: %j', async (answer, message) => {
  expect(await failure(answer as Answer)).toMatchObject({ class: 'unexpected_response', message })
})

it('the title of a page holds neither the credential nor markup, and is cut', async () => {
  const { message } = await failure({ body: `<html><title>${secret} \u0000"x" ${'y'.repeat(900)}` })
  expect(message).not.toContain(secret)
  expect(message.length).toBeLessThan(250)
})

it('an answer that speaks of an error is no empty list, even where a list may be left out', async () => {
  await using server = await startServer(() => ({ body: { error: { message: 'Try later' } } }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: secret } } as const
  const entry = thingsProvider('read: { path: /things, records: data, mayLackRecords: true }')
  const connector = createConnector(entry, connection, plainHttp(fetch))
  await expect(connector.readPage({ object: 'things', fields: 'all' })).rejects.toMatchObject({
    class: 'unexpected_response',
    providerMessage: 'Try later',
  })
})

it('pages that come again and again end the read, whatever their cursors say', async () => {
  const pages = [['a', 'b'], ['c', 'd'], ['e']]
  let asked = 0
  await using server = await startServer(() => {
    const at = asked++ % pages.length
    return { body: { data: (pages[at] ?? []).map((id) => ({ id })), next: `c${asked}` } }
  })
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: secret } } as const
  const read = `read: { path: /things, query: { after: '{{cursor}}' }, records: data, paging: { kind: cursor, next: next } }`
  const connector = createConnector(thingsProvider(read), connection, plainHttp(fetch))
  let page: string | undefined
  const all = async () => {
    do page = (await connector.readPage({ object: 'things', fields: 'all', ...(page && { page }) })).nextPage
    while (page !== undefined)
  }
  await expect(all()).rejects.toMatchObject({ class: 'endless_pages' })
  expect(asked).toBeLessThan(20)
})

it('the provider’s words are shown on one line, cut, and without the credential in any spelling', async () => {
  const echoed = await failure({
    status: 400,
    body: { problem: { text: `Bad key "${secret}"\n\u202eat\u0000 line 2` } },
  })
  expect(echoed.providerMessage).toBe('Bad key "[secret]" at line 2')
  const long = await failure({ status: 400, body: { message: 'x'.repeat(5000) } })
  expect(long.providerMessage).toHaveLength(500)
  const page = await failure({ status: 502, body: '<html><body>gateway</body></html>' })
  expect(page.providerMessage).toBeUndefined()
})

it('no error of any class holds the credential', async () => {
  const echo = { message: secret, error: secret, problem: { text: secret } }
  const answers: Answer[] = [400, 401, 403, 404, 429, 500].map((status) => ({ status, body: echo }))
  for (const answer of [...answers, { body: { ok: false, ...echo } }, { body: echo }, { status: 400, body: secret }]) {
    const error = await failure(answer)
    expect(providerErrorClasses).toContain(error.class)
    expect(`${error.message} ${error.providerMessage} ${error.stack} ${JSON.stringify(error)}`).not.toContain(secret)
  }
})

it('a header may tell what the status does not', async () => {
  const spent = await failure({
    status: 403,
    body: { message: 'wait' },
    headers: { 'X-Left': '0', 'X-Reset': String(now / 1000 + 9) },
  })
  expect(spent).toMatchObject({ class: 'rate_limited', retryAfterMs: 9_000 })
  expect((await failure({ status: 403, body: {}, headers: { 'X-Left': '10' } })).class).toBe('forbidden')
  expect((await failure({ status: 403, body: {}, headers: { 'Retry-After': '7' } })).class).toBe('rate_limited')
})

it('what refuses the credential is known without the body, unless a rule above makes an exception by the body', () => {
  const none = () => ({})
  const plain = refusesCredential({ rules: [{ status: 403, is: 'auth_invalidated' }] })
  expect([plain(403, none), plain(401, none), plain(404, none)]).toEqual([true, true, false])
  const exception = { status: 403, when: { code: 'missing_permission' }, is: 'forbidden' } as const
  const other = { status: 500, when: { code: 'busy' }, is: 'rate_limited' } as const
  const refusal = { status: 403, is: 'auth_invalidated' } as const
  expect(refusesCredential({ rules: [exception, refusal] })(403, none)).toBe(false)
  expect(refusesCredential({ rules: [exception, refusal] })(401, none)).toBe(true)
  expect(refusesCredential({ rules: [other, refusal, exception] })(403, none)).toBe(true)
  expect(refusesCredential({ rules: [{ ...exception, is: 'auth_invalidated' }, refusal] })(403, none)).toBe(true)
})
