import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CannotRunPostgres, DataFolderInUse, DataFolderMissing, WrongPostgresMajor } from './errors.ts'
import { isAlive } from './holder.ts'
import { locationFile } from './place.ts'
import { canEnter } from './probe.ts'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from './start-embedded.ts'
import { systemUsers, unprivilegedUser } from './system-user.ts'

const isRoot = process.getuid?.() === 0
const fixture = path.join(import.meta.dirname, 'fixtures/hold-database.ts')
const ordinary = isRoot ? unprivilegedUser(await systemUsers()) : undefined
const ordinaryReachesUs = ordinary !== undefined && (await canEnter(import.meta.dirname, ordinary))
const dropsCapabilities = isRoot && spawnSync('setpriv', ['--bounding-set', '-setuid', 'true']).status === 0

let root: string
let homeDir: string
let open: EmbeddedPostgres[]
let children: ChildProcess[]

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'mortise-embedded-'))
  await chmod(root, 0o755)
  homeDir = path.join(root, '.mortise')
  open = []
  children = []
})

afterEach(async () => {
  for (const child of children) await killed(child)
  await Promise.all(open.map((database) => database.stop()))
  // The PostgreSQL of a holder that was killed ends a moment later, and writes until then.
  await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

describe('starting and stopping', () => {
  it('keeps what was committed, and says when it made the database', async () => {
    const first = await start()
    expect(first.firstStart).toBe(true)
    await query(first, 'create table kept as select 42 as answer')
    await first.stop()
    await first.exited
    expect(isAlive(first.pid)).toBe(false)

    const second = await start()
    expect(second.firstStart).toBe(false)
    expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  it('takes settings, flushes commits unless told otherwise, and listens on a private socket only', async () => {
    const durable = await start({ fsync: true, settings: { work_mem: '8MB', listen_addresses: '*' } })
    expect(await shown(durable, 'work_mem')).toBe('8MB')
    expect(await shown(durable, 'fsync')).toBe('on')
    expect(await shown(durable, 'synchronous_commit')).toBe('on')
    expect(await shown(durable, 'listen_addresses')).toBe('')
    expect(await shown(durable, 'timezone')).toBe('UTC')
    expect((await stat(durable.host)).mode & 0o777).toBe(0o700)
    await durable.stop()
    expect(await shown(await start(), 'fsync')).toBe('off')
  })

  it('stops with connections open, and stopping twice is stopping once', async () => {
    const database = await start()
    const client = new Client({ host: database.host, port: database.port, user: 'postgres', database: 'postgres' })
    const errors: Error[] = []
    client.on('error', (error) => errors.push(error))
    await client.connect()
    await Promise.all([database.stop(), database.stop()])
    await until(async () => errors.length > 0)
    expect(errors[0]).toMatchObject({ code: '57P01' })
  })

  it('says when PostgreSQL ends by itself', async () => {
    const database = await start()
    process.kill(database.pid, 'SIGQUIT')
    await database.exited
    expect(isAlive(database.pid)).toBe(false)
  })

  it('tells in PostgreSQL’s own words why it did not start', async () => {
    await expect(start({ settings: { work_mem: 'plenty' } })).rejects.toThrow(/invalid value for parameter "work_mem"/)
  })

  it('finds a short place for the socket of a long path, and removes it again', async () => {
    homeDir = path.join(root, 'a'.repeat(60), 'b'.repeat(60), '.mortise')
    const database = await start()
    expect(await query(database, 'select 1 as one')).toEqual([{ one: 1 }])
    expect((await stat(database.host)).mode & 0o777).toBe(0o700)
    await database.stop()
    await expect(stat(database.host)).rejects.toThrow('ENOENT')
  })

  it('leaves nothing but the database, closed to others', async () => {
    await (await start()).stop()
    expect(await readdir(homeDir)).toEqual(['postgres'])
    expect(await readdir(path.join(homeDir, 'postgres'))).toEqual(['data'])
    expect((await stat(path.join(homeDir, 'postgres/data'))).mode & 0o777).toBe(0o700)
    expect((await stat(homeDir)).mode & 0o066).toBe(0)
  })
})

describe('one holder', () => {
  it('refuses a second start, naming the Mortise that holds the data', async () => {
    const child = await hold()
    const error = await start().catch((caught) => caught)
    expect(error).toBeInstanceOf(DataFolderInUse)
    expect(error.pid).toBe(child.pid)
    expect(error.message).toContain(`another Mortise, process ${child.pid}`)
  })

  it('lets one of several first starts at the same moment win', async () => {
    const results = await Promise.allSettled([start(), start(), start()])
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(refused).toEqual([expect.any(DataFolderInUse), expect.any(DataFolderInUse)])
    expect(await readdir(path.join(homeDir, 'postgres'))).toEqual(['data', 'mortise.pid'])
  })

  it('starts right after its holder was killed, and the killed one’s PostgreSQL is gone', async () => {
    const child = await hold()
    child.kill('SIGKILL')
    const database = await start()
    expect(database.firstStart).toBe(false)
    expect(database.pid).not.toBe(child.postgres)
    // It has ended; its id is given back as soon as the system's first process has heard of it.
    await expect.poll(() => isAlive(child.postgres)).toBe(false)
  })

  it('waits for a holder that is about to end', async () => {
    const first = await start()
    const stopping = first.stop()
    const second = await start()
    await stopping
    expect(second.firstStart).toBe(false)
  })

  it('is not held up by a stranger that got the process id of a dead PostgreSQL', async () => {
    const first = await start()
    const lockFile = path.join(first.dataDir, 'postmaster.pid')
    const text = await readFile(lockFile, 'utf8')
    await first.stop()
    const { uid, gid } = await stat(first.dataDir)
    const stranger = spawn('sleep', ['60'], isRoot ? { uid, gid, cwd: '/' } : { cwd: '/' })
    children.push(stranger)
    await once(stranger, 'spawn')
    await writeFile(lockFile, text.replace(/^\d+/, String(stranger.pid)))
    expect(await query(await start(), 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe('the data folder', () => {
  it('is made anew after a start that was killed while making it', async () => {
    const child = run()
    const inTheMiddle = async () => {
      const names = await readdir(path.join(homeDir, 'postgres')).catch(() => [])
      return names.some((name) => name.startsWith('data.tmp-'))
    }
    await until(inTheMiddle)
    await killed(child)
    await expect(stat(path.join(homeDir, 'postgres/data'))).rejects.toThrow('ENOENT')
    expect((await start()).firstStart).toBe(true)
    expect(await readdir(path.join(homeDir, 'postgres'))).toEqual(['data', 'mortise.pid'])
  })

  it('of another major version is refused with instructions and not touched', async () => {
    const first = await start()
    await first.stop()
    await writeFile(path.join(first.dataDir, 'PG_VERSION'), '17\n')
    const before = await inventory(first.dataDir)
    const error = await start().catch((caught) => caught)
    expect(error).toBeInstanceOf(WrongPostgresMajor)
    expect(error.message).toContain('was written by PostgreSQL 17; this release of Mortise includes PostgreSQL 18')
    expect(error.message).toContain(`pg_dumpall -h ${first.dataDir} -U postgres`)
    expect(await inventory(first.dataDir)).toEqual(before)
  })

  it('that is no database is refused and not touched', async () => {
    const dataDir = path.join(homeDir, 'postgres/data')
    await mkdir(dataDir, { recursive: true })
    await writeFile(path.join(dataDir, 'photo.jpg'), 'precious')
    if (ordinary) spawnSync('chown', ['-R', `${ordinary.uid}:${ordinary.gid}`, dataDir])
    await expect(start()).rejects.toThrow(/is there, and is not a database.*DATABASE_URL/)
    expect(await readdir(dataDir)).toEqual(['photo.jpg'])
  })
})

describe.skipIf(!isRoot)('root (skipped as an ordinary user)', () => {
  it('in a folder closed to others keeps programs and data outside, notes where, and finds them again', async () => {
    const closed = path.join(root, 'closed')
    await mkdir(closed, { mode: 0o700 })
    homeDir = path.join(closed, '.mortise')
    const systemDir = path.join(root, 'system')
    const first = await start({ systemDir })
    await query(first, 'create table kept as select 42 as answer')
    await first.stop()

    const folder = path.dirname(first.dataDir)
    expect(path.dirname(folder)).toBe(systemDir)
    expect(await readFile(path.join(homeDir, locationFile), 'utf8')).toBe(`${folder}\n`)
    expect(await readdir(homeDir)).toEqual([locationFile])
    expect((await stat(first.dataDir)).mode & 0o777).toBe(0o700)
    expect((await stat(first.dataDir)).uid).toBe(ordinary?.uid)

    const second = await start({ systemDir })
    expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
    await second.stop()

    await rm(folder, { recursive: true })
    await expect(start({ systemDir })).rejects.toThrow(DataFolderMissing)
  })

  it('in a folder closed to others lets one of several first starts at the same moment win', async () => {
    homeDir = path.join(root, 'closed/.mortise')
    const systemDir = path.join(root, 'system')
    await mkdir(path.dirname(homeDir), { mode: 0o700 })
    const results = await Promise.allSettled([start({ systemDir }), start({ systemDir }), start({ systemDir })])
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(refused).toEqual([expect.any(DataFolderInUse), expect.any(DataFolderInUse)])
    const databases = (await readdir(systemDir)).filter((name) => !name.startsWith('postgres-'))
    expect(databases).toEqual([expect.stringMatching(/^[0-9a-f]{12}-/)])
  })

  it('gives a fresh clone in the place of a removed one a fresh database', async () => {
    const closed = path.join(root, 'closed')
    const systemDir = path.join(root, 'system')
    homeDir = path.join(closed, '.mortise')
    await mkdir(closed, { mode: 0o700 })
    await (await start({ systemDir })).stop()
    await rm(homeDir, { recursive: true })
    expect((await start({ systemDir })).firstStart).toBe(true)
  })

  it.skipIf(!dropsCapabilities)('without the right to become another user is told so in one line', async () => {
    const command = [
      '--bounding-set',
      '-setuid',
      process.execPath,
      '--conditions=mortise-source',
      fixture,
      homeDir,
      root,
    ]
    const { status, stderr } = spawnSync('setpriv', command, { encoding: 'utf8', timeout: 20_000 })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^CannotRunPostgres: Mortise cannot run its own PostgreSQL here: .*EPERM.*DATABASE_URL.*\n$/)
  })

  it.skipIf(!ordinaryReachesUs)('goes on with what an ordinary user began, but not the other way round', async () => {
    await mkdir(homeDir)
    spawnSync('chown', [`${ordinary?.uid}:${ordinary?.gid}`, homeDir])
    const child = await hold({ uid: ordinary?.uid ?? -1, gid: ordinary?.gid ?? -1 })
    expect((await stat(path.join(homeDir, 'postgres'))).mode & 0o777).toBe(0o700)
    await killed(child)
    const database = await start()
    expect(database.firstStart).toBe(false)
    await database.stop()

    const users = await systemUsers()
    const stranger = users.find(({ uid }) => uid !== 0 && uid !== ordinary?.uid)
    await chmod(homeDir, 0o755)
    await chmod(path.join(homeDir, 'postgres'), 0o755)
    const refused = run({ uid: stranger?.uid ?? -1, gid: stranger?.gid ?? -1 })
    const [message] = await once(refused.stderr!, 'data')
    expect(String(message)).toMatch(/CannotRunPostgres.*belongs to another user/)
  })
})

it('says what to do where the programs cannot be run', () => {
  expect(new CannotRunPostgres('no reason').message).toBe(
    'Mortise cannot run its own PostgreSQL here: no reason. Set DATABASE_URL to a PostgreSQL 15 or newer instead.',
  )
})

async function start(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
  const database = await startEmbedded({ homeDir, fsync: false, systemDir: path.join(root, 'system'), ...options })
  open.push(database)
  return database
}

function run(user: { uid?: number; gid?: number } = {}): ChildProcess {
  const args = ['--conditions=mortise-source', fixture, homeDir, path.join(root, 'system')]
  const child = spawn(process.execPath, args, { ...user, stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' })
  children.push(child)
  return child
}

/** A process of its own that holds the database. */
async function hold(user: { uid?: number; gid?: number } = {}): Promise<ChildProcess & { postgres: number }> {
  const child = run(user)
  const failure = once(child.stderr!, 'data').then(([line]) => Promise.reject(new Error(String(line))))
  const [line] = await Promise.race([once(child.stdout!, 'data'), failure])
  return Object.assign(child, { postgres: (JSON.parse(String(line)) as EmbeddedPostgres).pid })
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function query(database: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new Client({ host: database.host, port: database.port, user: 'postgres', database: 'postgres' })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function shown(database: EmbeddedPostgres, setting: string): Promise<unknown> {
  const [row] = await query(database, `select current_setting('${setting}') as value`)
  return (row as { value: string }).value
}

async function inventory(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const lines = names.map(async (name) => {
    const { mtimeMs, size, mode } = await stat(path.join(folder, name))
    return [name, mtimeMs, size, mode].join(' ')
  })
  return (await Promise.all(lines)).sort()
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(5)
}
