import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

interface Key {
  id: string
  projectId: string
  label: string
  algorithm: string
  publicKeyPem: string
  active: boolean
  createTime: string
  updateTime: string
}
interface ProblemBody {
  context: { code: string }
  issues: { in: string; name: string; value?: unknown; detail: string; remedy?: string }[]
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const publicKeyPem = spki(rsa.publicKey)
const jwtKeys = '/projects/default/jwt-keys'
const valid = { label: 'server', algorithm: 'RS256', publicKeyPem }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' }, logLevel: 'trace' })
})
afterAll(() => app?.stop())

const create = async (body: object = valid) => (await app.call<{ kid: string }>('POST', jwtKeys, body)).body.kid
const get = async (kid: string) => (await app.call<Key>('GET', `${jwtKeys}/${kid}`)).body

describe('a new JWT key', () => {
  it('answers its id, and is a key of kind RSA', async () => {
    const { status, body } = await app.call<{ kid: string }>('POST', jwtKeys, valid)
    expect([status, body]).toEqual([201, { kid: expect.stringMatching(/^[0-9a-f-]{36}$/) }])
    expect(await get(body.kid)).toEqual({
      id: body.kid,
      projectId: app.projectId,
      label: 'server',
      algorithm: 'RSA',
      publicKeyPem,
      active: true,
      createTime: expect.any(String),
      updateTime: expect.any(String),
    })
  })

  it('may be named instead of labelled, say RSA, and have any line ends', async () => {
    const kid = await create({
      name: 'named',
      algorithm: 'RSA',
      publicKeyPem: `\n${publicKeyPem.replaceAll('\n', '\r\n')}\n`,
    })
    expect(await get(kid)).toMatchObject({ label: 'named', publicKeyPem })
    expect((await get(await create({ ...valid, name: 'alias' }))).label).toBe('server')
  })

  const pkcs1 = rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const privatePem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const rsaPrivatePem = rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const withExponent = (e: string) => {
    // The same modulus with another exponent, as a JWK: what a careless tool could make.
    const jwk = { ...rsa.publicKey.export({ format: 'jwk' }), e: Buffer.from(e, 'hex').toString('base64url') }
    return async () => {
      const { createPublicKey } = await import('node:crypto')
      return spki(createPublicKey({ key: jwk, format: 'jwk' }))
    }
  }
  it.each<[string, string | (() => Promise<string>), RegExp]>([
    ['a private key', privatePem, /private key/],
    ['a private key of the older form', rsaPrivatePem, /private key/],
    ['a private key behind the public one', publicKeyPem + privatePem, /private key/],
    ['two public keys', publicKeyPem + publicKeyPem, /not one public key/],
    ['PKCS#1', pkcs1, /SPKI/],
    ['a key of 1,024 bits', spki(generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey), /1024 bits/],
    ['an elliptic curve', spki(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey), /not an RSA/],
    ['RSA-PSS', spki(generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).publicKey), /not an RSA/],
    ['Ed25519', spki(generateKeyPairSync('ed25519').publicKey), /not an RSA/],
    ['the exponent 1', withExponent('01'), /exponent/],
    ['a huge exponent', withExponent(`01${'00'.repeat(63)}01`), /exponent/],
    ['a damaged key', publicKeyPem.replace(/[A-Za-z0-9]{20}\n/, 'AAAA\n'), /cannot be read/],
    ['a certificate', publicKeyPem.replaceAll('PUBLIC KEY', 'CERTIFICATE'), /SPKI/],
    ['nonsense', 'nonsense', /SPKI/],
    ['nothing', '', /SPKI/],
    ['a text without an end', `-----BEGIN PUBLIC KEY-----\n${'A\n'.repeat(4_000)}`, /SPKI/],
    ['a text that is too long', `${privatePem}${' '.repeat(10_000)}`, /at most/],
  ])('is refused when it is %s, and nothing of it is told', async (_, given, detail) => {
    const pem = typeof given === 'string' ? given : await given()
    const answer = await app.call<ProblemBody>('POST', jwtKeys, { ...valid, publicKeyPem: pem })
    expect(answer.status).toBe(400)
    const [issue, ...others] = answer.body.issues
    expect(others).toEqual([])
    expect(issue).toMatchObject({ in: 'body', name: 'publicKeyPem', detail: expect.stringMatching(detail) })
    expect(issue).not.toHaveProperty('value')
    const line = pem.split('\n').find((part) => part.length >= 40)
    if (line) expect(JSON.stringify(answer.body) + app.logs.join('')).not.toContain(line.slice(0, 40))
  })

  it('is refused for all that is wrong at once', async () => {
    const answer = await app.call<ProblemBody>('POST', jwtKeys, { algorithm: 'RS256', publicKeyPem: 'x' })
    expect([answer.status, answer.body.issues.map(({ name }) => name)]).toEqual([400, ['label', 'publicKeyPem']])
    const other = await app.call<ProblemBody>('POST', jwtKeys, { label: '', algorithm: 'HS256', publicKeyPem })
    expect(other.body.issues.map(({ name }) => name).toSorted()).toEqual(['algorithm', 'label'])
  })

  it('is refused when the project has a hundred', async () => {
    const { apiKey, id } = app.otherProject
    await app.testDatabase.database.system
      .insertInto('jwt_keys')
      .values(
        Array.from({ length: 100 }, () => ({
          project_id: id,
          id: app.app.services.newId(),
          label: 'one of many',
          public_key_pem: publicKeyPem,
          created_by: 'builder:test',
        })),
      )
      .execute()
    const answer = await app.call<ProblemBody>('POST', '/projects/other/jwt-keys', valid, { apiKey })
    expect([answer.status, answer.body.context.code]).toEqual([422, 'too-many-keys'])
  })
})

