import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { credentialsTopic } from '../../../kernel/pubsub/index.ts'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'

interface Key {
  id: string
  key: string
  hint: string
  label: string
  scopes: string[]
  projectId: string
  active: boolean
  createdBy: string
  createTime: string
  updateTime?: string
}
interface ProblemBody {
  status: number
  detail: string
  context: { code: string }
  issues: { in: string; name: string; value?: unknown; detail: string; remedy?: string }[]
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' }, logLevel: 'trace' })
})
afterAll(() => app?.stop())

const keys = '/projects/default/api-keys'
const create = async (body: object = { label: 'a key' }) => (await app.call<Key>('POST', keys, body)).body
const at = (name: string) => `${keys}/${encodeURIComponent(name)}`
const works = async (apiKey: string, node = app) =>
  (await node.call('GET', '/projects/default', undefined, { apiKey })).status === 200

describe('a new API key', () => {
  it('is shown whole, works at once, and may do everything unless told otherwise', async () => {
    const { status, body } = await app.call<Key>('POST', keys, {
      label: 'server',
      id: '',
      projectId: '',
      active: false,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      key: expect.stringMatching(/^mortise_live_[0-9A-Za-z]{34}$/),
      label: 'server',
      scopes: ['full'],
      projectId: app.projectId,
      active: true,
      id: expect.any(String),
      hint: `mortise_live_…${body.key.slice(-4)}`,
      createdBy: 'builder:bootstrap',
      createTime: expect.any(String),
    })
    expect(await works(body.key)).toBe(true)
    expect((await app.call('GET', keys, undefined, { apiKey: body.key })).status).toBe(200)
  })

  it('of scope frontend may do what a front end needs', async () => {
    const { key, scopes } = await create({ label: 'browser', scopes: ['frontend', 'frontend'] })
    expect(scopes).toEqual(['frontend'])
    expect(await works(key)).toBe(true)
    expect((await app.call('GET', keys, undefined, { apiKey: key })).status).toBe(403)
  })

  it('is said to be made by the builder, or by who made the key that made it', async () => {
    const builder = await signInBuilder(app, { email: 'maker@example.com', role: 'developer' })
    const options = { apiKey: null, headers: builder.headers }
    const byBuilder = (await app.call<Key>('POST', keys, { label: 'one' }, options)).body
    expect(byBuilder.createdBy).toBe(`builder:${builder.builderId}`)
    const byKey = (await app.call<Key>('POST', keys, { label: 'two' }, { apiKey: byBuilder.key })).body
    expect(byKey.createdBy).toBe(`builder:${builder.builderId}`)
  })

  it.each([
    ['scopes[1]', 422, { label: 'x', scopes: ['full', 'root'] }],
    ['scopes', 422, { label: 'x', scopes: [] }],
    ['label', 400, { label: '' }],
    ['label', 400, { label: 'x'.repeat(256) }],
    ['label', 400, {}],
    ['label', 400, { label: 'a\u0000b' }],
  ])('is refused for its %s with %i', async (name, status, body) => {
    const answer = await app.call<ProblemBody>('POST', keys, body)
    expect([answer.status, answer.body.issues.map((issue) => issue.name)]).toEqual([status, [name]])
  })

  it('is refused when the project has a thousand', async () => {
    const { testDatabase, otherProject } = app
    await testDatabase.database.system
      .insertInto('api_keys')
      .values(
        Array.from({ length: 999 }, (_, at) => ({
          project_id: otherProject.id,
          id: app.app.services.newId(),
          label: 'one of many',
          scopes: ['full'],
          hash: Buffer.from(`hash ${at}`),
          encrypted: '',
          hint: '',
          created_by: 'builder:test',
        })),
      )
      .execute()
    const answer = await app.call<ProblemBody>('POST', '/projects/other/api-keys', { label: 'x' }, otherProject)
    expect([answer.status, answer.body.context.code]).toEqual([422, 'too-many-keys'])
  })
})

