import { createServer } from 'node:net'

/** Answers the preferred port if nobody listens on it, else any free one. */
export async function freePort(preferred = 0): Promise<number> {
  for (const port of [preferred, 0]) {
    const free = await listenOnce(port)
    if (free !== undefined) return free
  }
  throw new Error('there is no free port')
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined))
    })
  })
}
