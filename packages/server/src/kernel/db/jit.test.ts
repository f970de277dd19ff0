import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { newId, openDatabase, openOwnerSession } from './index.ts'

/** An empty database with JIT, whose default is on. Returns where the service logs in. */
async function emptyDatabase() {
  const server = inject('postgres')
  const name = `jit_${randomBytes(8).toString('hex')}`
  const superuser = new pg.Client({ ...server, user: 'postgres', database: 'postgres' })
  await superuser.connect()
  await superuser.query(`create database ${name} owner mortise_owner template template0`)
  await superuser.query(`alter database ${name} set jit = on`)
  onTestFinished(async () => {
    await superuser.query(`drop database if exists ${name} with (force)`)
    await superuser.end()
  })
  return { ...server, user: 'mortise_owner', database: name }
}

const open = (address: Awaited<ReturnType<typeof emptyDatabase>>) =>
  openDatabase({ address, poolSize: 2, applicationName: 'test', onError: () => undefined })

test('JIT is off for every connection of the service', async () => {
  const address = await emptyDatabase()
  await using node = closing(await open(address))
  await using owner = closing(await openOwnerSession(address, 'test'))
  // So that only what a connection passes turns it off.
  await sql.raw(`alter role mortise_owner in database ${address.database} set jit = on`).execute(owner.db)
  await using session = closing(await openOwnerSession(address, 'test'))
  const alone = await node.connect!()
  await using _ = { [Symbol.asyncDispose]: () => alone.end() }
  const { rows } = await alone.query('show jit')
  expect(rows).toEqual([{ jit: 'off' }])
  for (const db of [node.forProject(newId()).sql, node.forRenewal(newId()).sql, node.system, session.db])
    expect((await sql`show jit`.execute(db)).rows).toEqual([{ jit: 'off' }])
})

test('JIT is off for the login where the options of a connection are dropped, unless somebody has set it', async () => {
  const address = await emptyDatabase()
  const bare = async () => {
    const client = new pg.Client(address)
    await client.connect()
    try {
      return (await client.query('show jit')).rows
    } finally {
      await client.end()
    }
  }
  expect(await bare()).toEqual([{ jit: 'on' }])
  await (await open(address)).close()
  expect(await bare()).toEqual([{ jit: 'off' }])

  await using session = closing(await openOwnerSession(address, 'test'))
  await sql.raw(`alter role mortise_owner in database ${address.database} set jit = on`).execute(session.db)
  await (await open(address)).close()
  expect(await bare()).toEqual([{ jit: 'on' }])
})

function closing<T extends { close(): Promise<void> }>(opened: T): T & AsyncDisposable {
  return { ...opened, [Symbol.asyncDispose]: () => opened.close() }
}
