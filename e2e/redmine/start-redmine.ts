import { randomUUID } from 'node:crypto'
import { chown, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freeAddress, untilListening } from '../debian/loopback.ts'
import { startServer, webUserId } from '../debian/web-user.ts'

export interface Redmine {
  /** Its address, without a trailing slash. */
  url: string
  /** The administrator's. */
  apiKey: string
  /**
   * One request to the REST API as the administrator; a path such as `/issues.json`.
   * @throws Error unless the answer is 2xx
   */
  rest<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Ends it and leaves nothing behind. May be called twice. */
  stop(): Promise<void>
}

/** Seconds on an idle machine. */
const startMs = 100_000

/** Where Debian puts it. */
const program = '/usr/share/redmine'
/** The database that the package made when it was installed; tests work on copies. */
const emptyDatabase = '/var/lib/dbconfig-common/sqlite3/redmine/instances/default/redmine_default'

/**
 * Starts the Redmine that `install.sh` installed: an instance with a database of its own, on a loopback address of its
 * own, so that it meets no other program and no other run. Needs root, for Debian keeps the instances in /var/lib.
 * Takes seconds.
 *
 * @param setUp Ruby that runs with Redmine loaded before it serves, such as one that makes custom fields: REST cannot
 */
export async function startRedmine(setUp: string): Promise<Redmine> {
  const started = new AsyncDisposableStack()
  try {
    return await start(started, setUp)
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

async function start(started: AsyncDisposableStack, setUp: string): Promise<Redmine> {
  // Not os.tmpdir(): the web user may not reach that.
  const folder = await mkdtemp('/tmp/mortise-redmine-')
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const instance = await makeInstance(started, folder)
  const surroundings = { cwd: program, env: { RAILS_ENV: 'production', REDMINE_INSTANCE: instance, HOME: folder } }
  // Set up by the server itself, as it takes seconds to load all this a second time. It listens when it is done.
  const rackup = join(folder, 'config.ru')
  const keyFile = join(folder, 'key')
  await writeFile(
    rackup,
    `require '${program}/config/environment'
Setting.rest_api_enabled = 1
${setUp}
File.write('${keyFile}', User.find_by_login('admin').api_key)
run Rails.application
`,
  )

  const { host, port } = await freeAddress()
  // One thread: SQLite locks out a second one that writes at the same time, and Redmine answers 500 then.
  const args = ['-e', 'production', '-t', '1:1', '-b', `tcp://${host}:${port}`, rackup]
  const server = started.use(await startServer('puma', args, surroundings))
  await untilListening({ host, port }, server, startMs)
  const apiKey = await readFile(keyFile, 'utf8')
  const url = `http://${host}:${port}`

  return {
    url,
    apiKey,
    async rest(method, path, body) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { 'x-redmine-api-key': apiKey, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(20_000),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    stop: () => started.disposeAsync(),
  }
}

/** @returns the name by which Debian's Redmine finds an instance: that of a folder below /var/lib/redmine */
async function makeInstance(started: AsyncDisposableStack, folder: string): Promise<string> {
  const database = join(folder, 'redmine.sqlite')
  await copyFile(emptyDatabase, database)
  const folders = ['config', 'files', 'log', 'tmp'].map((name) => join(folder, name))
  for (const made of folders) await mkdir(made)
  const settings = `production:\n  adapter: sqlite3\n  database: ${database}\n  encoding: utf8\n`
  await writeFile(join(folder, 'config', 'database.yml'), settings)
  await writeFile(join(folder, 'config', 'secret_key.txt'), `${randomUUID()}${randomUUID()}`)
  for (const made of [folder, database, ...folders]) await chown(made, webUserId, webUserId)
  const instance = `mortise-e2e-${randomUUID()}`
  const link = join('/var/lib/redmine', instance)
  await symlink(folder, link)
  started.defer(() => rm(link, { force: true }))
  return instance
}
