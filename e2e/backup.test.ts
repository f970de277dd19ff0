import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openBackup } from '../packages/server/src/backup/archive-reader.ts'
import { fileOfTable, jobsName } from '../packages/server/src/backup/manifest.ts'
import { knownMigrations, migrate, openOwnerSession, prepareRoles } from '../packages/server/src/kernel/db/index.ts'
import { jobReference } from '../packages/server/src/kernel/jobs/index.ts'
import { type InstallationKit, startInstallationKit } from '../packages/server/src/testkit/installation-kit.ts'
import { startTestNode } from '../packages/server/src/testkit/test-app.ts'
import { backUpTo, emptyDatabase, query, relations, restoreTo, temporaryFolder } from './backup.testkit.ts'
import { freePort } from './mortise-process.testkit.ts'

/** A backup holds all that there is, and what was under way goes on where it is restored. */

const dayMs = 86_400_000
let kit: InstallationKit
let receiver: WebhookReceiver
/** Messages that nobody has delivered yet, over several days. */
const waiting = 7

beforeAll(async () => {
  kit = await startInstallationKit()
  receiver = await startWebhookReceiver()
  const { app, base } = kit
  const destination = await app.call<{ id: string }>('POST', `${base}/destinations`, {
    name: 'hook',
    type: 'webhook',
    metadata: { url: receiver.url },
  })
  const { body } = await app.call<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    `${base}/destinations/hook?includeSecrets=true`,
  )
  receiver.setSecret(body.secrets.webhookSigningKey)
  await kit.connect('acme')
  // Nobody works here: its backfill and its jobs wait.
  expect((await kit.create('acme', { people: undefined, contacts: { objectName: 'contacts' } })).status).toBe(201)
  for (let day = 0; day < waiting; day++) {
    const id = v7({ msecs: Date.now() - day * dayMs })
    const at = new Date(Date.now() - day * dayMs).toISOString().slice(0, 10)
    await sql`select ensure_partitions(${at}::date, ${at}::date)`.execute(app.testDatabase.database.system)
    const payload = Buffer.from(JSON.stringify({ day, odd: 'tab\t, line\n, \\N and "quotes" ☃' }))
    await sql`insert into messages (project_id, id, destination_id, destination_name, kind, payload, payload_bytes)
      values (${app.projectId}, ${id}, ${destination.body.id}, 'hook', 'test', ${payload}, ${payload.length})`.execute(
      app.db.sql,
    )
  }
})
afterAll(async () => {
  await kit?.stop()
  await receiver?.close()
})