describe('the list of API keys', () => {
  it('tells no key, oldest first, all or those that work', async () => {
    const one = await create({ label: 'listed one' })
    const two = await create({ label: 'listed two' })
    await app.call('PATCH', at(one.id), { updateMask: ['active'], apiKey: { active: false } })
    const list = async (query: string) => (await app.call<Key[]>('GET', `${keys}${query}`)).body
    const all = await list('')
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted())
    expect(all.filter(({ label }) => label.startsWith('listed'))).toMatchObject([
      { id: one.id, key: one.hint, active: false },
      { id: two.id, key: two.hint, active: true },
    ])
    expect(JSON.stringify(all)).not.toMatch(/mortise_live_[0-9A-Za-z]{34}/)
    expect(await list('?active=false')).toEqual(all)
    expect(await list('?active=true')).toEqual(all.filter(({ active }) => active))
    expect((await app.call('GET', `${keys}?active=maybe`)).status).toBe(400)
  })
})

describe('one API key', () => {
  it('is got by its id and by itself, and is shown whole', async () => {
    const made = await create()
    for (const name of [made.id, made.key])
      expect(await app.call('GET', at(name))).toMatchObject({ status: 200, body: made })
  })

  it('is got by itself too when the operator chose one with signs that paths use', async () => {
    const chosen = 'mortise_chosen/by~the+operator=0123456789'
    const { services } = app.app
    const { hashApiKey, createEnvelope } = await import('../../../kernel/encryption/index.ts')
    const id = services.newId()
    const place = { table: 'api_keys', project: app.projectId, row: id, column: 'encrypted' }
    await app.db.sql
      .insertInto('api_keys')
      .values({
        project_id: app.projectId,
        id,
        label: 'chosen',
        scopes: ['full'],
        hash: hashApiKey(app.keyring.derive('api-key-pepper'), chosen),
        encrypted: createEnvelope(app.keyring).encrypt(chosen, place),
        hint: 'mortise_…6789',
        created_by: 'builder:test',
      })
      .execute()
    expect((await app.call<Key>('GET', at(chosen))).body).toMatchObject({ id, key: chosen })
  })

  it('is not there when it is unknown, deleted, or another project’s: always the same', async () => {
    const deleted = await create()
    await app.call('DELETE', at(deleted.id))
    const theirs = (
      await app.call<Key[]>('GET', '/projects/other/api-keys', undefined, { apiKey: app.otherProject.apiKey })
    ).body[0]!
    const names = [
      deleted.id,
      deleted.key,
      theirs.id,
      app.otherProject.apiKey,
      app.app.services.newId(),
      'nonsense',
      `${deleted.key.slice(0, -1)}!`,
    ]
    const answers = []
    for (const name of names)
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { updateMask: ['label'], apiKey: { label: 'taken over' } }],
        ['DELETE', undefined],
      ] as const) {
        const answer = await app.call<ProblemBody>(method, at(name), body)
        const text = JSON.stringify(answer.body)
        expect(text).not.toContain(name.slice(-20))
        const { detail, issues, context } = answer.body
        answers.push({ status: answer.status, detail, issues, context })
      }
    const issues = [{ in: 'path', name: 'apiKey', detail: answers[0]?.detail }]
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 404, context: { code: 'api-key-not-found' }, issues })
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await works(app.otherProject.apiKey)).toBe(false)
    const stillTheirs = await app.call('GET', '/projects/other', undefined, { apiKey: app.otherProject.apiKey })
    expect(stillTheirs.status).toBe(200)
  })

  it('in a path shows neither in a problem nor in a log', async () => {
    const { key } = await create()
    await app.call('GET', at(key))
    const tooLong = await app.call('GET', at(key + 'x'.repeat(512)))
    expect(tooLong.status).toBe(400)
    const bad = await app.call('PATCH', at(key), { updateMask: ['nothing'], apiKey: {} })
    await app.call('DELETE', at(key))
    const gone = await app.call('GET', at(key))
    await app.call('GET', `${at(key)}/no-such-operation`)
    for (const text of [JSON.stringify([tooLong.body, bad.body, gone.body]), app.logs.join('')])
      expect(text).not.toContain(key.slice(13))
  })
})