describe('JWT keys', () => {
  it('are listed oldest first, all or those that work', async () => {
    const kid = await create()
    await app.call('PATCH', `${jwtKeys}/${kid}`, { updateMask: ['active'], jwtKey: { active: false } })
    const all = (await app.call<Key[]>('GET', jwtKeys)).body
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted())
    expect(all.find(({ id }) => id === kid)?.active).toBe(false)
    const active = (await app.call<Key[]>('GET', `${jwtKeys}?active=true`)).body
    expect(active).toEqual(all.filter((key) => key.active))
  })

  it('are changed as the mask says, by either name of the label', async () => {
    const kid = await create()
    const patch = async (body: object) => (await app.call<Key>('PATCH', `${jwtKeys}/${kid}`, body)).body
    const before = await get(kid)
    const after = await patch({ updateMask: ['label'], jwtKey: { label: 'new', active: false, more: 1 } })
    expect(after).toMatchObject({ label: 'new', active: true })
    expect(Date.parse(after.updateTime)).toBeGreaterThan(Date.parse(before.updateTime))
    expect(await patch({ updateMask: ['name'], jwtKey: { name: 'newer' } })).toMatchObject({ label: 'newer' })
    expect(await patch({ updateMask: ['name', 'active'], jwtKey: { label: 'newest', active: false } })).toMatchObject({
      label: 'newest',
      active: false,
    })
  })

  it.each([
    [400, ['updateMask[0]'], { updateMask: ['algorithm'], jwtKey: { active: true } }],
    [400, ['updateMask'], { updateMask: [], jwtKey: {} }],
    [400, ['jwtKey.label'], { updateMask: ['label'], jwtKey: { label: '' } }],
    [422, ['jwtKey.label'], { updateMask: ['label'], jwtKey: { active: true } }],
    [422, ['jwtKey.active', 'jwtKey.label'], { updateMask: ['active', 'name', 'label'], jwtKey: {} }],
  ])('are not changed: %i for %j', async (status, names, body) => {
    const answer = await app.call<ProblemBody>('PATCH', `${jwtKeys}/${await create()}`, body)
    expect([answer.status, answer.body.issues.map(({ name }) => name)]).toEqual([status, names])
    if (status === 400 && names[0] === 'updateMask[0]')
      expect(answer.body.issues[0]?.remedy).toBe('List only active, label.')
  })

  it('are gone when they are deleted, and another project’s were never there', async () => {
    const kid = await create()
    expect((await app.call('DELETE', `${jwtKeys}/${kid}`)).status).toBe(204)
    const theirs = await app.testDatabase.database.system
      .selectFrom('jwt_keys')
      .select('id')
      .where('project_id', '=', app.otherProject.id)
      .executeTakeFirstOrThrow()
    for (const id of [kid, theirs.id, 'nonsense', app.app.services.newId()])
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { updateMask: ['active'], jwtKey: { active: false } }],
        ['DELETE', undefined],
      ] as const) {
        const answer = await app.call<ProblemBody>(method, `${jwtKeys}/${id}`, body)
        expect([answer.status, answer.body.context.code]).toEqual([404, 'jwt-key-not-found'])
      }
  })
})
