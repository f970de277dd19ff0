import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { findRunning } from '../../../packages/server/src/kernel/db/embedded/find-running.ts'

/** A database of the builder, for the tables of customers' records. */
export interface DemoDatabase {
  /** What a destination of type `postgres` gets. */
  url: string
  /** Runs a statement as the builder. */
  query(text: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

const name = 'app'

/**
 * Creates a database in the embedded PostgreSQL of a Mortise, which listens on no port. A port of this machine leads to
 * it until the demo ends.
 */
export async function createDemoDatabase(dataDir: string): Promise<DemoDatabase> {
  const server = await findRunning(dataDir)
  if (!server) throw new Error('the embedded database is not running')
  const admin = new pg.Client({ ...server, user: 'postgres', database: 'postgres' })
  await admin.connect()
  await admin.query(`create role ${name} login`)
  await admin.query(`create database ${name} owner ${name}`)
  await admin.end()
  const client = new pg.Client({ ...server, user: name, database: name })
  // The embedded PostgreSQL may end first.
  client.on('error', () => undefined)
  await client.connect()
  const door = await openDoor(`${server.host}/.s.PGSQL.${server.port}`)
  return {
    url: `postgresql://${name}@127.0.0.1:${door.port}/${name}?sslmode=disable`,
    query: async (text) => (await client.query<Record<string, unknown>>(text)).rows,
    async close() {
      door.close()
      await client.end()
    },
  }
}

/** Passes connections of this machine on to a socket file. */
async function openDoor(socketPath: string): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>()
  const door = createServer((near) => {
    const far = connect(socketPath)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one.on('error', () => undefined))
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  return {
    port: (door.address() as AddressInfo).port,
    close() {
      door.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
