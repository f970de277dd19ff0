import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { startWebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { createKeyring } from '../../../kernel/encryption/index.ts'
import { createTestDatabase, type TestDatabase } from '../../../testkit/test-database.ts'
import { insertProject } from '../../../testkit/test-project.ts'
import { encryptMetadata, encryptSecrets, insertDestination } from '../destinations/index.ts'
import { kindOf, newSigningSecret } from '../kinds/index.ts'
import { insertMessages } from '../messages/index.ts'
import { batchMax } from './delivery-rules.ts'
import { endLeases } from './testing/end-leases.ts'

const concurrencyMax = kindOf('webhook').limits.concurrency
const messagesTotal = 1_500
const kills = 5

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
})
afterAll(() => testDatabase?.drop())

it('loses nothing when its process is killed again and again, and repeats carry the same id', async () => {
  const key = randomBytes(32)
  const keyring = createKeyring({ active: key })
  const { database } = testDatabase
  const project = await insertProject({ database, keyring, name: 'crash' })
  const db = database.forProject(project.id)
  const secret = newSigningSecret()
  const bodies = new Map<string, Set<string>>()
  let victim: ChildProcess | undefined
  let killAt = 0
  let requests = 0
  const receiver = await startWebhookReceiver({
    secret,
    respond: ({ id = '', body }) => {
      bodies.set(id, (bodies.get(id) ?? new Set()).add(body.toString()))
      if (++requests === killAt) victim?.kill('SIGKILL')
      return { status: 204 }
    },
  })
  const id = newId()
  const encryptedSecrets = encryptSecrets(keyring, { project_id: project.id, id }, { webhookSigningKey: secret })
  const encryptedMetadata = encryptMetadata(keyring, { project_id: project.id, id }, { url: receiver.url })
  await insertDestination(db, {
    id,
    name: 'target',
    type: 'webhook',
    encryptedMetadata,
    encryptedSecrets,
    members: null,
  })
  const sent = Array.from({ length: messagesTotal }, (_, n) => ({
    id: newId(),
    destinationName: 'target',
    kind: 'read' as const,
    payload: Buffer.from(`{"n":${n}}`),
  }))
  await insertMessages(db, sent)

  const argument = JSON.stringify({
    url: testDatabase.url,
    key: key.toString('hex'),
    projectId: project.id,
    destinationIds: [id],
  })
  const script = new URL('./testing/delivery-process.ts', import.meta.url).pathname
  for (let killed = 0; killed <= kills; killed++) {
    killAt = killed < kills ? requests + 150 : 0
    victim = spawn(process.execPath, ['--conditions=mortise-source', script, argument], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const [code, signal] = await once(victim, 'exit')
    expect([code, signal]).toEqual(killed < kills ? [null, 'SIGKILL'] : [0, null])
    await endLeases(db)
  }
  await receiver.close()

  expect([...bodies.keys()].sort()).toEqual(sent.map((message) => message.id).sort())
  for (const message of sent) expect(bodies.get(message.id)).toEqual(new Set([message.payload.toString()]))
  const { rows } = await sql<{
    state: string
    n: number
  }>`select state, count(*)::int as n from messages group by state`.execute(db.sql)
  expect(rows).toEqual([{ state: 'delivered', n: messagesTotal }])
  expect(requests - messagesTotal).toBeLessThanOrEqual(kills * (concurrencyMax + 2 * batchMax))
  // Six processes start, one after the other.
}, 90_000)
