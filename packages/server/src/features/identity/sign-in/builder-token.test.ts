import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT, UnsecuredJWT } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder, type TestBuilder } from '../../../testkit/test-builder.ts'

let app: TestApp
let ada: TestBuilder
beforeAll(async () => {
  app = await startTestApp()
  ada = await signInBuilder(app, { email: 'ada@example.com', role: 'owner' })
})
afterAll(() => app?.stop())

const publicUrl = 'http://localhost:0'

/** What a token is answered where a builder with a role is admitted. */
async function asks(token: string, on: TestApp = app): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await on.call('GET', '/projects/default', undefined, { apiKey: null, headers })).status
}

/** Signs as the service does, but for what is changed. */
async function forge(change: {
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  key?: Parameters<SignJWT['sign']>[0]
}): Promise<string> {
  const claims = { ...decodeJwt(ada.token), ...change.claims }
  for (const [name, value] of Object.entries(claims)) if (value === undefined) delete claims[name as never]
  const header = { ...decodeProtectedHeader(ada.token), ...change.header } as { alg: string }
  return await new SignJWT(claims).setProtectedHeader(header).sign(change.key ?? ownKey.privateKey)
}

/** A key that the service knows, whose private half this test holds too. */
const ownKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ownKid = 'of-the-test'

beforeAll(async () => {
  const publicJwk = { ...ownKey.publicKey.export({ format: 'jwk' }), kid: ownKid, alg: 'RS256', use: 'sig' }
  await sql`insert into signing_keys (id, public_jwk, encrypted_private_jwk, active, retire_time)
            values (${ownKid}, ${JSON.stringify(publicJwk)}, '', false, now())`.execute(
    app.testDatabase.database.system,
  )
  app.clock.advance(6_000)
})

it('a token is answered although its session is forgotten while it is looked up', async () => {
  const { builderTokens } = app.app.services
  let settled = false
  const found = builderTokens.find(ada.token).finally(() => {
    settled = true
  })
  while (!settled) {
    builderTokens.forget(ada.sessionId)
    await new Promise(setImmediate)
  }
  expect((await found)?.caller).toMatchObject({ builderId: ada.builderId })
})

