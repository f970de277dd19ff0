import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readPostmasterFile } from './holder.ts'
import { type KeptPostgres, keepEmbedded } from './keep-embedded.ts'

let root: string
let database: KeptPostgres
let ended: string[][]
let startedAgain: number

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'mortise-kept-'))
  await chmod(root, 0o755)
  ended = []
  startedAgain = 0
  database = await keepEmbedded({
    homeDir: path.join(root, '.mortise'),
    systemDir: path.join(root, 'system'),
    fsync: false,
    settings: { synchronous_commit: 'on' },
    ended: (lines) => void ended.push(lines),
    startedAgain: () => void startedAgain++,
  })
})
afterEach(async () => {
  await database.stop()
  await rm(root, { recursive: true, force: true })
})

async function query(sql: string): Promise<unknown[]> {
  const client = new Client({ host: database.host, port: database.port, user: 'postgres', database: 'postgres' })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

/** As a crash ends it: nothing is written, nobody is asked to leave. */
async function crash() {
  process.kill((await readPostmasterFile(database.dataDir))!.pid, 'SIGQUIT')
}

it('starts again each time that it ends by itself, at the same address and with what was committed', async () => {
  await query('create table kept as select 42 as answer')
  for (const times of [1, 2]) {
    await crash()
    await expect.poll(() => startedAgain).toBe(times)
    expect(await query('select answer from kept')).toEqual([{ answer: 42 }])
  }
  expect(ended).toHaveLength(2)
})

it('makes no empty database where the data is gone, but says so', async () => {
  await crash()
  await expect.poll(() => ended.length).toBe(1)
  await rm(database.dataDir, { recursive: true })
  expect((await database.lost).message).toBe(`the data at ${database.dataDir} no longer exists`)
})

it('stops while it waits to be started again', async () => {
  await crash()
  await expect.poll(() => ended.length).toBe(1)
  await database.stop()
  expect(startedAgain).toBe(0)
})
