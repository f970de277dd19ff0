import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { codeAt, createPerson, enrollTotp, password } from '../features/identity/sign-in/factors/factors.testkit.ts'
import { MissingEncryptionKey } from '../kernel/db/index.ts'
import { createEnvelope, createKeyring } from '../kernel/encryption/index.ts'
import { startTestApp, type TestApp } from '../testkit/test-app.ts'
import { readKeyStatus } from './key-status.ts'
import { type RotateOptions, rotateKeys } from './rotate.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const oldId = createKeyring({ active: oldKey }).activeId
const newId = createKeyring({ active: newKey }).activeId
const { signal } = new AbortController()
const project = '/projects/default'

let app: TestApp
beforeEach(async () => {
  app = await startTestApp({ keyring: createKeyring({ active: oldKey, retained: newKey }) })
})
afterEach(() => app?.stop())

const env = (keys: Buffer[]) => ({
  DATABASE_URL: app.testDatabase.url,
  MORTISE_DATA_DIR: '/nonexistent',
  MORTISE_ENCRYPTION_KEY: keys[0]?.toString('base64'),
  MORTISE_ENCRYPTION_KEY_NEXT: keys[1]?.toString('base64'),
})
/** Nodes look at once instead of within five seconds. */
const rotate = (options: Partial<RotateOptions> = {}, nodes = [app]) =>
  rotateKeys({
    env: env([oldKey, newKey]),
    signal,
    progress: (step) => step === 'promote' && nodes.forEach((node) => void node.app.keyWatch.look()),
    ...options,
  })
async function node(keys: Buffer[], keyMissing?: (error: Error) => void) {
  const keyring = createKeyring({ active: keys[0]!, retained: keys[1] })
  const started = await startTestApp({ first: app, keyring, ...(keyMissing && { keyMissing }) })
  onTestFinished(() => started.stop())
  return started
}
const countOf = async (id: string) =>
  (await readKeyStatus({ env: env([oldKey, newKey]) })).keys.find((key) => key.id === id)

/** Makes a value of every kind that takes one request. */
async function secrets(of: TestApp, name: string) {
  const call = async <T>(method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await of.call<T>(method, `${project}${path}`, body, { headers })
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }
  const key = await call<{ key: string }>('POST', '/api-keys', { label: name, scopes: ['full'] })
  const metadata = { url: 'https://203.0.114.5/hook?token=abc', headers: { Authorization: 'Bearer abc' } }
  await call('POST', '/destinations', { name, type: 'webhook', metadata })
  await call('GET', `/destinations/${name}?rotate=true`)
  const providerParams = { signingSecret: 'signed' }
  await call('POST', '/provider-apps', {
    provider: 'slack',
    clientId: name,
    clientSecret: 's3cret',
    metadata: { providerParams },
  })
  await call('POST', '/topics', { name }, { 'Idempotency-Key': name })
  const read = async (at: TestApp) => ({
    destination: (await at.call(`GET`, `${project}/destinations/${name}?includeSecrets=true`)).body,
    byKey: (await at.call('GET', project, undefined, { apiKey: key.key })).status,
    again: (await at.call('POST', `${project}/topics`, { name }, { headers: { 'Idempotency-Key': name } })).body,
  })
  return { read, key: key.key, before: await read(of) }
}

test('everything is under the new key afterwards, and reads as before, with the old key removed', async () => {
  const made = await secrets(app, 'before')
  await app.app.services.builderTokens.rotate({ always: true })
  const second = await node([oldKey, newKey])
  const rotated = await rotate({}, [app, second])
  expect(rotated).toEqual({ activeId: newId, retiredIds: [oldId], rewrapped: expect.any(Number) })
  expect(rotated.rewrapped).toBeGreaterThan(8)
  const { rows: entries } = await sql`
    select actor_kind, resource_id from audit_entries where action = 'rotateKeys'`.execute(
    app.testDatabase.database.system,
  )
  expect(entries).toEqual([{ actor_kind: 'operator', resource_id: newId }])
  expect(await countOf(oldId)).toMatchObject({ state: 'retired', values: 0 })
  expect(await countOf(newId)).toMatchObject({ state: 'active', configured: true })
  for (const one of [app, second]) expect(await made.read(one)).toEqual(made.before)
  const after = await node([newKey])
  const { again, ...lasting } = made.before
  expect(await made.read(after)).toMatchObject(lasting)
  const fresh = await secrets(after, 'after')
  for (const one of [app, second])
    expect(await fresh.read(one)).toMatchObject({ byKey: 200, destination: fresh.before.destination })
  expect(await countOf(oldId)).toMatchObject({ values: 0 })
})