describe('a token', () => {
  it('says who, for whom and until when, and is admitted', async () => {
    expect(await asks(ada.token)).toBe(200)
    const claims = decodeJwt(ada.token)
    expect(claims).toEqual({
      sub: ada.builderId,
      email: 'ada@example.com',
      sid: ada.sessionId,
      iss: publicUrl,
      aud: publicUrl,
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
    const minutes = (claims.exp! - claims.iat!) / 60
    expect(minutes).toBeGreaterThanOrEqual(15)
    expect(minutes).toBeLessThanOrEqual(60)
  })

  it('is verified by anybody with the published keys', async () => {
    const jwks = createRemoteJWKSet(new URL(`${app.url}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(ada.token, jwks, { algorithms: ['RS256'], issuer: publicUrl })
    expect(payload.sub).toBe(ada.builderId)
    const { body } = await app.call<{ keys: Record<string, unknown>[] }>('GET', '//.well-known/jwks.json')
    for (const key of body.keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })

  it('is admitted when everything but the key is as it should be, so that the refusals below mean something', async () => {
    expect(await asks(await forge({ header: { kid: ownKid } }))).toBe(200)
  })

  const seconds = () => Math.floor(app.clock.now().getTime() / 1000)
  it.each<[string, () => Promise<string> | string]>([
    ['of nobody’s key', () => forge({ key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey })],
    ['of an unknown key id', () => forge({ header: { kid: 'nobody' } })],
    ['without a key id', () => forge({ header: { kid: undefined } })],
    ['without a signature', () => new UnsecuredJWT(decodeJwt(ada.token)).encode()],
    ['with its signature cut', () => ada.token.slice(0, -10)],
    ['with a claim changed', () => changed(ada.token)],
    [
      'signed with HS256 and the public key as secret',
      () =>
        forge({
          header: { alg: 'HS256', kid: ownKid },
          key: new TextEncoder().encode(ownKey.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
        }),
    ],
    ['signed with RS512', () => forge({ header: { alg: 'RS512', kid: ownKid } })],
    ['signed with PS256', () => forge({ header: { alg: 'PS256', kid: ownKid } })],
    [
      'that brings its own key',
      () =>
        forge({
          header: { kid: 'mine', jwk: ownKey.publicKey.export({ format: 'jwk' }), jku: 'https://example.com/jwks' },
        }),
    ],
    ['with a critical extension', () => forge({ header: { kid: ownKid, crit: ['x'], x: 1 } }).catch(() => 'a.b.c')],
    ['of another issuer', () => forge({ header: { kid: ownKid }, claims: { iss: 'https://elsewhere.example' } })],
    ['for another audience', () => forge({ header: { kid: ownKid }, claims: { aud: 'https://elsewhere.example' } })],
    ['that expired 31 seconds ago', () => forge({ header: { kid: ownKid }, claims: { exp: seconds() - 31 } })],
    ['without an end', () => forge({ header: { kid: ownKid }, claims: { exp: undefined } })],
    ['without a session', () => forge({ header: { kid: ownKid }, claims: { sid: undefined } })],
    ['of a session that never was', () => forge({ header: { kid: ownKid }, claims: { sid: app.projectId } })],
    ['of a session that is no id', () => forge({ header: { kid: ownKid }, claims: { sid: "' or 1=1" } })],
    ['of somebody else’s session', () => forge({ header: { kid: ownKid }, claims: { sub: app.projectId } })],
    ['that is too long', () => forge({ header: { kid: ownKid }, claims: { long: 'x'.repeat(8_192) } })],
    ['that is none', () => 'nonsense'],
    ['of random bytes', () => [1, 2, 3].map(() => randomBytes(40).toString('base64url')).join('.')],
  ])('%s is refused', async (_, make) => {
    expect(await asks(await make())).toBe(401)
  })

  it('is still good within the skew of clocks', async () => {
    expect(await asks(await forge({ header: { kid: ownKid }, claims: { exp: seconds() - 20 } }))).toBe(200)
  })

  it('ends when it says, though it was good a moment ago', async () => {
    const token = await forge({ header: { kid: ownKid }, claims: { exp: seconds() - 28 } })
    expect(await asks(token)).toBe(200)
    app.clock.advance(3_000)
    expect(await asks(token)).toBe(401)
  })
})

describe('ended', () => {
  it('a session ends its tokens here at once, and on another node within five seconds', async () => {
    const node = await startTestNode(app)
    try {
      const grace = await signInBuilder(app, { email: 'grace@example.com', role: 'developer' })
      expect([await asks(grace.token), await asks(grace.token, node)]).toEqual([200, 200])
      const out = await app.call('DELETE', '/sessions/current', undefined, { apiKey: null, headers: grace.headers })
      expect(out.status).toBe(204)
      expect(await asks(grace.token)).toBe(401)
      node.clock.advance(5_001)
      expect(await asks(grace.token, node)).toBe(401)
    } finally {
      await node.stop()
    }
  })

  it('a builder who is gone is refused within five seconds', async () => {
    const gone = await signInBuilder(app, { email: 'gone@example.com', role: 'developer' })
    expect(await asks(gone.token)).toBe(200)
    await sql`delete from builders where id = ${gone.builderId}`.execute(app.testDatabase.database.system)
    app.clock.advance(5_001)
    expect(await asks(gone.token)).toBe(401)
  })
})

describe('the key that signs', () => {
  it('can be changed: older tokens stay good, and other nodes learn the new key', async () => {
    const node = await startTestNode(app)
    try {
      const before = await signInBuilder(app, { email: 'before@example.com', role: 'developer' })
      expect(await asks(before.token, node)).toBe(200)
      await app.app.services.builderTokens.rotate({ always: true })
      const after = await signInBuilder(app, { email: 'after@example.com', role: 'developer' })
      expect(decodeProtectedHeader(after.token).kid).not.toBe(decodeProtectedHeader(before.token).kid)
      node.clock.advance(5_001)
      expect([await asks(before.token), await asks(after.token), await asks(after.token, node)]).toEqual([
        200, 200, 200,
      ])
    } finally {
      await node.stop()
    }
  })

  it('signs on other nodes as soon as it is made', async () => {
    const other = await startTestNode(app)
    const kidOf = async () => {
      const session = { sessionId: ada.sessionId, builderId: ada.builderId, email: 'ada@example.com' }
      const { accessToken } = await other.app.services.builderTokens.issue(session)
      return decodeProtectedHeader(accessToken).kid
    }
    const before = await kidOf()
    await app.app.services.builderTokens.rotate({ always: true })
    // Without a notification, it would sign with the former key for a minute.
    await expect.poll(kidOf, { timeout: 20_000 }).not.toBe(before)
    await other.stop()
  })

  it('is made once, however many nodes need it first', async () => {
    const fresh = await startTestApp()
    const node = await startTestNode(fresh)
    try {
      const sets = await Promise.all(
        [fresh, node, fresh, node].map(({ app: { services } }) => services.builderTokens.publicKeys()),
      )
      expect(new Set(sets.map((set) => JSON.stringify(set))).size).toBe(1)
      expect(sets[0]?.keys).toHaveLength(1)
    } finally {
      await node.stop()
      await fresh.stop()
    }
  })
})

/** The same token with another email in it. */
function changed(token: string): string {
  const [header, , signature] = token.split('.')
  const claims = Buffer.from(JSON.stringify({ ...decodeJwt(token), email: 'eve@example.com' })).toString('base64url')
  return `${header}.${claims}.${signature}`
}