describe('a backup of a service that runs', () => {
  it('is of one moment, whatever is written meanwhile', async () => {
    const { app, base } = kit
    const folder = await temporaryFolder()
    const job = jobReference<{ projectId: string }>('reading.release')
    await app.app.services.queue.enqueue(app.db, job, { projectId: app.projectId })
    let writing = true
    const writer = (async () => {
      for (let number = 0; writing; number++) {
        // Two rows that refer to each other, in one transaction each.
        const topic = await app.call<{ id: string }>('POST', `${base}/topics`, { name: `topic-${number}` })
        const route = { topicId: topic.body.id, eventType: 'connection.created' }
        await app.call('POST', `${base}/notification-event-topic-routes`, route)
        await app.call('DELETE', `${base}/topics/${topic.body.id}`)
      }
    })()
    const backups = [await backUpTo(folder, app.testDatabase.url), await backUpTo(folder, app.testDatabase.url)]
    writing = false
    await writer
    for (const { file, manifest } of backups) {
      const target = await emptyDatabase()
      const { where, missingEncryptionKeys } = await restoreTo(file, target.url)
      expect(where).toBe('DATABASE_URL')
      expect(missingEncryptionKeys).toEqual([kit.app.keyring.activeId])
      // A backup of what was restored is the same, table by table and byte by byte, the waiting jobs too.
      const again = await backUpTo(folder, target.url)
      expect(again.manifest.tables).toEqual(manifest.tables)
      expect(again.manifest.jobs).toEqual(manifest.jobs)
      expect(again.manifest.days).toEqual(manifest.days)
      expect(manifest.jobs.rows).toBeGreaterThan(0)
    }
  })

  it('restores tables that are protected by row-level security, for their owner too', async () => {
    const { file } = await backUpTo(await temporaryFolder(), kit.app.testDatabase.url)
    const target = await emptyDatabase()
    await restoreTo(file, target.url)
    const [row] = await query(
      target.url,
      `select count(*) filter (where not (relrowsecurity and relforcerowsecurity))::int as open, count(*) > 50 as many
         from pg_class c where relnamespace = 'mortise'::regnamespace and relkind in ('r', 'p')
          and exists (select from pg_attribute where attrelid = c.oid and attname = 'project_id')`,
    )
    expect(row).toEqual({ open: 0, many: true })
    const database = await target.open()
    const seen = async (id: string) =>
      (await sql`select from messages`.execute(database.forProject(id).sql)).rows.length
    expect([await seen(kit.app.projectId), await seen(v7())]).toEqual([waiting, 0])
  })

  it('is refused to a login from which row-level security hides rows', async () => {
    const { testDatabase } = kit.app
    const reader = `reader_${randomBytes(4).toString('hex')}`
    const superuser = Object.assign(new URL(testDatabase.url), { username: 'postgres' }).href
    await query(superuser, `create role ${reader} login in role pg_read_all_data`)
    onTestFinished(async () => void (await query(superuser, `drop role ${reader}`)))
    const url = Object.assign(new URL(testDatabase.url), { username: reader }).href
    await expect(backUpTo(await temporaryFolder(), url)).rejects.toThrow('Row-level security hides rows')
    await backUpTo(await temporaryFolder(), superuser)
  })

  it('goes on where it is restored: keys, waiting messages, reads under way and to come', async () => {
    const folder = await temporaryFolder()
    const { file, manifest } = await backUpTo(folder, kit.app.testDatabase.url)
    const rows = Object.fromEntries(manifest.tables.map((table) => [table.name, table.rows]))
    expect(rows).toMatchObject({ messages: waiting, connection_credentials: 1, destinations: 1, encryption_keys: 1 })
    const target = await emptyDatabase()
    await restoreTo(file, target.url)
    // Every message is where retention finds it.
    const rest = await query(target.url, 'select from mortise.messages_rest')
    expect(rest).toEqual([])

    const database = await target.open()
    const restored = await startTestNode(
      { ...kit.app, testDatabase: { ...target, database } },
      { MORTISE_PROVIDERS_DIR: join(import.meta.dirname, '../examples/sample-crm/providers') },
    )
    onTestFinished(() => restored.stop())
    const connections = await restored.call<{ id: string }[]>('GET', `${kit.base}/connections`)
    expect(connections.status).toBe(200)
    // Delivered with the signature of the encrypted secret: the receiver verifies it.
    await vi.waitFor(async () => {
      const [row] = await query(
        target.url,
        `select (select count(*)::int from mortise.messages where state <> 'delivered') as undelivered,
                (select count(*)::int from mortise.read_runs) as running,
                (select count(*)::int from mortise.operations where status <> 'success') as unfinished`,
      )
      expect(row).toEqual({ undelivered: 0, running: 0, unfinished: 0 })
    }, 120_000)
    const { messages, records, refused } = receiver.counters()
    expect({ all: messages > waiting, some: records > 0, refused }).toEqual({ all: true, some: true, refused: 0 })
    // The next scheduled read finds what has changed since.
    const before = receiver.counters().records
    kit.crm.change(1)
    await vi.waitFor(
      async () => {
        // A read leaves the last two seconds to the next one.
        await sql`update read_states set next_run_at = now() where schedule is not null`.execute(database.system)
        expect(receiver.counters().records).toBeGreaterThan(before)
      },
      { timeout: 180_000, interval: 500 },
    )
  }, 240_000)
})

describe('a backup of an earlier release', () => {
  it('is restored as it was and then brought to the newest migration', async () => {
    const folder = await temporaryFolder()
    const names = await knownMigrations()
    const old = await emptyDatabase()
    const session = await openOwnerSession({ url: old.url }, 'old')
    await session.db.connection().execute(prepareRoles)
    await migrate(session.db, names.slice(0, 3))
    await session.client.query(`insert into orgs (id, label) values (gen_random_uuid(), 'from before')`)
    await session.close()
    const { file, manifest } = await backUpTo(folder, old.url)
    expect(manifest.migrations).toEqual(names.slice(0, 3))
    const target = await emptyDatabase()
    const { migrated } = await restoreTo(file, target.url)
    expect(migrated).toEqual(names.slice(3))
    expect(await query(target.url, 'select label from mortise.orgs')).toEqual([{ label: 'from before' }])
    const database = await target.open()
    expect(await database.pending()).toEqual([])
  })
})

