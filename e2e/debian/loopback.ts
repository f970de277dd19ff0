import { randomInt } from 'node:crypto'
import { createConnection, createServer, type NetConnectOpts } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Server } from './web-user.ts'

/**
 * A loopback address and a port of their own for an application, so that it meets no other program and no other run.
 */
export async function freeAddress(): Promise<{ host: string; port: number }> {
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('not listening')
  return { host, port: address.port }
}

/** @throws Error when the server has ended, or does not listen in time */
export async function untilListening(address: NetConnectOpts, server: Server, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await connects(address))) {
    server.assertRunning()
    if (Date.now() > deadline) throw new Error(`nothing listens at ${JSON.stringify(address)} after ${timeoutMs} ms`)
    await delay(50)
  }
}

function connects(address: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(address)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
