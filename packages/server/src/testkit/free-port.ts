import { createServer } from 'node:net'

/**
 * Ports below those that Linux gives to outgoing connections (`ip_local_port_range`): no connection of another test
 * takes one of them before its test listens on it. Each process of Vitest begins somewhere else.
 */
const first = 20_000
const count = 12_000
let next = 200 * (Number(process.env['VITEST_POOL_ID'] ?? 0) % 60)

/** Returns a loopback port that nothing listens on, a different one each time. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = first + (next++ % count)
    if (await isFree(port)) return port
  }
  throw new Error('100 ports in a row are taken')
}

/** Returns several ports as `freePort` does. */
export async function freePorts(wanted: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < wanted) ports.push(await freePort())
  return ports
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