describe('changing an API key', () => {
  it('changes what the mask lists, and ignores the rest', async () => {
    const { id } = await create({ label: 'before' })
    const { status, body } = await app.call<Key>('PATCH', at(id), {
      updateMask: ['label', 'scopes'],
      apiKey: { label: 'after', scopes: ['frontend'], active: false, key: '', projectId: '' },
    })
    expect([status, body.label, body.scopes, body.active]).toEqual([200, 'after', ['frontend'], true])
    expect(body.updateTime).toEqual(expect.any(String))
    // A label that is not listed is not even looked at.
    const other = { updateMask: ['active'], apiKey: { active: true, label: '' } }
    expect((await app.call('PATCH', at(id), other)).status).toBe(200)
  })

  it.each([
    [400, ['updateMask[0]', 'apiKey.label'], { updateMask: ['key', 'label'], apiKey: {} }],
    [400, ['apiKey.active'], { updateMask: ['active'], apiKey: { label: 'x' } }],
    [400, ['apiKey.label'], { updateMask: ['label'], apiKey: { label: '' } }],
    [400, ['apiKey.label'], { updateMask: ['label'], apiKey: { label: 'x'.repeat(256) } }],
    [400, ['updateMask'], { updateMask: [], apiKey: {} }],
    [400, ['updateMask', 'apiKey'], {}],
    [422, ['apiKey.scopes[0]'], { updateMask: ['scopes'], apiKey: { scopes: ['admin'] } }],
    [422, ['apiKey.scopes'], { updateMask: ['scopes'], apiKey: { scopes: [] } }],
  ])('answers %i for %j', async (status, names, body) => {
    const { id } = await create()
    const answer = await app.call<ProblemBody>('PATCH', at(id), body)
    expect([answer.status, answer.body.issues.map(({ name }) => name)]).toEqual([status, names])
  })

  it('says which masks there are', async () => {
    const { id } = await create()
    const answer = await app.call<ProblemBody>('PATCH', at(id), { updateMask: ['hash'], apiKey: {} })
    expect(answer.body.issues).toMatchObject([{ value: 'hash', remedy: 'List only active, label, scopes.' }])
  })

  it('takes effect at once here, and within five seconds on another node', async () => {
    const node = await startTestNode(app, { MORTISE_ROLES: 'api' })
    try {
      const { id, key } = await create()
      expect([await works(key), await works(key, node)]).toEqual([true, true])
      await app.call('PATCH', at(id), { updateMask: ['active'], apiKey: { active: false } })
      expect(await works(key)).toBe(false)
      node.clock.advance(5_001)
      expect(await works(key, node)).toBe(false)
      await app.call('PATCH', at(key), { updateMask: ['active'], apiKey: { active: true } })
      expect(await works(key)).toBe(true)
      await app.call('PATCH', at(key), { updateMask: ['scopes'], apiKey: { scopes: ['frontend'] } })
      expect((await app.call('GET', keys, undefined, { apiKey: key })).status).toBe(403)
      await app.call('DELETE', at(id))
      expect(await works(key)).toBe(false)
      node.clock.advance(5_001)
      expect(await works(key, node)).toBe(false)
    } finally {
      await node.stop()
    }
  })

  it('does not disturb those who call with other keys at that moment', async () => {
    const { key } = await create()
    const calls = Array.from({ length: 40 }, async (_, at) => {
      if (at % 4 === 0) return (await app.call('POST', keys, { label: 'more' })).status === 201
      if (at % 4 === 1) app.app.services.pubsub.notifyLocal(credentialsTopic, { table: 'api_keys' })
      return works(key)
    })
    expect(await Promise.all(calls)).toEqual(Array(40).fill(true))
  })

  it('can be the deletion of the very key that calls', async () => {
    const { id, key } = await create()
    expect((await app.call('DELETE', at(id), undefined, { apiKey: key })).status).toBe(204)
    expect((await app.call('GET', keys, undefined, { apiKey: key })).status).toBe(401)
  })
})
