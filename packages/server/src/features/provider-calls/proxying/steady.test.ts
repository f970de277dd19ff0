import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import { type ProxyingKit, problemOf, secretKey, startProxyingKit } from './proxying.testkit.ts'

/** What holds from one call to the next: renewed credentials, waits, limits, what is counted and written down. */

const patience = { timeout: 20_000 }
let kit: ProxyingKit
beforeAll(async () => {
  // Limits that hold for every call, and that none of these tests meets.
  const rateLimit = `
  - { requests: 1000000, perSeconds: 1, per: connection }
  - { requests: 900000, perSeconds: 1, per: connection, for: read }
  - { requests: 900000, perSeconds: 1, per: app, for: write }`
  kit = await startProxyingKit({ env: { MORTISE_PROXY_CONCURRENCY: '2', MORTISE_PROXY_TIMEOUT: '1s' }, rateLimit })
})
afterEach(() => {
  kit.provider.answers(undefined)
  kit.provider.seen.length = 0
})
afterAll(() => kit?.stop())

describe('a 401', () => {
  const client = { oauth2ClientCredentials: { clientId: 'a', clientSecret: 'b' } }
  /** A provider that takes the newest of its tokens only once it has issued one more. */
  function refuseOld(noteBody: boolean) {
    const old = kit.provider.tokens
    kit.provider.answers((request, response) => {
      const isOld = request.headers.authorization === `Bearer token-${old}`
      if (!noteBody && isOld) return void response.writeHead(401).end('old')
      kit.provider.note(request).then((body) => response.writeHead(isOld ? 401 : 200).end(isOld ? 'old' : body))
    })
    return old
  }

  it.each([
    ['GET', undefined],
    ['HEAD', undefined],
    ['POST', 'x'.repeat(60_000)],
  ])('%s is sent once more with a renewed token', async (method, body) => {
    const { id } = await kit.install('tokened', `renewed-${method}`, client)
    await kit.call(id, '/first')
    // A token that was got this minute and is refused is not renewed again.
    kit.app.clock.advance(120_000)
    kit.provider.seen.length = 0
    const old = refuseOld(true)
    const answer = await kit.call(id, '/x', { method, ...(body !== undefined && { body }) })
    expect([answer.status, answer.body.toString()]).toEqual([200, body ?? ''])
    expect(kit.provider.tokens).toBe(old + 1)
    expect(kit.provider.seen.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer token-${old}`,
      `Bearer token-${old + 1}`,
    ])
  })

  it('to a long body passes on, and the next request has the renewed token', async () => {
    const { id } = await kit.install('tokened', 'long', client)
    await kit.call(id, '/first')
    // A token that was got this minute and is refused is not renewed again.
    kit.app.clock.advance(120_000)
    const old = refuseOld(true)
    const body = 'x'.repeat(1_000_000)
    const refused = await kit.call(id, '/x', { method: 'POST', body })
    expect([refused.status, refused.body.toString()]).toEqual([401, 'old'])
    const taken = await kit.call(id, '/x', { method: 'POST', body })
    expect([taken.status, taken.body.length, kit.provider.tokens]).toEqual([200, body.length, old + 1])
  })

  it('that nothing can be done about passes on, and the connection shows it', async () => {
    const { id, connectionId } = await kit.install('keyed', 'refused')
    kit.provider.answers((_, response) => response.writeHead(401, { 'www-authenticate': 'X' }).end('no'))
    const answer = await kit.call(id, '/x')
    expect([answer.status, answer.headers['www-authenticate'], answer.body.toString()]).toEqual([401, 'X', 'no'])
    const path = `${kit.base}/connections/${connectionId}`
    expect((await kit.app.call<{ status: string }>('GET', path)).body.status).toBe('bad_credentials')
  })
})

describe('throttle mode', () => {
  let other: TestApp | undefined
  afterAll(() => other?.stop())

  it('tells of a 429, answers itself until then, and so does every other node', async () => {
    const { id } = await kit.install('keyed', 'throttled')
    other = await startTestNode(kit.app, {
      MORTISE_ROLES: 'api',
      MORTISE_PROVIDERS_DIR: kit.folder,
      MORTISE_PROXY_CONCURRENCY: '2',
    })
    const throttle = { 'x-amp-rate-limiter-mode': 'throttle' }
    const elsewhere = () =>
      fetch(`${other?.url}/proxy/x`, { headers: kit.headers(id, throttle) }).then(({ status }) => status)
    expect(await elsewhere()).toBe(200)
    let asked = 0
    kit.provider.answers((_, response) => {
      asked++
      response.writeHead(429, { 'retry-after': '3600' }).end('slow')
    })
    const first = await kit.call(id, '/x', { headers: throttle })
    expect([first.status, first.body.toString()]).toEqual([429, 'slow'])
    expect(first.headers['x-amp-retryable']).toBe('true')
    const until = String(first.headers['x-amp-retry-after'])
    expect(until).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d UTC$/)
    const second = await kit.call(id, '/x', { headers: throttle })
    expect([second.status, problemOf(second).context.code]).toEqual([429, 'proxy-throttled'])
    expect([second.headers['x-amp-retry-after'], second.headers['x-mortise-retry-after']]).toEqual([until, until])
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(3_500)
    expect(asked).toBe(1)
    // Whoever does not ask for it is passed through.
    expect((await kit.call(id, '/x')).body.toString()).toBe('slow')
    const before = asked
    await expect.poll(elsewhere, patience).toBe(429)
    await expect.poll(async () => [await elsewhere(), asked - before <= 1], patience).toEqual([429, true])
    kit.provider.answers(undefined)
    kit.app.clock.advance(3_700_000)
    expect((await kit.call(id, '/x', { headers: throttle })).status).toBe(200)
    kit.app.clock.advance(-3_700_000)
  })
})

it('a wait has the format that the file of the provider declares', async () => {
  const { id } = await kit.install('queried', 'own-format')
  kit.provider.answers((_, response) => response.writeHead(429, { 'retry-after': '90000' }).end('slow'))
  const headers = { 'x-amp-rate-limiter-mode': 'throttle' }
  await kit.call(id, '/x', { headers })
  const { headers: waiting } = await kit.call(id, '/x', { headers })
  expect(Number(waiting['retry-after'])).toBeGreaterThan(60)
  expect(Number(waiting['retry-after'])).toBeLessThanOrEqual(90)
})

it('no more requests of a connection run at once than may, and others take no harm', async () => {
  const { id } = await kit.install('keyed', 'busy')
  const quiet = await kit.install('keyed', 'quiet')
  const release: (() => void)[] = []
  kit.provider.answers((request, response) => {
    if (request.url === '/api/quiet') response.end('quiet')
    else release.push(() => response.end('done'))
  })
  const calls = Array.from({ length: 5 }, () => kit.call(id, '/slow'))
  await expect.poll(() => release.length, patience).toBe(2)
  expect((await kit.call(quiet.id, '/quiet')).body.toString()).toBe('quiet')
  expect(release).toHaveLength(2)
  for (let done = 0; done < 5; done++) {
    await expect.poll(() => release.length, patience).toBeGreaterThan(0)
    release.shift()?.()
  }
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
}, 60_000)

it('a provider that does not answer in time is a 504', async () => {
  const { id } = await kit.install('keyed', 'slow')
  kit.provider.answers(() => undefined)
  const answer = await kit.call(id, '/x')
  expect([answer.status, problemOf(answer).context.code]).toEqual([504, 'provider-timeout'])
})

it('costs no statement once everything is known', async () => {
  const { id } = await kit.install('keyed', 'steady')
  const call = () => kit.call(id, '/x')
  for (let n = 0; n < 5; n++) await call()
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const before = query.mock.calls.length
  for (let n = 0; n < 300; n++) expect((await call()).status).toBe(200)
  const statements = query.mock.calls.slice(before).map(([text]) => JSON.stringify(text))
  query.mockRestore()
  // One a second renews the shares of limits, and one every 2.5 s the key; the rest of the service does its rounds.
  expect(
    statements.filter((text) => /from installations|from connections|api_keys/.test(text)).length,
  ).toBeLessThanOrEqual(6)
  expect(statements.filter((text) => text.includes('lease_shares')).length).toBeLessThan(100)
}, 60_000)

it('is counted, and is an operation when it is asked for', async () => {
  const { id } = await kit.install('keyed', 'logged')
  await kit.call(id, '/secret?token=hidden')
  await kit.call(id, '/things?token=hidden', { method: 'POST', body: 'abc', headers: { 'x-mortise-log': 'true' } })
  kit.provider.answers((_, response) => response.writeHead(503).end())
  await kit.call(id, '/broken', { headers: { 'x-amp-log': 'true' } })
  const list = async () => {
    const path = `${kit.base}/integrations/keyed/installations/${id}/operations`
    const { results } = (await kit.app.call<{ results: { id: string; result: string }[] }>('GET', path)).body
    return results
  }
  await expect
    .poll(async () => (await list()).map(({ result }) => result).toSorted(), patience)
    .toEqual(['GET /broken: 503', 'POST /things: 200'])
  const [posted] = (await list()).filter(({ result }) => result.startsWith('POST'))
  expect(posted).toMatchObject({ actionType: 'proxy', status: 'success', installationId: id })
  const logs = await kit.app.call<{ results?: unknown[] }>('GET', `${kit.base}/operations/${posted?.id}/logs`)
  expect(JSON.stringify(logs.body)).toContain('"bytesSent":"3"')
  expect(JSON.stringify(logs.body)).not.toContain('hidden')
  const metrics = (await kit.app.call<string>('GET', '//metrics')).body
  expect(metrics).toMatch(/mortise_proxied_requests_total\{provider="keyed",status="2xx"\} \d+/)
  expect(metrics).toMatch(/mortise_proxied_bytes_total\{provider="keyed",direction="out"\} \d+/)
  expect(metrics).toContain('mortise_proxied_duration_seconds_count{provider="keyed"}')
})

it('of a person reaches the provider without their token, and is an operation with who sent it', async () => {
  const { id } = await kit.install('keyed', 'by-hand')
  const person = await signInBuilder(kit.app, { email: 'developer@example.com', role: 'developer' })
  kit.provider.answers(undefined)
  kit.provider.seen.length = 0
  const headers = { 'x-api-key': '', ...person.headers }
  for (const path of ['/one', '/two'])
    expect((await kit.call(id, path, { method: 'POST', body: 'a', headers })).status).toBe(200)
  expect(kit.provider.seen.map(({ url }) => url)).toEqual(['/api/one', '/api/two'])
  expect(JSON.stringify(kit.provider.seen)).not.toContain(person.token)
  expect(kit.provider.seen[0]?.headers['x-secret-token']).toBe(secretKey)

  const operations = async () => {
    const path = `${kit.base}/integrations/keyed/installations/${id}/operations`
    return (await kit.app.call<{ results: { id: string; result: string }[] }>('GET', path)).body.results
  }
  await expect.poll(async () => (await operations()).length, patience).toBe(2)
  const [sent] = await operations()
  const logs = await kit.app.call('GET', `${kit.base}/operations/${sent?.id}/logs`)
  expect(JSON.stringify(logs.body)).toContain(`"sentBy":"builder:${person.builderId}"`)
  expect((await kit.call(id, `/x?token=${person.token}`, { headers })).status).toBe(400)
})

it('a provider’s own rate limit is kept', async () => {
  await using rated = await startProxyingKit({ rateLimit: '{ requests: 3, perSeconds: 3600, per: connection }' })
  const { id } = await rated.install('keyed', 'rated')
  const statuses: number[] = []
  for (let n = 0; n < 2; n++) statuses.push((await rated.call(id, '/x')).status)
  expect(statuses).toEqual([200, 429])
  expect(rated.provider.seen).toHaveLength(1)
})

it('limits of a provider on reads, on writes and on all requests are kept, and hold up nothing else', async () => {
  const rateLimit = `
  - { requests: 1, perSeconds: 3600, per: connection, for: write }
  - { requests: 1, perSeconds: 3600, per: app, for: read }
  - { requests: 1000, perSeconds: 1, per: app }`
  await using rated = await startProxyingKit({ rateLimit })
  const { id } = await rated.install('keyed', 'one')
  const other = await rated.install('keyed', 'other')
  const sent = async (method: string, installationId = id) =>
    (await rated.call(installationId, '/x', { method })).status
  // What is refused for the writes takes nothing from the reads.
  expect([await sent('POST'), await sent('DELETE'), await sent('HEAD'), await sent('GET')]).toEqual([
    200, 429, 200, 429,
  ])
  // The other account writes, and reads no more: the app's reads are counted together.
  expect([await sent('PATCH', other.id), await sent('GET', other.id)]).toEqual([200, 429])
  expect(rated.provider.seen.map(({ method }) => method)).toEqual(['POST', 'HEAD', 'PATCH'])
})