test('an authenticator app, and one that is being set up, work under the new key', async () => {
  const person = await createPerson(app, 'ada@example.com')
  const { nextCode } = await enrollTotp(app, person)
  const { secret } = (await person.call<{ secret: string }>('POST', '/my-info/factors:beginTotp')).body
  await rotate()
  expect(await countOf(oldId)).toMatchObject({ state: 'retired', values: 0 })
  const body = { email: person.email, password, code: nextCode() }
  expect((await app.call('POST', '/sessions', body, { apiKey: null })).status).toBe(200)
  const code = codeAt(secret, app.clock.now())
  expect((await person.call('POST', '/my-info/factors:confirmTotp', { code })).status).toBe(201)
})

test('while values wait to be rewrapped, both are read, and what is new is under the new key', async () => {
  const made = await secrets(app, 'before')
  const stopped = new AbortController()
  // Ended after the first table that had something.
  const cut = rotate({
    signal: stopped.signal,
    progress: (step, rewrapped) => {
      if (step === 'promote') void app.app.keyWatch.look()
      if (rewrapped > 0) stopped.abort()
    },
  })
  await expect(cut).rejects.toThrow(/abort/i)
  expect((await countOf(oldId))?.values).toBeGreaterThan(0)
  expect(await countOf(oldId)).toMatchObject({ state: 'previous' })
  expect(await made.read(app)).toEqual(made.before)
  const left = (await countOf(oldId))?.values
  const during = await secrets(app, 'during')
  expect((await countOf(oldId))?.values).toBe(left)

  expect(await rotate()).toMatchObject({ retiredIds: [oldId] })
  for (const one of [made, during]) expect(await one.read(app)).toEqual(one.before)
})

test('a node without the new key keeps the rotation from starting', async () => {
  await node([oldKey])
  await expect(rotate()).rejects.toThrow(/1 of 2 running nodes do not hold the new key/)
  expect(await countOf(newId)).toMatchObject({ state: 'next', values: 0 })
})

test('a node that misses the key of the others does not start, and one that runs ends', async () => {
  const missing: Error[] = []
  const late = await node([oldKey], (error) => missing.push(error))
  // It was away while the others were asked.
  await sql`delete from encryption_key_nodes where active_id = ${oldId} and not (${newId} = any(key_ids))`.execute(
    app.testDatabase.database.system,
  )
  await rotate()
  await expect(late.app.keyWatch.look()).rejects.toThrow(MissingEncryptionKey)
  await expect(node([oldKey])).rejects.toThrow(/retired by a rotation: set MORTISE_ENCRYPTION_KEY/)
})

test('the database takes no value under a retired key', async () => {
  const stale = createEnvelope(createKeyring({ active: oldKey }))
  await secrets(app, 'one')
  await rotate()
  const id = (await app.db.sql.selectFrom('destinations').select('id').executeTakeFirstOrThrow()).id
  const encrypted = stale.encrypt('x', {
    table: 'destinations',
    project: app.projectId,
    row: id,
    column: 'encrypted_metadata',
  })
  const update = (column: string, value: string) =>
    sql`update destinations set ${sql.ref(column)} = ${value}`.execute(app.db.sql)
  await expect(update('encrypted_metadata', encrypted)).rejects.toThrow(/encrypted under a retired key/)
  await expect(update('previous_secrets', JSON.stringify([{ encrypted, until: '' }]))).rejects.toThrow(/retired key/)
})

test('a row that somebody has locked is waited for, and a write that began before the key was closed is rewrapped', async () => {
  await secrets(app, 'locked')
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const steps: string[] = []
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>()
  const writing = app.db.transaction(async (tx) => {
    await sql`select from destinations where name = 'locked' for update`.execute(tx.sql)
    isLocked()
    await held
  })
  await locked
  const rotating = rotate({
    progress: (step, rewrapped, total) => {
      if (step === 'promote') void app.app.keyWatch.look()
      steps.push(step)
      // All but the three values of the locked row.
      if (rewrapped > 0 && rewrapped === total - 3) release()
    },
  })
  expect(await rotating).toMatchObject({ retiredIds: [oldId] })
  await writing
  expect(steps.at(-1)).toBe('retire')
})

test('without a new key there is nothing to do, and two rotations do not run at once', async () => {
  await expect(rotate({ env: env([oldKey]) })).rejects.toThrow(/no new key to change to/)
  await rotate()
  await expect(rotate()).rejects.toThrow(/A key that was retired is not used again/)
  const other = new pg.Client({ connectionString: app.testDatabase.url })
  await other.connect()
  try {
    await other.query(`select pg_advisory_lock(hashtext('mortise.keys'))`)
    await expect(rotate()).rejects.toThrow(/Another rotation runs/)
  } finally {
    await other.end()
  }
})
