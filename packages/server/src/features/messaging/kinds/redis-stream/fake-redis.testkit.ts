import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { ReceivedMessage, TestTarget } from '../conformance.testkit.ts'

type FakeRedis = Omit<TestTarget, 'settings' | 'secret'>

/**
 * A server that reads commands as a Redis does and answers as a test wants it.
 *
 * @param options.errors the reply to each command that appends, by behavior
 * @param options.secret what the behavior `echo` tells
 */
export async function startFakeRedis({
  errors,
  secret,
}: {
  errors: Record<string, string>
  secret: string
}): Promise<FakeRedis> {
  const sockets = new Set<Socket>()
  const received: ReceivedMessage[] = []
  let [behavior, total] = ['accept', 0]

  function append(socket: Socket, args: string[]): void {
    const pairs = args.slice(args.indexOf('*') + 1)
    const fields: Record<string, string> = {}
    for (let at = 0; at < pairs.length; at += 2) fields[pairs[at] ?? ''] = pairs[at + 1] ?? ''
    const error = fields['body']?.includes('"bad"') ? '-ERR something else' : errors[behavior]
    if (behavior === 'hangs up') socket.destroy()
    else if (behavior === 'echo') write(socket, `-ERR you sent ${secret}`)
    else if (error !== undefined) {
      write(socket, error)
      // Nothing more follows a reply that is broken.
      if (!/^[-+:]|^\$-1/.test(error)) socket.end()
    } else if (behavior !== 'hang') {
      received.push({ id: fields['id'] ?? '', body: fields['body'] ?? '', headers: fields })
      write(socket, `$15\r\n1700000000000-${received.length % 10}`)
    }
  }

  function answer(socket: Socket, [name = '', ...args]: string[]): void {
    const command = name.toUpperCase()
    if (command === 'XADD') append(socket, args)
    else if (behavior === 'a wrong password' && command === 'AUTH')
      write(socket, '-WRONGPASS invalid username-password pair or user is disabled.')
    else if (behavior === 'no such database' && command === 'SELECT') write(socket, '-ERR DB index is out of range')
    else if (behavior !== 'hang') write(socket, '+OK')
  }

  const server = createServer((socket) => {
    total++
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    socket.on('error', () => socket.destroy())
    if (behavior === 'hangs up before a command') socket.destroy()
    let buffered: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      for (let command = takeCommand(buffered); command; command = takeCommand(buffered)) {
        buffered = command.rest
        answer(socket, command.args)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    behave: (what) => {
      behavior = what
    },
    connections: () => ({ open: sockets.size, total }),
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function write(socket: Socket, reply: string): void {
  if (socket.writable) socket.write(`${reply}\r\n`)
}

/** Takes a whole command from what has arrived: an array of bulk strings. */
function takeCommand(bytes: Buffer): { args: string[]; rest: Buffer } | undefined {
  let at = 0
  const line = () => {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return undefined
    const text = bytes.toString('latin1', at, end)
    at = end + 2
    return text
  }
  const count = Number(line()?.slice(1))
  if (!(count > 0)) return undefined
  const args: string[] = []
  while (args.length < count) {
    const length = Number(line()?.slice(1))
    if (Number.isNaN(length) || bytes.length < at + length + 2) return undefined
    args.push(bytes.toString('utf8', at, at + length))
    at += length + 2
  }
  return { args, rest: bytes.subarray(at) }
}
