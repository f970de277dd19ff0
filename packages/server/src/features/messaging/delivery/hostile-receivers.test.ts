import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { startWebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

let rig: DeliveryRig
const servers: { server: Server; sockets: Set<Socket> }[] = []
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterEach(async () => {
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
})
afterAll(() => rig?.app.stop())

/** A server that has read a whole request answers as it likes, byte for byte. */
async function answering(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // Resets are part of the game.
    socket.on('error', () => socket.destroy())
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      if (text.endsWith('{"n":0}')) {
        text = ''
        answer(socket)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push({ server, sockets })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Writes the same bytes for as long as somebody takes them. */
function pour(socket: Socket, chunk: Buffer | string) {
  while (socket.writable && socket.write(chunk));
  socket.once('drain', () => pour(socket, chunk))
}

async function attemptAt(url: string) {
  const destination = await rig.create(url)
  await rig.post(destination.name, { n: 0 })
  await rig.deliver(destination.id)
  const [message] = await rig.messages(destination.name)
  const [attempt] = await rig.attempts(destination.id)
  return { state: message?.state, attempt }
}

const head = 'HTTP/1.1 200 OK\r\n'

describe('the answer of a receiver counts by its status, when it', () => {
  it.each<[string, (socket: Socket) => void]>([
    [
      'never ends its body',
      (socket) => {
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
        pour(socket, `8000\r\n${'x'.repeat(0x8000)}\r\n`)
      },
    ],
    [
      'announces a gigabyte',
      (socket) => {
        socket.write(`${head}Content-Length: 1073741824\r\n\r\n`)
        pour(socket, Buffer.alloc(65_536, 'x'))
      },
    ],
    [
      'sends a gzip bomb',
      (socket) => {
        const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
        socket.write(`${head}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
        socket.write(bomb)
      },
    ],
    [
      'breaks its body off',
      (socket) => {
        socket.write(`${head}Content-Length: 100\r\n\r\nhalf`, () => socket.resetAndDestroy())
      },
    ],
    [
      'sends bytes that are no text',
      (socket) => {
        socket.end(
          Buffer.concat([Buffer.from(`${head}Content-Length: 6\r\n\r\n`), Buffer.from([0, 255, 254, 0, 128, 10])]),
        )
      },
    ],
  ])('%s', async (_, answer) => {
    const { state, attempt } = await attemptAt(await answering(answer))
    expect(state).toBe('delivered')
    expect(attempt).toMatchObject({ status: 200, error: null })
    expect(Buffer.byteLength(attempt?.response ?? '')).toBeLessThanOrEqual(3 * 2_048)
  })
})

describe('an attempt fails and is kept, when the receiver', () => {
  it.each<[string, (socket: Socket) => void]>([
    [
      'sends ten thousand headers',
      (socket) => {
        socket.write(head + Array.from({ length: 10_000 }, (_, n) => `X-${n}: y\r\n`).join(''))
      },
    ],
    [
      'never stops its interim answers',
      (socket) => {
        for (let i = 0; i < 200; i++) socket.write('HTTP/1.1 102 Processing\r\n\r\n')
      },
    ],
    ['hangs up', (socket) => socket.resetAndDestroy()],
    ['does not speak HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ])('%s', async (_, answer) => {
    const { state, attempt } = await attemptAt(await answering(answer))
    expect(state).toBe('pending')
    expect(attempt).toMatchObject({ number: 1, status: null, error: expect.stringContaining('127.0.0.1') })
  })

  it('is not there', async () => {
    const receiver = await startWebhookReceiver()
    await receiver.close()
    const { state, attempt } = await attemptAt(receiver.url)
    expect(state).toBe('pending')
    expect(attempt).toMatchObject({ status: null, error: expect.stringContaining('127.0.0.1') })
  })
})
