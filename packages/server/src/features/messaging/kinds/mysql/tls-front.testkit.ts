import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: stands in for a network; nothing goes out.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { serverUrl } from './mysql-server.testkit.ts'

/** CLIENT_SSL, in the second byte of the capabilities. */
const sslBit = 0x08
const requestBytes = 36

/**
 * Starts a server with TLS in front of a MySQL without it: announces TLS in the greeting, starts it when the client
 * asks, and takes it out of the rest of the handshake, whose packets are numbered.
 */
export async function startTlsFront(): Promise<{ port: number; stop(): void }> {
  const { hostname, port: serverPort } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const front = createServer((socket) => {
    const back = connect(Number(serverPort || 3306), hostname)
    for (const one of [socket, back]) sockets.add(one.on('error', () => undefined))
    back.once('close', () => socket.destroy())
    socket.once('close', () => back.destroy())
    back.once('data', (greeting: Buffer) => {
      const version = greeting.indexOf(0, 5)
      const capabilities = version + 1 + 4 + 8 + 1 + 1
      greeting[capabilities] = (greeting[capabilities] ?? 0) | sslBit
      socket.write(greeting)
    })
    socket.once('data', (request: Buffer) => {
      // The request for TLS has 36 bytes, and the first of TLS itself may follow at once.
      socket.pause()
      if (request.length > requestBytes) socket.unshift(request.subarray(requestBytes))
      const secured = new TLSSocket(socket, { isServer: true, ...testCertificate })
      secured.on('error', () => socket.destroy())
      secured.once('data', (response: Buffer) => {
        response[3] = 1
        response[5] = (response[5] ?? 0) & ~sslBit
        back.once('data', (answer: Buffer) => {
          answer[3] = 3
          secured.write(answer)
          back.pipe(secured)
        })
        back.write(response)
        secured.pipe(back)
      })
    })
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  return {
    port: (front.address() as AddressInfo).port,
    stop() {
      front.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
