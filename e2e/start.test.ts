import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../packages/server/src/testkit/test-database.ts'
import { endAll, freePort, MortiseEnded, startMortise } from './mortise-process.testkit.ts'

/** What `npm start` promises, told by real processes on a folder of their own. */

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mortise-start-'))
})
afterEach(endAll)
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const otherSealKey = randomBytes(32).toString('base64')
const keyFile = () => join(dataDir, 'api-key')
const apiKey = async () => (await readFile(keyFile(), 'utf8')).trim()
const keyLine = /^API key of the project default: (mortise_\S+)$/m

/** Whether a process of this id is there. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0])
}

describe('starting on the embedded database', () => {
  it('prints the address, the key as one line, and what to keep safe; and answers', async () => {
    const mortise = await startMortise({ MORTISE_DATA_DIR: dataDir }, { apiKey })
    const output = mortise.output()
    expect(output).toContain(`Mortise is ready at ${mortise.url}/v1`)
    expect(keyLine.exec(output)?.[1]).toBe(await apiKey())
    expect(output).toContain('back this up: without it stored credentials are lost')
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600)
    expect((await stat(join(dataDir, 'seal-key'))).mode & 0o777).toBe(0o600)
    const { status, body } = await mortise.call<{ name: string }[]>('GET', '/v1/projects')
    expect(status).toBe(200)
    expect(body.map((project) => project.name)).toEqual(['default'])
    expect((await mortise.call('GET', '/readyz')).status).toBe(200)

    const postmaster = await postmasterPid()
    expect(await mortise.end('SIGINT')).toBe(0)
    expect(alive(postmaster)).toBe(false)
  })

  it('shows the key no more on later starts, and makes a further one when asked', async () => {
    const before = await apiKey()
    const second = await startMortise({ MORTISE_DATA_DIR: dataDir }, { apiKey })
    expect(second.output()).not.toMatch(keyLine)
    await second.end('SIGTERM')
    const third = await startMortise({ MORTISE_DATA_DIR: dataDir }, { args: ['--new-key'], apiKey })
    expect(keyLine.exec(third.output())?.[1]).toBe(await apiKey())
    expect(await apiKey()).not.toBe(before)
    expect((await third.call('GET', '/v1/projects')).status).toBe(200)
    await third.end('SIGTERM')
  })

  it('says which process holds the data when it is started twice', async () => {
    const first = await startMortise({ MORTISE_DATA_DIR: dataDir })
    await expect(startMortise({ MORTISE_DATA_DIR: dataDir })).rejects.toThrow(String(first.child.pid))
    await first.end('SIGTERM')
  })

  it('says so when the port is taken, and leaves no database running', async () => {
    const port = String(await freePort())
    const first = await startMortise({ MORTISE_DATA_DIR: dataDir, PORT: port })
    const other = await mkdtemp(join(tmpdir(), 'mortise-start-'))
    await expect(startMortise({ MORTISE_DATA_DIR: other, PORT: port })).rejects.toThrow(
      `Port ${port} is in use by another program. Set PORT to another one.`,
    )
    await expect(stat(join(other, 'postgres/data/postmaster.pid'))).rejects.toThrow('ENOENT')
    await rm(other, { recursive: true })
    await first.end('SIGTERM')
  })

  it('goes on after kill -9', async () => {
    const first = await startMortise({ MORTISE_DATA_DIR: dataDir }, { apiKey })
    await first.end('SIGKILL')
    const second = await startMortise({ MORTISE_DATA_DIR: dataDir }, { apiKey })
    expect((await second.call('GET', '/v1/projects')).status).toBe(200)
    await second.end('SIGTERM')
  })

  it('refuses to go on without the seal key, and makes no new one', async () => {
    await rename(join(dataDir, 'seal-key'), join(dataDir, 'seal-key.away'))
    await expect(startMortise({ MORTISE_DATA_DIR: dataDir })).rejects.toThrow('The seal key is missing')
    await expect(stat(join(dataDir, 'seal-key'))).rejects.toThrow('ENOENT')
    await expect(startMortise({ MORTISE_DATA_DIR: dataDir, MORTISE_SEAL_KEY: otherSealKey })).rejects.toThrow(
      'Start with the key that the database was made with',
    )
    await rename(join(dataDir, 'seal-key.away'), join(dataDir, 'seal-key'))
  })

  it('names every setting that cannot be used', async () => {
    const ended = await startMortise({ MORTISE_DATA_DIR: dataDir, PORT: 'http', MORTISE_ROLES: 'some' }).catch(
      (error: unknown) => error,
    )
    expect(ended).toBeInstanceOf(MortiseEnded)
    expect((ended as Error).message).toMatch(/^PORT must be .*\nMORTISE_ROLES must be /)
  })
})

describe('starting on a database of one’s own', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  it('refuses to start without a seal key, and says how to make one', async () => {
    await expect(
      startMortise({
        MORTISE_DATA_DIR: dataDir,
        MORTISE_SEAL_KEY_FILE: join(dataDir, 'none'),
        DATABASE_URL: database.url,
      }),
    ).rejects.toThrow('set MORTISE_SEAL_KEY to 32 random bytes')
  })

  it('says why the database cannot be used, without its password', async () => {
    const env = { MORTISE_DATA_DIR: dataDir, MORTISE_SEAL_KEY: otherSealKey }
    const ended = await startMortise({
      ...env,
      DATABASE_URL: `postgres://me:hunter2@127.0.0.1:${await freePort()}/x`,
    }).catch(String)
    expect(ended).toContain('The database at DATABASE_URL cannot be used: connect ECONNREFUSED')
    expect(ended).not.toContain('hunter2')
  })

  it('takes the key that is set, and shares the database between api and worker', async () => {
    const set = `mortise_${'k'.repeat(40)}`
    const env = {
      MORTISE_DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      MORTISE_SEAL_KEY: otherSealKey,
      MORTISE_BOOTSTRAP_API_KEY: set,
    }
    const api = await startMortise({ ...env, MORTISE_ROLES: 'api' }, { apiKey: async () => set })
    const worker = await startMortise({ ...env, MORTISE_ROLES: 'worker' }, { apiKey: async () => set })
    expect((await api.call('GET', '/v1/projects')).status).toBe(200)
    expect((await worker.call('GET', '/readyz')).status).toBe(200)
    expect((await worker.call('GET', '/v1/projects')).status).toBe(404)
    expect(await Promise.all([api.end('SIGTERM'), worker.end('SIGTERM')])).toEqual([0, 0])
  })
})
