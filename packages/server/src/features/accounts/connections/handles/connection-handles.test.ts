import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { untilLockWait } from '../../../../testkit/lock-waits.ts'
import { openTestPool } from '../../../../testkit/test-database.ts'
import { CredentialRefused, CredentialUnavailable } from '../../../provider-calls/calls/index.ts'
import { ConnectionNotFound } from '../problems.ts'
import { createConnectionHandles } from './connection-handles.ts'
import { answering, type LiveKit, startLiveKit } from './handles.testkit.ts'

let kit: LiveKit
beforeAll(async () => {
  kit = await startLiveKit()
})
afterAll(() => kit?.stop())
beforeEach(() => {
  kit.server.tokenRequests.length = 0
})
afterEach(() => kit.server.answerTokens(undefined))

const tokenOf = (attachment: { headers: Record<string, string> }) => attachment.headers['authorization']
const calls = () => kit.server.tokenRequests.length
const health = (authorization: string | undefined) =>
  fetch(`${kit.server.origin}/me`, { headers: { authorization: authorization ?? '' } })

describe('a credential that is good', () => {
  it('is used again without a statement', async () => {
    const id = await kit.connect()
    let statements = 0
    const { services } = kit.app.app
    const database = {
      ...services.database,
      forProject: (projectId: string) => {
        statements++
        return services.database.forProject(projectId)
      },
    }
    const live = createConnectionHandles({ ...services, database })
    const first = await (await live.open(kit.app.projectId, id)).authenticate()
    // Once more, perhaps, when changes begin to be heard of; then never.
    await expect
      .poll(async () => {
        const before = statements
        for (let n = 0; n < 100; n++) {
          const again = await live.open(kit.app.projectId, id)
          expect(await again.authenticate()).toEqual(first)
          expect(live.peekAt(kit.app.projectId, id)()?.attached()).toEqual(first)
        }
        return statements - before
      })
      .toBe(0)
    await live.stop()
    expect((await health(tokenOf(first))).status).toBe(200)
    expect(calls()).toBe(0)
  })

  it('works from its first success on, which is told once', async () => {
    const id = await kit.connect()
    const connection = await kit.open(id)
    const { generation } = await connection.authenticate()
    await connection.succeeded(generation + 1)
    expect(await kit.stored(id)).toMatchObject({ status: 'created' })
    await Promise.all([connection.succeeded(generation), connection.succeeded(generation)])
    expect(await kit.stored(id)).toMatchObject({ status: 'working' })
  })
})

describe('a change', () => {
  it('is heard of on another node, and a deleted connection is gone there', async () => {
    const node = await kit.node()
    const id = await kit.connect()
    const there = await kit.open(id, node)
    const before = tokenOf(await there.authenticate())
    await kit.app.app.services.connectionHandles.renew(kit.app.projectId, id, 'request')
    await expect.poll(async () => tokenOf(await there.authenticate())).not.toBe(before)
    expect(calls()).toBe(1)

    await kit.app.call('DELETE', `/projects/default/connections/${id}`)
    await expect(kit.open(id)).rejects.toBeInstanceOf(ConnectionNotFound)
    await expect
      .poll(() =>
        kit.open(id, node).then(
          () => 'there',
          () => 'gone',
        ),
      )
      .toBe('gone')
  })

  it('of the place is not followed by a handle from before: the new credential must not go there', async () => {
    const id = await kit.connect()
    const before = await kit.open(id)
    const change = { updateMask: ['providerMetadata'], connection: { providerMetadata: { elsewhere: 'x' } } }
    expect((await kit.app.call('PATCH', `/projects/default/connections/${id}`, change)).status).toBe(200)
    await expect(before.authenticate()).rejects.toBeInstanceOf(CredentialUnavailable)
    expect(tokenOf(await (await kit.open(id)).authenticate())).toMatch(/^Bearer /)
  })
})

describe('an outcome that was reported', () => {
  it('is known to a use that begins before the notification of it arrives', async () => {
    const id = await kit.connect()
    const pool = openTestPool(kit.app.testDatabase.url, { options: '-c search_path=mortise' })
    // None arrives.
    await pool.query('alter table connections disable trigger user')
    onTestFinished(async () => {
      await pool.query('alter table connections enable trigger user')
      await pool.end()
    })
    const report = async (outcome: 'succeeded' | 'credentials') => {
      const handle = await kit.open(id)
      await handle.report({ id, status: handle.status, generation: handle.generation }, outcome)
    }
    await report('credentials')
    expect((await kit.open(id)).status).toBe('bad_credentials')
    await report('succeeded')
    expect((await kit.stored(id)).status).toBe('working')
  })
})

