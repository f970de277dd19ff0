import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEnvelope, createKeyring, generateApiKey } from '../../../kernel/encryption/index.ts'
import type { PubSub } from '../../../kernel/pubsub/index.ts'
import { createTestDatabase, type TestDatabase } from '../../../testkit/test-database.ts'
import { insertApiKey, insertProject } from '../../../testkit/test-project.ts'
import { openTestPubSub } from '../../../testkit/test-pubsub.ts'
import { BootstrapKeyUnusable, bootstrap, createKeyLookup } from './index.ts'

const keyring = createKeyring({ active: randomBytes(32) })
let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mortise-access-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

describe('bootstrap', () => {
  let test: TestDatabase
  let pubsub: PubSub
  beforeEach(async () => {
    test = await createTestDatabase()
    pubsub = await openTestPubSub(test.database)
  })
  afterEach(async () => {
    await pubsub.close()
    await test.drop()
  })
  const start = (options: { bootstrapApiKey?: string; newKey?: boolean } = {}) =>
    bootstrap({ database: test.database, keyring, dataDir, newKey: false, ...options })
  const keys = () => test.database.system.selectFrom('api_keys').selectAll().execute()
  const authenticate = (key: string) =>
    createKeyLookup({ database: test.database, keyring, pubsub, now: () => new Date() })(key)

  it('makes the project default and one key that works, kept in a file for its owner alone', async () => {
    const { projectId, key, keyFile } = await start()
    expect(keyFile).toBe(join(dataDir, 'api-key'))
    expect(await readFile(keyFile, 'utf8')).toBe(`${key?.reveal()}\n`)
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600)
    expect(await authenticate(key!.reveal())).toMatchObject({
      caller: { kind: 'apiKey', scope: 'full' },
      project: { id: projectId, name: 'default' },
    })
  })

  it('changes nothing at a second start', async () => {
    const first = await start()
    const file = await readFile(first.keyFile, 'utf8')
    const second = await start()
    expect(second).toEqual({ ...first, key: undefined })
    expect(await keys()).toHaveLength(1)
    expect(await readFile(first.keyFile, 'utf8')).toBe(file)
  })

  it('makes one project and one key when nodes start at once', async () => {
    const nodes = [test.database, await test.open(), await test.open()]
    const started = await Promise.all(nodes.map((database) => bootstrap({ database, keyring, dataDir, newKey: false })))
    expect(new Set(started.map(({ projectId }) => projectId)).size).toBe(1)
    expect(started.filter(({ key }) => key)).toHaveLength(1)
    expect(await keys()).toHaveLength(1)
    expect(await test.database.system.selectFrom('orgs').select('id').execute()).toHaveLength(1)
  })

  it('adds a further key when asked, and the first one goes on working', async () => {
    const first = await start()
    const further = await start({ newKey: true })
    expect(await readFile(first.keyFile, 'utf8')).toBe(`${further.key?.reveal()}\n`)
    for (const { key } of [first, further]) expect(await authenticate(key!.reveal())).toBeDefined()
  })

  it('takes the key that the operator chose, also later, and does not revive it', async () => {
    const chosen = 'mortise_chosen-by-the-operator_0123456789'
    const { key, keyFile } = await start({ bootstrapApiKey: chosen })
    // Who chose it knows it: it is kept in the file and told nobody.
    expect(key).toBeUndefined()
    expect(await readFile(keyFile, 'utf8')).toBe(`${chosen}\n`)
    await start({ bootstrapApiKey: chosen })
    expect(await keys()).toHaveLength(1)
    expect(await authenticate(chosen)).toBeDefined()
    await test.database.system.updateTable('api_keys').set({ active: false }).execute()
    await start({ bootstrapApiKey: chosen })
    expect(await authenticate(chosen)).toBeUndefined()
    const another = `${chosen}-2`
    await start({ bootstrapApiKey: another })
    expect(await authenticate(another)).toBeDefined()
  })

  it.each([
    'mortise_short',
    `sk_${'a'.repeat(40)}`,
    `mortise_${'a'.repeat(30)} b`,
    `mortise_${'a'.repeat(500)}`,
    `${generateApiKey().slice(0, -1)}!`,
  ])('refuses the key %s, and does nothing', async (bootstrapApiKey) => {
    await expect(start({ bootstrapApiKey })).rejects.toBeInstanceOf(BootstrapKeyUnusable)
    expect(await keys()).toEqual([])
  })

  it('refuses a generated key that was mistyped', async () => {
    const key = generateApiKey()
    const mistyped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
    await expect(start({ bootstrapApiKey: mistyped })).rejects.toThrow('checksum')
  })

  it('encrypts the key for display in its own row, and stores it nowhere in the clear', async () => {
    const { key, projectId } = await start()
    const [row] = await keys()
    const at = { table: 'api_keys', project: projectId, row: row!.id, column: 'encrypted' }
    expect(createEnvelope(keyring).open(row!.encrypted, at).toString()).toBe(key?.reveal())
    expect(JSON.stringify({ ...row, hash: row!.hash.toString('latin1') })).not.toContain(key!.reveal().slice(13))
  })

  it('leaves no key behind when its file cannot be written', async () => {
    await expect(
      bootstrap({ database: test.database, keyring, dataDir: '/dev/null/nowhere', newKey: false }),
    ).rejects.toThrow()
    expect(await keys()).toEqual([])
    expect((await start()).key).toBeDefined()
  })
})

