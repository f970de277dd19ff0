import { randomUUID } from 'node:crypto'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freeAddress, untilListening } from '../debian/loopback.ts'
import { type Restartable, startRestartable } from '../debian/restartable.ts'
import { startServer, webUserId } from '../debian/web-user.ts'

export interface Mailman extends Restartable {
  /** Address of its REST API, without a trailing slash and a version. */
  url: string
  /** The one user of the API. */
  user: string
  password: string
  /**
   * One request to the REST API; a path such as `/members`. A body is sent as a form.
   * @returns the body, and the last part of the header `Location`
   * @throws Error unless the answer is 2xx
   */
  rest<T>(method: string, path: string, form?: Record<string, string>): Promise<{ body: T; made: string }>
}

/** On a busy machine. */
const startMs = 100_000

/**
 * Starts the REST API of the Mailman that `install.sh` installed: with a database of its own, on a loopback address of
 * its own. Without the programs that receive and send mail: nothing leaves the queue.
 *
 * @param seed Python that runs once, with Mailman loaded, before the API serves
 */
export async function startMailman(seed: string): Promise<Mailman> {
  // Not os.tmpdir(): the web user may not reach that.
  const folder = await mkdtemp('/tmp/mortise-mailman-')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await chown(folder, webUserId, webUserId)
    const { host, port } = await freeAddress()
    const [user, password] = ['restadmin', `pass-${randomUUID()}`]
    await writeFile(
      join(folder, 'mailman.cfg'),
      `[mailman]
site_owner: owner@example.test
layout: e2e
[paths.e2e]
var_dir: ${folder}/var
[database]
class: mailman.database.sqlite.SQLiteDatabase
url: sqlite:///${folder}/mailman.db
[webservice]
hostname: ${host}
port: ${port}
admin_user: ${user}
admin_pass: ${password}
[mta]
incoming: mailman.mta.null.NullMTA
`,
    )
    // The application that Mailman's runner gives to gunicorn, without workers that would outlive a killed server.
    const program = join(folder, 'serve.py')
    await writeFile(
      program,
      `import os, sys
from wsgiref.simple_server import make_server
from mailman.core.initialize import initialize
initialize('${folder}/mailman.cfg')
from mailman.config import config
seeded = '${folder}/seeded'
if not os.path.exists(seeded):
${seed.trim().replaceAll(/^/gm, '    ')}
    config.db.commit()
    open(seeded, 'w').close()
from mailman.rest.wsgiapp import make_application
make_server('${host}', ${port}, make_application()).serve_forever()
`,
    )
    const server = await startRestartable(async () => {
      const launched = await startServer('/usr/bin/python3', [program], { cwd: folder, env: { HOME: folder } })
      await untilListening({ host, port }, launched, startMs)
      return launched
    })
    const url = `http://${host}:${port}`
    return {
      url,
      user,
      password,
      stop: server.stop,
      start: server.start,
      async rest(method, path, form) {
        const answer = await fetch(`${url}/3.1${path}`, {
          method,
          headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
          signal: AbortSignal.timeout(20_000),
          ...(form && { body: new URLSearchParams(form) }),
        })
        const text = await answer.text()
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
        return {
          body: text === '' ? undefined : JSON.parse(text),
          made: answer.headers.get('location')?.split('/').at(-1) ?? '',
        }
      },
      async [Symbol.asyncDispose]() {
        await server.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}
