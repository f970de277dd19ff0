import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../packages/server/src/testkit/browser.ts'
import { createTestDatabase, type TestDatabase } from '../packages/server/src/testkit/test-database.ts'
import { endAll, freePort, MortiseEnded, type MortiseProcess, startMortise } from './mortise-process.testkit.ts'

/** What `npm start` promises, told by real processes on a folder of their own. */

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mortise-start-'))
})
afterAll(async () => {
  await endAll()
  await rm(dataDir, { recursive: true, force: true })
})

const otherEncryptionKey = randomBytes(32).toString('base64')
const keyFile = () => join(dataDir, 'api-key')
const apiKey = async () => (await readFile(keyFile(), 'utf8')).trim()
const ownerLine = /^First account, for a person: (http:\/\/localhost:\d+\/signin\/setup\?token=[\w-]{43})$/m
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

describe('the arguments of the service', () => {
  const start = (...args: string[]) => startMortise({ MORTISE_DATA_DIR: join(dataDir, 'none') }, { args })

  it.each([['--help'], ['-h']])('%s prints the help, and starts nothing', async (argument) => {
    const ended = await start(argument).catch((error: MortiseEnded) => error)
    expect(ended).toMatchObject({ code: 0, message: expect.stringContaining('Usage: npm start') })
    await expect(stat(join(dataDir, 'none'))).rejects.toThrow('ENOENT')
  })

  it.each([['--newkey'], ['please']])('%s is refused with the help, and starts nothing', async (argument) => {
    const ended = await start(argument).catch((error: MortiseEnded) => error)
    expect(ended).toMatchObject({ code: 2, message: expect.stringContaining(argument) })
    await expect(stat(join(dataDir, 'none'))).rejects.toThrow('ENOENT')
  })
})

// Starting takes seconds: each process shows all that it can, and the tests follow each other.
describe('starting on the embedded database', () => {
  let first: MortiseProcess
  let firstKey: string
  const tokenOf = ({ output }: MortiseProcess) => ownerLine.exec(output())?.[1]?.split('token=')[1]

  it('prints the address, the key as one line, and what to keep safe; and answers', async () => {
    first = await startMortise({ MORTISE_DATA_DIR: dataDir }, { apiKey })
    const output = first.output()
    firstKey = await apiKey()
    expect(output).toContain(
      `Mortise is ready at ${first.url}/v1\nConsole: ${first.url}/console\nDocumentation: ${first.url}/docs\n`,
    )
    expect(keyLine.exec(output)?.[1]).toBe(firstKey)
    const link = ownerLine.exec(output)?.[1] ?? ''
    expect(link).toContain(`${first.url}/signin/setup`)
    const page = await fetch(link)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(output).toContain('back this up: without it, stored credentials are lost')
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600)
    expect((await stat(join(dataDir, 'encryption-key'))).mode & 0o777).toBe(0o600)
    const { status, body } = await first.call<{ name: string }[]>('GET', '/v1/projects')
    expect(status).toBe(200)
    expect(body.map((project) => project.name)).toEqual(['default'])
    expect((await first.call('GET', '/readyz')).status).toBe(200)
  })

  it('says which process holds the data when it is started twice', async () => {
    await expect(startMortise({ MORTISE_DATA_DIR: dataDir })).rejects.toThrow(String(first.child.pid))
  })

  it('says so when the port is taken, and leaves no database running', async () => {
    const { port } = new URL(first.url)
    const other = await mkdtemp(join(tmpdir(), 'mortise-start-'))
    await expect(startMortise({ MORTISE_DATA_DIR: other, PORT: port })).rejects.toThrow(
      `Port ${port} is in use by another program. Set PORT to another one.`,
    )
    await expect(stat(join(other, 'postgres/data/postmaster.pid'))).rejects.toThrow('ENOENT')
    await rm(other, { recursive: true })
  })

  it('ends on Ctrl-C, and its database with it', async () => {
    const postmaster = await postmasterPid()
    expect(alive(postmaster)).toBe(true)
    expect(await first.end('SIGINT')).toBe(0)
    expect(alive(postmaster)).toBe(false)
  })

  it('shows the key no more on later starts, and the link of the first owner until it was used', async () => {
    const second = await startMortise({ MORTISE_DATA_DIR: dataDir })
    expect(second.output()).not.toMatch(keyLine)
    expect(await apiKey()).toBe(firstKey)
    expect(tokenOf(second)).toBe(tokenOf(first))
    const browser = openBrowser(second.url)
    const page = await browser.get(ownerLine.exec(second.output())?.[1] ?? '')
    const made = await browser.submit(page, { email: 'owner@example.com', password: 'correct horse battery' })
    expect(made.location).toBe('/console')
    await second.end('SIGKILL')
  })

  it('goes on after kill -9, makes a further key when asked, and shows the used link no more', async () => {
    const third = await startMortise({ MORTISE_DATA_DIR: dataDir }, { args: ['--new-key'], apiKey })
    expect(tokenOf(third)).toBeUndefined()
    expect(keyLine.exec(third.output())?.[1]).toBe(await apiKey())
    expect(await apiKey()).not.toBe(firstKey)
    for (const key of [await apiKey(), firstKey]) {
      const { status } = await fetch(`${third.url}/v1/projects`, { headers: { 'x-api-key': key } })
      expect(status).toBe(200)
    }
    expect(await third.end('SIGTERM')).toBe(0)
  })

  it('refuses to start again without the encryption key, and makes no new one', async () => {
    await rename(join(dataDir, 'encryption-key'), join(dataDir, 'encryption-key.away'))
    await expect(startMortise({ MORTISE_DATA_DIR: dataDir })).rejects.toThrow('The encryption key is missing')
    await expect(stat(join(dataDir, 'encryption-key'))).rejects.toThrow('ENOENT')
    await expect(
      startMortise({ MORTISE_DATA_DIR: dataDir, MORTISE_ENCRYPTION_KEY: otherEncryptionKey }),
    ).rejects.toThrow('Start with the key that the database was made with')
    await rename(join(dataDir, 'encryption-key.away'), join(dataDir, 'encryption-key'))
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
  afterAll(async () => {
    await endAll()
    await database.drop()
  })

  it('refuses to start without an encryption key, and says how to make one', async () => {
    await expect(
      startMortise({
        MORTISE_DATA_DIR: dataDir,
        MORTISE_ENCRYPTION_KEY_FILE: join(dataDir, 'none'),
        DATABASE_URL: database.url,
      }),
    ).rejects.toThrow('Set MORTISE_ENCRYPTION_KEY to 32 random bytes')
  })

  it('says why the database cannot be used, without its password', async () => {
    const env = { MORTISE_DATA_DIR: dataDir, MORTISE_ENCRYPTION_KEY: otherEncryptionKey }
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
      MORTISE_ENCRYPTION_KEY: otherEncryptionKey,
      MORTISE_BOOTSTRAP_API_KEY: set,
    }
    const api = await startMortise({ ...env, MORTISE_ROLES: 'api' }, { apiKey: async () => set })
    const worker = await startMortise({ ...env, MORTISE_ROLES: 'worker' }, { apiKey: async () => set })
    expect((await api.call('GET', '/v1/projects')).status).toBe(200)
    expect([ownerLine.test(api.output()), ownerLine.test(worker.output())]).toEqual([true, false])
    expect((await worker.call('GET', '/readyz')).status).toBe(200)
    expect((await worker.call('GET', '/v1/projects')).status).toBe(404)
    expect(await Promise.all([api.end('SIGTERM'), worker.end('SIGTERM')])).toEqual([0, 0])
  })
})
