import type { Socket } from 'node:net'
import { type buildConnector, Client } from 'undici'

/**
 * Creates a client whose connection closes once it has reached its longest age: immediately, or at the end of the
 * request that it carries. The next request opens a new one.
 *
 * undici's `clientTtl` does the same. But its pool then compares the age of each busy connection until it finds a free
 * one, twice for each request.
 */
export function agingClient(
  origin: URL,
  options: Client.Options,
  connect: buildConnector.connector,
  ageMaxMs: number,
): Client {
  let aged: Socket | undefined
  const client = new Client(origin, {
    ...options,
    connect: (target, callback) =>
      connect(target, (...result) => {
        const [, socket] = result
        if (socket) watch(socket)
        callback(...result)
      }),
  })
  const watch = (socket: Socket) => {
    const timer = setTimeout(() => {
      aged = socket
      if (client.stats.size === 0) socket.destroy()
    }, ageMaxMs)
    timer.unref()
    socket.once('close', () => {
      clearTimeout(timer)
      aged = undefined
    })
  }
  // A request has ended. The pool gives the client the next one after this.
  client.on('drain', () => aged?.destroy())
  return client
}
