import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { TestTarget } from './conformance.testkit.ts'

/** Makes a server listen on a loopback port, and counts its connections. `stop` ends them. */
export async function listenAsTarget(server: Server): Promise<Pick<TestTarget, 'port' | 'connections' | 'stop'>> {
  const sockets = new Set<Socket>()
  let total = 0
  server.on('connection', (socket: Socket) => {
    total++
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => ({ open: sockets.size, total }),
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
