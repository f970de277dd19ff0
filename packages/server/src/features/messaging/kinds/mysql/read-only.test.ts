import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
// biome-ignore-start lint/style/noRestrictedImports: stands in for a network; nothing goes out.
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import type { DestinationKind } from '../kind.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { mysql } from './index.ts'

const run = promisify(execFile)
const hasServer = await run('mariadbd', ['--version']).then(
  () => true,
  () => false,
)

/** A server for this file alone: its settings are those of all connections. */
describe.skipIf(!hasServer)('a server that is read-only', () => {
  let folder: string
  let server: ChildProcess
  let admin: Connection
  let front: Server
  let port: number
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mortise-mariadb-'))
    const socketPath = join(folder, 'socket')
    const data = ['--no-defaults', `--datadir=${join(folder, 'data')}`]
    await run('mariadb-install-db', [...data, '--auth-root-authentication-method=normal', '--skip-test-db'])
    const own = ['--skip-networking', `--socket=${socketPath}`, `--pid-file=${join(folder, 'pid')}`]
    const more = [`--user=${userInfo().username}`, '--innodb-buffer-pool-size=16M']
    server = spawn('mariadbd', [...data, ...own, ...more], { stdio: 'ignore' })
    const connected = () => createConnection({ socketPath, user: 'root' })
    admin = await vi.waitFor(connected, { timeout: 30_000, interval: 100 })
    front = createServer((socket) => {
      const back = connect(socketPath)
      for (const one of [socket, back]) one.on('error', () => undefined)
      socket.pipe(back).pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(front, 'listening')
    port = (front.address() as AddressInfo).port
    await admin.query('create database crm')
    await admin.query("create user mortise identified by 'secret'")
    await admin.query('grant select, insert, update, delete, create, alter on crm.* to mortise')
  }, 60_000)
  afterAll(async () => {
    front?.close()
    await admin?.end()
    if (server?.exitCode === null) {
      server.kill()
      await once(server, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  })

  it.each([
    ['read_only', /is read-only, as a replica is: use the URL of the primary \(1290\)\./],
    ['tx_read_only', /makes transactions of this user read-only: set transaction_read_only = OFF \(1792\)\./],
  ])('is found by a test, and by a delivery (%s)', async (variable, error) => {
    await admin.query(`set global ${variable} = on`)
    const url = `mysql://mortise:secret@127.0.0.1:${port}/crm?ssl-mode=DISABLED`
    const opened = openForTest(mysql as DestinationKind, { url })
    const options = { time: new Date(), timeoutMs: 10_000, signal: new AbortController().signal }
    expect(await opened.sender.check?.(options)).toMatchObject({
      outcome: 'retry',
      error: expect.stringMatching(error),
    })
    const [sent] = await opened.send([recordMessages()([{ id: '1', fields: { email: 'a' } }])])
    expect(sent).toMatchObject({ outcome: 'retry', error: expect.stringMatching(error) })
    await opened.close()
    await admin.query(`set global ${variable} = off`)
    const writable = openForTest(mysql as DestinationKind, { url })
    expect(await writable.sender.check?.(options)).toEqual({ outcome: 'delivered' })
    await writable.close()
  })
})