describe('a token that has ended', () => {
  it('is renewed once, however many ask on two nodes, and rotates', async () => {
    const node = await kit.node()
    const id = await kit.connect({ seconds: 0.5 })
    const handles = await Promise.all([kit.open(id), kit.open(id, node)])
    kit.app.clock.advance(60_000)
    node.clock.advance(60_000)
    const asked = handles.flatMap((handle) => Array.from({ length: 50 }, () => handle.authenticate()))
    const tokens = new Set((await Promise.all(asked)).map(tokenOf))
    expect(tokens.size).toBe(1)
    expect(calls()).toBe(1)
    expect(await kit.stored(id)).toMatchObject({ status: 'created', generation: 2 })
    // The provider takes a refresh token once, and revokes everything when one comes again.
    for (let round = 2; round <= 3; round++) {
      kit.app.clock.advance(3_600_000)
      const [handle] = handles
      expect((await health(tokenOf(await handle!.authenticate()))).status).toBe(200)
      expect(calls()).toBe(round)
    }
    expect(await kit.stored(id)).toMatchObject({ generation: 4, refused: null })
  })

  it('is renewed beside those who use it while it is good still', async () => {
    const id = await kit.connect({ seconds: 3_600 })
    const handle = await kit.open(id)
    const before = tokenOf(await handle.authenticate())
    kit.app.clock.advance(3_600_000 - 40_000)
    const waiting: (() => void)[] = []
    kit.server.answerTokens((_, response) => waiting.push(() => answering(200, tokens)(undefined, response)))
    const tokens = { access_token: 'next', token_type: 'Bearer', expires_in: 3_600 }
    for (let n = 0; n < 5; n++) expect(tokenOf(await handle.authenticate())).toBe(before)
    await expect.poll(() => waiting.length).toBe(1)
    waiting[0]!()
    await expect.poll(async () => tokenOf(await handle.authenticate())).toBe('Bearer next')
    expect(calls()).toBe(1)
  })

  it('that was imported as a refresh token alone is had by the check of the connection', async () => {
    const { refreshToken } = await kit.server.issue()
    const id = await kit.connect({ tokens: { refreshToken: { token: refreshToken } }, query: '?verify=true' })
    expect((await kit.get(id)).body).toMatchObject({ status: 'working' })
    expect(calls()).toBe(1)
  })
})

describe('a refusal', () => {
  it('makes the connection bad, and is not asked for again until there is another credential', async () => {
    const { refreshToken } = await kit.server.issue()
    const id = await kit.connect({ tokens: { refreshToken: { token: refreshToken } } })
    await kit.server.revoke(refreshToken)
    const handle = await kit.open(id)
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => handle.authenticate()))
    expect(tries.every(({ status }) => status === 'rejected')).toBe(true)
    await expect(handle.authenticate()).rejects.toBeInstanceOf(CredentialRefused)
    await expect((await kit.open(id)).authenticate()).rejects.toThrow('invalid_grant')
    expect(calls()).toBe(1)
    expect(await kit.stored(id)).toMatchObject({ status: 'bad_credentials', refused: 'invalid_grant', renew_at: null })
    kit.app.clock.advance(7 * 24 * 3_600_000)
    await expect(handle.authenticate()).rejects.toBeInstanceOf(CredentialRefused)
    expect(calls()).toBe(1)
  })

  it('that the owner of the app can cure is tried again later', async () => {
    const id = await kit.connect({ seconds: 0.5 })
    kit.server.answerTokens(answering(400, { error: 'unauthorized_client' }))
    const handle = await kit.open(id)
    kit.app.clock.advance(60_000)
    await expect(handle.authenticate()).rejects.toBeInstanceOf(CredentialRefused)
    const refusedCalls = calls()
    await expect(handle.authenticate()).rejects.toBeInstanceOf(CredentialRefused)
    expect(calls()).toBe(refusedCalls)
    expect(await kit.stored(id)).toMatchObject({ status: 'bad_credentials', refused: 'unauthorized_client' })
    kit.server.answerTokens(undefined)
    kit.app.clock.advance(30 * 60_000)
    expect((await health(tokenOf(await handle.authenticate()))).status).toBe(200)
    expect(await kit.stored(id)).toMatchObject({ status: 'created', refused: null })
  })
})

describe('a provider that cannot be asked just now', () => {
  it('marks no connection bad, is left alone for a while, and then asked again', async () => {
    const id = await kit.connect({ seconds: 600 })
    const handle = await kit.open(id)
    await handle.succeeded((await handle.authenticate()).generation)
    kit.app.clock.advance(600_000)
    kit.server.answerTokens(answering(503, {}, { 'retry-after': '120' }))
    const failed = await Promise.allSettled(Array.from({ length: 20 }, () => handle.authenticate()))
    for (const one of failed) expect(one).toMatchObject({ reason: expect.any(CredentialUnavailable) })
    expect(calls()).toBe(1)
    expect(await kit.stored(id)).toMatchObject({ status: 'working', refused: null, renewal_failures: 1 })
    kit.server.answerTokens(undefined)
    const waiting = await handle.authenticate().catch((error: unknown) => error)
    expect(waiting).toMatchObject({ name: 'CredentialUnavailable', retryAfterMs: expect.any(Number) })
    expect(calls()).toBe(1)
    kit.app.clock.advance(121_000)
    expect((await health(tokenOf(await handle.authenticate()))).status).toBe(200)
    expect(await kit.stored(id)).toMatchObject({ renewal_failures: 0, retry_at: null })
  })
})

