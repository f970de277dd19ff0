import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: stands in for a network; nothing goes out.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import pg from 'pg'
import { inject } from 'vitest'
import type { KindHarness, TestTarget } from '../conformance.testkit.ts'

const secret = 'kLq82nVx9fGh'

/** An ErrorResponse (PostgreSQL, section 54.7). */
function errorOf(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** What the server writes before it hangs up, instead of an answer. */
const answers: Record<string, Buffer> = {
  echo: errorOf('XX000', `You sent ${secret}.`),
  'refuses the password': errorOf('28P01', 'password authentication failed for user "mortise"'),
  'has no such database': errorOf('3D000', 'database "app" does not exist'),
  'has no connection left': errorOf('53300', 'too many connections'),
  'is starting': errorOf('57P03', 'the database system is starting up'),
  'speaks another protocol': Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html>'),
  'half an answer': errorOf('XX000', 'half').subarray(0, 9),
  'hangs up': Buffer.alloc(0),
}

export interface PostgresTarget extends TestTarget {
  /** Runs a statement as the owner of the database. */
  query<T extends object>(text: string): Promise<T[]>
  /** Ends the connection once, before a part of what is sent or answered is passed on, counted from now. */
  cutAfter(count: number, what: 'sent' | 'answered'): void
  /** Whether the connection was ended since. */
  wasCut(): boolean
  /** Is asked about each part that is sent or answered from now on: one that it does not pass ends the connection. */
  intercept(passes: Passes): void
}

type Passes = (what: 'sent' | 'answered', part: Buffer) => boolean

/** Starts a server in front of a PostgreSQL with a database of its own, whose answers can be replaced. */
export async function startPostgresTarget(): Promise<PostgresTarget> {
  const server = inject('postgres')
  const database = `kind_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client({ ...server, user: 'postgres', database: 'postgres' })
  await admin.connect()
  await admin.query(`create database ${database} owner mortise_owner template template0`)
  const owner = new pg.Client({ ...server, user: 'mortise_owner', database })
  owner.on('error', () => undefined)
  await owner.connect()
  await owner.query(`create table _mortise_messages
    (id uuid primary key, kind text not null, event_type text, created_at timestamptz not null, body jsonb not null)`)
  await owner.query(`create function refuse() returns trigger language plpgsql as $$
    begin if new.body::text like '%bad%' then raise 'refused by a trigger'; end if; return new; end $$`)
  await owner.query('create trigger refuse before insert on _mortise_messages for each row execute function refuse()')
  const sockets = new Set<Socket>()
  let [behavior, total] = ['accept', 0]
  let cut: { count: number; what: 'sent' | 'answered' } | undefined
  let passes: Passes = () => true
  const isCut = (what: 'sent' | 'answered', part: Buffer) => {
    if (!passes(what, part)) return true
    if (cut?.what !== what || cut.count-- > 0) return false
    cut = undefined
    return true
  }
  const front = createServer((socket) => {
    total++
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    const back = server.host.startsWith('/')
      ? connect(`${server.host}/.s.PGSQL.${server.port}`)
      : connect(server.port, server.host)
    for (const one of [socket, back]) one.on('error', () => undefined)
    socket.on('data', (chunk) => {
      if (behavior === 'hang') return
      if (isCut('sent', chunk)) socket.destroy()
      else if (behavior === 'accept') back.write(chunk)
      else socket.end(answers[behavior] ?? '')
    })
    back.on('data', (chunk) => {
      if (isCut('answered', chunk)) socket.destroy()
      else if (behavior === 'accept') socket.write(chunk)
    })
    socket.on('close', () => back.destroy())
    back.on('close', () => socket.destroy())
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const { port } = front.address() as AddressInfo
  return {
    port,
    settings: {
      url: `postgresql://mortise_owner:${secret}@127.0.0.1:${port}/${database}?sslmode=disable`,
      schema: 'public',
      deletes: 'soft',
      caCertificate,
    },
    secret,
    async received() {
      const { rows } = await owner.query<{ id: string; body: object }>(
        'select id, body from _mortise_messages order by id',
      )
      return rows.map(({ id, body }) => ({ id, body: JSON.stringify(body), headers: {} }))
    },
    async query<T extends object>(text: string) {
      return (await owner.query<T>(text)).rows
    },
    cutAfter(count, what) {
      cut = { count, what }
    },
    wasCut: () => cut === undefined,
    intercept(next) {
      passes = next
    },
    behave: (what) => {
      behavior = what
    },
    connections: () => ({ open: sockets.size, total }),
    async stop() {
      front.close()
      for (const socket of sockets) socket.destroy()
      await owner.end()
      await admin.query(`drop database ${database} with (force)`)
      await admin.end()
    },
  }
}

const caCertificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'

export const harness: KindHarness = {
  isUnsigned: true,
  storesOnce: true,
  settingsFor: (host, port) => ({ url: `postgresql://mortise:${secret}@${host}:${port}/app` }),
  wrong: {
    input: { url: 'https://example.com', schema: 'a"b', deletes: 'HARD', caCertificate: 'hello' },
    names: ['url', 'schema', 'deletes', 'caCertificate'],
  },
  failures: Object.fromEntries(
    Object.keys(answers)
      .filter((name) => name !== 'echo')
      .map((name) => [name, 'retry' as const]),
  ),
  start: startPostgresTarget,
}
