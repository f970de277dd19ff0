import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { createSigner, type TestSigner } from '../../../testkit/test-consumer.ts'

interface ProblemBody {
  detail: string
  context: { code: string }
}

let app: TestApp
let signer: TestSigner
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' }, logLevel: 'trace' })
  signer = await createSigner(app)
})
afterAll(() => app?.stop())

const refs = { groupRef: 'acme', consumerRef: 'ann' }
const now = () => Math.floor(app.clock.now().getTime() / 1000)
const encode = (text: string) => Buffer.from(text).toString('base64url')

const call = (token: string, path = '/projects/default', method = 'GET', body?: unknown, node = app) =>
  node.call<ProblemBody>(method, path, body, { apiKey: null, headers: { authorization: `Bearer ${token}` } })
const answered = async (token: string, path?: string) => {
  const { status, body } = await call(token, path)
  return status === 401 ? body.detail : status
}
const unknown = 'This API key or token is not valid, or there is none.'

/** A token as it is written, signed by the right key: what no library would make. */
async function handmade(header: string, payload: string, { privateKey } = signer): Promise<string> {
  const { sign } = await import('node:crypto')
  const text = `${encode(header)}.${encode(payload)}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

describe('a consumer token', () => {
  it('calls for its group and consumer, in its project alone', async () => {
    const token = await signer.sign({ ...refs, sub: 'whatever' })
    expect(await answered(token)).toBe(200)
    expect(await answered(token, `/projects/${app.projectId}`)).toBe(200)
    expect(await answered(token, '/projects/other')).toBe(404)
    expect(await answered(token, `/projects/${app.otherProject.id}`)).toBe(404)
  })

  it('lives as long as it says, give or take thirty seconds', async () => {
    const iat = now()
    expect(await answered(await signer.sign({ ...refs, iat: iat - 620, exp: iat - 20 }))).toBe(200)
    expect(await answered(await signer.sign({ ...refs, iat: iat - 640, exp: iat - 40 }))).toBe('The token has expired.')
    expect(await answered(await signer.sign({ ...refs, iat: iat + 20, exp: iat + 60 }))).toBe(200)
  })

  it('ends by the clock of the service', async () => {
    const node = await startTestNode(app, { MORTISE_ROLES: 'api' })
    try {
      const token = await signer.sign(refs)
      node.clock.advance(620_000)
      expect((await call(token, '/projects/default', 'GET', undefined, node)).status).toBe(200)
      node.clock.advance(15_000)
      expect((await call(token, '/projects/default', 'GET', undefined, node)).status).toBe(401)
    } finally {
      await node.stop()
    }
  })

  it.each<[string, (at: number) => JWTPayload, string]>([
    ['is from the future', (at) => ({ iat: at + 60, exp: at + 120 }), 'The token was issued in the future (`iat`).'],
    ['lives too long', (at) => ({ iat: at, exp: at + 601 }), 'The token lives longer than 600 seconds.'],
    [
      'lives too long, counted from long ago',
      (at) => ({ iat: 0, exp: at + 60 }),
      'The token lives longer than 600 seconds.',
    ],
    ['is not valid yet', (at) => ({ nbf: at + 60 }), 'The claim `nbf` of the token is missing or not valid.'],
    ['does not end', () => ({ exp: undefined }) as never, 'The claim `exp` of the token is missing or not valid.'],
    [
      'ends at a text',
      (at) => ({ exp: `${at + 60}` }) as never,
      'The claim `exp` of the token is missing or not valid.',
    ],
    ['has no beginning', () => ({ iat: undefined }) as never, 'The claim `iat` of the token is missing or not valid.'],
    ['begins at a text', (at) => ({ iat: `${at}` }) as never, 'The claim `iat` of the token is missing or not valid.'],
    ...(['groupRef', 'consumerRef'] as const).flatMap((name) =>
      [undefined, null, '', 7, ['acme'], { a: 1 }, true, 'x'.repeat(201), 'a\u0000b', '\ud800'].map(
        (value): [string, () => JWTPayload, string] => [
          `has the ${name} ${JSON.stringify(value)?.slice(0, 20)}`,
          () => ({ [name]: value }),
          `The claim \`${name}\` of the token is missing or not valid.`,
        ],
      ),
    ),
  ])('that %s is refused, and told why', async (_, claims, detail) => {
    const token = await handmade(
      JSON.stringify({ alg: 'RS256', kid: signer.kid }),
      JSON.stringify({ iat: now(), exp: now() + 60, ...refs, ...claims(now()) }),
    )
    expect(await answered(token)).toBe(detail)
  })

  it('is refused under every algorithm but RS256', async () => {
    const { privateKey, publicKeyPem, kid } = signer
    const other = {
      ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      ed: generateKeyPairSync('ed25519').privateKey,
    }
    const der = createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' })
    const claims = encode(JSON.stringify({ ...refs, iat: now(), exp: now() + 60 }))
    const none = ['none', 'None', 'NONE', ''].flatMap((alg) => {
      const header = encode(JSON.stringify({ alg, kid }))
      return [`${header}.${claims}.`, `${header}.${claims}`, `${header}.${claims}.AAAA`]
    })
    const tokens = [
      ...none,
      // The public key, as everybody may know it, for a shared secret.
      await signer.sign(refs, { alg: 'HS256' }, Buffer.from(publicKeyPem)),
      await signer.sign(refs, { alg: 'HS256' }, Buffer.from(publicKeyPem.trim())),
      await signer.sign(refs, { alg: 'HS256' }, der),
      await signer.sign(refs, { alg: 'HS512' }, Buffer.from(publicKeyPem)),
      await signer.sign(refs, { alg: 'RS512' }, privateKey),
      await signer.sign(refs, { alg: 'RS384' }, privateKey),
      await signer.sign(refs, { alg: 'PS256' }, privateKey),
      await signer.sign(refs, { alg: 'ES256' }, other.ec),
      await signer.sign(refs, { alg: 'EdDSA' }, other.ed),
      // Signed by RS512, but said to be RS256.
      await signer
        .sign(refs, { alg: 'RS512' }, privateKey)
        .then((token) => [encode(JSON.stringify({ alg: 'RS256', kid })), ...token.split('.').slice(1)].join('.')),
    ]
    for (const token of tokens) expect(await answered(token), token).toBe(unknown)
  })

  it('is refused when another key signed it, whatever key it brings along', async () => {
    const mine = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const jwk = mine.publicKey.export({ format: 'jwk' }) as never
    const url = 'http://127.0.0.1:9/keys'
    for (const header of [{}, { jwk }, { jku: url }, { x5u: url }, { jwk, jku: url, x5u: url, x5c: ['AAAA'] }]) {
      expect(await answered(await signer.sign(refs, header, mine.privateKey))).toBe(unknown)
      // What the token brings along is not looked at: the right signature is enough.
      expect(await answered(await signer.sign(refs, header))).toBe(200)
    }
  })

  it('is refused when its key is unknown, or named by what is no id', async () => {
    const ids = [app.app.services.newId(), 'nonsense', '', 7, null, undefined, `${signer.kid}x`, ['a'], "' or true --"]
    for (const kid of ids) {
      const token = await handmade(
        JSON.stringify({ alg: 'RS256', kid }),
        JSON.stringify({ ...refs, iat: now(), exp: now() + 60 }),
      )
      expect(await answered(token), String(kid)).toBe(unknown)
    }
  })

  it('is refused when a name in it is given twice', async () => {
    const { kid } = signer
    const head = JSON.stringify({ alg: 'RS256', kid })
    const claims = JSON.stringify({ ...refs, iat: now(), exp: now() + 60 })
    const twice = (text: string, name: string, value: string) =>
      text.replace('{', `{"${name}":${JSON.stringify(value)},`)
    expect(await answered(await handmade(head, claims))).toBe(200)
    for (const [header, payload] of [
      [twice(head, 'alg', 'none'), claims],
      [twice(head, 'kid', kid), claims],
      [twice(head, 'k\\u0069d', kid), claims],
      [head, twice(claims, 'groupRef', 'other')],
    ] as const)
      expect(await answered(await handmade(header, payload)), header).toBe(unknown)
  })

  it('is refused when it asks for what is not understood', async () => {
    const claims = JSON.stringify({ ...refs, iat: now(), exp: now() + 60 })
    for (const more of [
      { crit: ['exp'] },
      { crit: [] },
      { b64: false, crit: ['b64'] },
      { crit: ['http://example.com/x'], 'http://example.com/x': 1 },
    ])
      expect(await answered(await handmade(JSON.stringify({ alg: 'RS256', kid: signer.kid, ...more }), claims))).toBe(
        unknown,
      )
  })

  it('is refused when it was changed', async () => {
    const token = await signer.sign(refs)
    const [header, payload = '', signature = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    for (const changed of [
      [header, encode(JSON.stringify({ ...claims, groupRef: 'other' })), signature],
      [header, payload, `${signature.slice(0, -4)}AAAA`],
      [header, payload, `${signature}AAAA`],
      [header, payload, signature.slice(0, -4)],
      [header, payload, signature, signature],
      [header, payload],
    ])
      expect(await answered(changed.join('.')), changed.join('.')).toBe(unknown)
  })

  it('is refused when it is garbage or too large', async () => {
    const { privateKey, kid } = signer
    const large = await new SignJWT({ ...refs, more: 'x'.repeat(8_000), iat: now(), exp: now() + 60 })
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign(privateKey)
    const deep = `{"alg":"RS256","kid":"${kid}","a":${'['.repeat(3_000)}`
    const garbage = [
      large,
      'a',
      '.',
      '..',
      'a.b.c',
      '....',
      'eyJ.eyJ.eyJ',
      await handmade(deep, '{}'),
      await handmade('null', 'null'),
    ]
    garbage.push(
      await handmade('[]', '[]'),
      await handmade('"x"', '1'),
      `${encode('\ufeff{}')}.e30.AAAA`,
      'ÿ.ÿ.ÿ'.normalize(),
    )
    for (const token of garbage) {
      const { status } = await call(Buffer.from(token).toString('latin1'))
      expect(status, token.slice(0, 60)).toBe(401)
    }
  })

  it('is refused once its key is switched off or deleted: here at once, within five seconds elsewhere', async () => {
    const node = await startTestNode(app, { MORTISE_ROLES: 'api' })
    try {
      const brief = await createSigner(app)
      const token = await brief.sign(refs)
      const there = async () => (await call(token, '/projects/default', 'GET', undefined, node)).status
      const path = `/projects/default/jwt-keys/${brief.kid}`
      expect([await answered(token), await there()]).toEqual([200, 200])
      await app.call('PATCH', path, { updateMask: ['active'], jwtKey: { active: false } })
      expect(await answered(token)).toBe(unknown)
      node.clock.advance(5_001)
      expect(await there()).toBe(401)
      await app.call('PATCH', path, { updateMask: ['active'], jwtKey: { active: true } })
      expect(await answered(token)).toBe(200)
      await app.call('DELETE', path)
      expect(await answered(token)).toBe(unknown)
      node.clock.advance(5_001)
      expect(await there()).toBe(401)
    } finally {
      await node.stop()
    }
  })

  it('of another project’s key is one of that project', async () => {
    const theirs = await createSigner(app, { apiKey: app.otherProject.apiKey, project: 'other' })
    const token = await theirs.sign(refs)
    expect(await answered(token, '/projects/other')).toBe(200)
    expect(await answered(token)).toBe(404)
  })

  it('is in no log, and neither is its key', () => {
    expect(app.logs.join('')).not.toMatch(/eyJhbGciOi/)
  })
})