describe('a token that the provider refuses', () => {
  it('is replaced once; the one after it is believed to be refused for good', async () => {
    const id = await kit.connect()
    const handle = await kit.open(id)
    const first = await handle.authenticate()
    await handle.succeeded(first.generation)
    await kit.server.revoke(tokenOf(first)!.slice('Bearer '.length))
    const again = await Promise.all(Array.from({ length: 10 }, () => handle.refused(first.generation)))
    expect(again).toEqual(Array.from({ length: 10 }, () => true))
    expect(calls()).toBe(1)
    const second = await handle.authenticate()
    expect((await health(tokenOf(second))).status).toBe(200)
    // Of the old one nothing more is said.
    expect(await handle.refused(first.generation)).toBe(true)
    expect(await handle.refused(second.generation)).toBe(false)
    expect(await kit.stored(id)).toMatchObject({ status: 'bad_credentials', generation: 2 })
    expect(await handle.refused(second.generation)).toBe(false)
    expect(calls()).toBe(1)
  })

  it('says nothing of the connection while the provider cannot be asked for another one', async () => {
    const id = await kit.connect()
    const handle = await kit.open(id)
    const { generation } = await handle.authenticate()
    kit.server.answerTokens(answering(502, {}))
    await expect(handle.refused(generation)).rejects.toBeInstanceOf(CredentialUnavailable)
    expect(await kit.stored(id)).toMatchObject({ status: 'created' })
  })
})

describe('renewed tokens', () => {
  it('are kept although what follows from them fails', async () => {
    const id = await kit.connect({ seconds: 0.5 })
    kit.app.clock.advance(60_000)
    const { services } = kit.app.app
    let told = 0
    const hooks = {
      ...services.hooks,
      async connectionRefreshed() {
        if (told++ === 0) throw new Error('not this time')
      },
    }
    const live = createConnectionHandles({ ...services, hooks })
    const handle = await live.open(kit.app.projectId, id)
    expect((await health(tokenOf(await handle.authenticate()))).status).toBe(200)
    expect(told).toBe(2)
    expect(await kit.stored(id)).toMatchObject({ status: 'created', generation: 2 })
    await live.stop()
  })

  it('are kept although the connection is locked by somebody who waits for the credential', async () => {
    const id = await kit.connect({ seconds: 0.5 })
    const handle = await kit.open(id)
    kit.app.clock.advance(60_000)
    const waiting: (() => void)[] = []
    const tokens = { access_token: 'kept', token_type: 'Bearer', expires_in: 3_600 }
    kit.server.answerTokens((_, response) => waiting.push(() => answering(200, tokens)(undefined, response)))
    const asked = handle.authenticate()
    await expect.poll(() => waiting.length).toBe(1)
    // The order of a deploy of a new credential: first the connection, then what belongs to it.
    const changed = kit.app.call('PATCH', `/projects/default/connections/${id}`, {
      updateMask: ['providerMetadata'],
      connection: { providerMetadata: {} },
    })
    await untilLockWait(kit.app.db.sql)
    waiting[0]!()
    expect((await changed).status).toBe(200)
    expect(tokenOf(await asked.catch(async () => (await kit.open(id)).authenticate()))).toBe('Bearer kept')
    expect(await kit.stored(id)).toMatchObject({ generation: 3 })
  })
})

describe('whoever asks for a connection', () => {
  it('may have its token renewed first: always, or when it has ended', async () => {
    const id = await kit.connect()
    const tokenIn = async (query: string) => {
      const { status, body } = await kit.get(id, `?includeCreds=true${query}`)
      return [
        status,
        (body as { oauth2AuthorizationCode: { accessToken: { token: string } } }).oauth2AuthorizationCode.accessToken
          .token,
      ]
    }
    const [, before] = await tokenIn('')
    expect(await tokenIn('&refresh=ifExpired')).toEqual([200, before])
    const [, forced] = await tokenIn('&refresh=force')
    expect(forced).not.toBe(before)
    kit.app.clock.advance(3_600_000)
    expect(await tokenIn('&refresh=ifExpired')).not.toEqual([200, forced])
    expect(calls()).toBe(2)
  })

  it('is told when the provider cannot be asked, and sees a connection that is bad when it refuses', async () => {
    const id = await kit.connect()
    kit.server.answerTokens(answering(500, {}))
    const away = await kit.get(id, '?refresh=force')
    expect(away).toMatchObject({ status: 503, body: { context: { code: 'renewal-unavailable' } } })
    kit.server.answerTokens(answering(400, { error: 'invalid_grant' }))
    expect(await kit.get(id, '?refresh=force')).toMatchObject({ status: 200, body: { status: 'bad_credentials' } })
  })
})

it('no credential is held for longer than five minutes after it was looked up', async () => {
  const id = await kit.connect()
  await kit.open(id)
  await sql`update connection_credentials set encrypted = 'gone' where connection_id = ${id}`.execute(kit.app.db.sql)
  kit.app.clock.advance(6 * 60_000)
  await expect(kit.open(id)).rejects.toThrow()
})
