import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: stands in for a network; nothing goes out.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { createConnection } from 'mysql2/promise'
import type { KindHarness, TestTarget } from '../conformance.testkit.ts'
import { createMessages, quoted } from './columns.ts'
import { hasMysqlServer, serverUrl } from './mysql-server.testkit.ts'

const secret = 'kLq82nVx9fGh'

/** An ERR_Packet. `sequence` is 0 in place of a greeting, and 1 as the answer to a statement. */
function errorOf(errno: number, state: string, message: string): (sequence: number) => Buffer {
  return (sequence) => {
    const text = Buffer.from(`#${state}${message}`)
    const head = Buffer.from([0, 0, 0, sequence, 0xff, 0, 0])
    head.writeUIntLE(text.length + 3, 0, 3)
    head.writeUInt16LE(errno, 5)
    return Buffer.concat([head, text])
  }
}

/** What the server writes before it hangs up, instead of an answer. */
const answers: Record<string, (sequence: number) => Buffer> = {
  echo: errorOf(1105, 'HY000', `You sent ${secret}.`),
  'refuses the password': errorOf(1045, '28000', "Access denied for user 'mortise'"),
  'has no such database': errorOf(1049, '42000', "Unknown database 'app'"),
  'has no connection left': errorOf(1040, '08004', 'Too many connections'),
  'is shutting down': errorOf(1053, '08S01', 'Server shutdown in progress'),
  'speaks another protocol': () => Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html>'),
  'half an answer': (sequence) => errorOf(1105, 'HY000', 'half')(sequence).subarray(0, 6),
  'a greeting that ends early': (sequence) => Buffer.from([3, 0, 0, sequence, 10, 0x38, 0x2e]),
  'a packet out of order': () => errorOf(1105, 'HY000', 'late')(9),
  'hangs up': () => Buffer.alloc(0),
  'asks for a file': (sequence) => {
    const name = Buffer.from('package.json')
    return Buffer.concat([Buffer.from([name.length + 1, 0, 0, sequence, 0xfb]), name])
  },
}

/** Two parts of a packet, of 16 MB each, that says it has more. */
const flood = Buffer.concat(
  [1, 2].map((sequence) => Buffer.concat([Buffer.from([0xff, 0xff, 0xff, sequence]), Buffer.alloc(0xffffff)])),
)

export interface MysqlTarget extends TestTarget {
  url: string
  /** What a client sent last. */
  sent(): Buffer
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

/** Starts a server in front of a MySQL with a database of its own, whose answers can be replaced. */
export async function startMysqlTarget(): Promise<MysqlTarget> {
  const name = `kind_${randomBytes(6).toString('hex')}`
  const admin = await createConnection({ uri: serverUrl })
  await admin.query(`create database ${name}`)
  await admin.query(`create user ${name} identified by '${secret}'`)
  // What docs/destinations/mysql.md says that it needs.
  await admin.query(`grant select, insert, update, delete, create, alter on ${name}.* to ${name}`)
  await admin.changeUser({ database: name })
  await admin.query(createMessages(quoted('_mortise_messages')))
  await admin.query(`create trigger refuse before insert on _mortise_messages for each row
    if new.body like '%bad%' then signal sqlstate '45000' set message_text = 'refused by a trigger'; end if`)
  const { hostname, port: serverPort } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let [behavior, total] = ['accept', 0]
  let sent: Buffer = Buffer.alloc(0)
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
    sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => undefined))
    if (behavior === 'hang') return
    if (behavior !== 'accept') {
      socket.end(answers[behavior]?.(0) ?? '')
      return
    }
    const back = connect(Number(serverPort || 3306), hostname).on('error', () => undefined)
    socket.on('data', (chunk) => {
      sent = chunk
      if (behavior === 'floods') socket.write(flood)
      if (behavior === 'hang' || behavior === 'floods') return
      if (isCut('sent', chunk)) socket.destroy()
      else if (behavior === 'accept') back.write(chunk)
      else socket.end(answers[behavior]?.(1) ?? '')
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
  const url = `mysql://${name}:${secret}@127.0.0.1:${port}/${name}?ssl-mode=DISABLED`
  return {
    port,
    url,
    sent: () => sent,
    settings: {
      url,
      deletes: 'soft',
      caCertificate: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    },
    secret,
    async received() {
      const [rows] = await admin.query('select id, cast(body as char) as body from _mortise_messages order by id')
      // MySQL writes JSON with spaces.
      const compact = (body: string) => JSON.stringify(JSON.parse(body))
      return (rows as { id: string; body: string }[]).map(({ id, body }) => ({ id, body: compact(body), headers: {} }))
    },
    async query<T extends object>(text: string) {
      const [rows] = await admin.query(text)
      return rows as T[]
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
      await admin.query(`drop database ${name}`)
      await admin.query(`drop user ${name}`)
      await admin.end()
    },
  }
}

export const harness: KindHarness = {
  hasServer: hasMysqlServer,
  isUnsigned: true,
  excluded: ['database'],
  storesOnce: true,
  settingsFor: (host, port) => ({ url: `mysql://mortise:${secret}@${host}:${port}/app` }),
  wrong: {
    input: { url: 'https://example.com', deletes: true, caCertificate: 'hello' },
    names: ['url', 'deletes', 'caCertificate'],
  },
  failures: Object.fromEntries(
    Object.keys(answers)
      .filter((name) => name !== 'echo')
      .map((name) => [name, 'retry' as const]),
  ),
  start: startMysqlTarget,
}