function withByteAltered(bytes: Buffer, share: number): Buffer {
  const altered = Buffer.from(bytes)
  const at = Math.floor(share * bytes.length)
  altered[at] = altered[at]! ^ 0x55
  return altered
}

/** Reads every part of a backup, as a restore does. */
async function readWhole(file: string) {
  const backup = await openBackup(file)
  try {
    const { manifest } = backup
    for (const table of manifest.tables) await buffer(await backup.read(fileOfTable(table.name), table))
    await buffer(await backup.read(jobsName, manifest.jobs))
    return manifest
  } finally {
    backup.close()
  }
}

describe('what cannot be restored is refused, and the database stays empty', () => {
  const refused = async (file: string, why: RegExp, env?: Record<string, string>) => {
    const target = await emptyDatabase()
    await expect(restoreTo(file, target.url, env)).rejects.toThrow(why)
    expect(await relations(target.url)).toEqual([])
  }

  it('a file that is no backup', async () => {
    const folder = await temporaryFolder()
    await refused(join(folder, 'nothing.zip'), /There is no file .*nothing\.zip/)
    const file = join(folder, 'text.zip')
    await writeFile(file, 'not a backup, whatever its name')
    await refused(file, /is not a backup, or its end is missing/)
  })

  it('a file that was cut off, wherever', async () => {
    const folder = await temporaryFolder()
    const { file } = await backUpTo(folder, kit.app.testDatabase.url)
    const bytes = await readFile(file)
    for (const length of [0, 1, 1_000, bytes.length >> 1, bytes.length - 1]) {
      await writeFile(file, bytes.subarray(0, length))
      await refused(file, /is not a backup, or its end is missing/)
    }
  }, 240_000)

  it('a file in which a byte was altered, wherever', async () => {
    const folder = await temporaryFolder()
    const { file, manifest } = await backUpTo(folder, kit.app.testDatabase.url)
    const bytes = await readFile(file)
    const damaged: number[] = []
    const places = 300
    for (let place = 0; place < places; place++) {
      const share = (place + 0.5) / places
      await writeFile(file, withByteAltered(bytes, share))
      const outcome = await readWhole(file).catch((error: Error) => error)
      if (outcome instanceof Error) {
        expect(outcome.message).toMatch(/damaged|not a backup, or its end is missing/)
        damaged.push(share)
        // Else something that says nothing of the content: a time, a flag.
      } else expect(outcome).toEqual(manifest)
    }
    expect(damaged.length).toBeGreaterThan(places / 2)
    for (const share of [damaged[0]!, damaged[damaged.length >> 1]!, damaged.at(-1)!]) {
      await writeFile(file, withByteAltered(bytes, share))
      await refused(file, /damaged|not a backup, or its end is missing/)
    }
  }, 240_000)

  it('a backup under another encrypt key', async () => {
    const folder = await temporaryFolder()
    const { file } = await backUpTo(folder, kit.app.testDatabase.url)
    const env = { MORTISE_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
    await refused(
      file,
      new RegExp(`encrypted with the key ${kit.app.keyring.activeId}, but the encryption key here is`),
      env,
    )
  })

  it('a database that is not empty', async () => {
    const folder = await temporaryFolder()
    const { file, manifest } = await backUpTo(folder, kit.app.testDatabase.url)
    await expect(restoreTo(file, kit.app.testDatabase.url)).rejects.toThrow(/is not empty/)
    expect((await backUpTo(folder, kit.app.testDatabase.url)).manifest.tables).toEqual(manifest.tables)
  })

  it('a server that is not there is named without its password', async () => {
    const url = `postgres://mortise:hunter2@localhost:${await freePort()}/mortise`
    const folder = await temporaryFolder()
    const failure = await backUpTo(folder, url).catch(String)
    expect(failure).toMatch(/DATABASE_URL cannot be used/)
    expect(failure).not.toContain('hunter2')
  })
})