describe('authenticating', () => {
  let test: TestDatabase
  let project: { id: string; apiKey: string }
  let pubsub: PubSub
  let statements = 0
  beforeAll(async () => {
    test = await createTestDatabase()
    project = await insertProject({ database: test.database, keyring, name: 'keys' })
    pubsub = await openTestPubSub(test.database)
  })
  afterAll(async () => {
    await pubsub.close()
    await test.drop()
  })

  let clock = 1_000_000
  const create = (ring = keyring) => {
    statements = 0
    // Counts what reaches the database; everything else is the real thing.
    const system = test.database.system.withPlugin({
      transformQuery: ({ node }) => {
        statements++
        return node
      },
      transformResult: async ({ result }) => result,
    })
    return createKeyLookup({ database: { system }, keyring: ring, pubsub, now: () => new Date(clock) })
  }

  it('knows the project and the scope of a key', async () => {
    const authenticate = create()
    const frontend = await insertApiKey({ database: test.database, keyring }, project.id, 'frontend')
    expect((await authenticate(project.apiKey))?.caller).toMatchObject({ scope: 'full', createdBy: 'builder:test' })
    expect(await authenticate(frontend)).toMatchObject({
      caller: { scope: 'frontend' },
      project: { id: project.id, name: 'keys' },
    })
  })

  it('asks the database once for many requests at once and in a row, also for a key that is unknown', async () => {
    const authenticate = create()
    await Promise.all(Array.from({ length: 50 }, () => authenticate(project.apiKey)))
    await authenticate(project.apiKey)
    expect(statements).toBe(1)
    const unknown = generateApiKey()
    for (let at = 0; at < 5; at++) expect(await authenticate(unknown)).toBeUndefined()
    expect(statements).toBe(2)
  })

  it('lets a key that was switched off work for at most five seconds', async () => {
    const authenticate = create()
    const key = await insertApiKey({ database: test.database, keyring }, project.id, 'full')
    expect(await authenticate(key)).toBeDefined()
    await test.database.system
      .updateTable('api_keys')
      .set({ active: false })
      .where('hint', '=', key.slice(-4))
      .execute()
    clock += 5_001
    expect(await authenticate(key)).toBeUndefined()
  })

  it('refuses what cannot be a key without asking', async () => {
    const authenticate = create()
    const key = project.apiKey
    const mistyped = key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21)
    for (const text of [
      mistyped,
      '',
      'mortise_',
      'sk_live_1',
      `mortise_${'x'.repeat(10_000)}`,
      `${key}\u0000`,
      `mortise_${'ü'.repeat(40)}`,
    ])
      expect(await authenticate(text)).toBeUndefined()
    expect(statements).toBe(0)
  })

  it('still finds keys that were stored under the root key before this one', async () => {
    const [old, current] = [randomBytes(32), randomBytes(32)]
    const key = await insertApiKey(
      { database: test.database, keyring: createKeyring({ active: old }) },
      project.id,
      'full',
    )
    expect(await create(createKeyring({ active: current, retained: old }))(key)).toBeDefined()
    expect(await create(createKeyring({ active: current }))(key)).toBeUndefined()
  })
})
