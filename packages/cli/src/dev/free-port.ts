import { createServer } from 'node:net'
import { UsageError } from '../usage-error.ts'

/** The wanted port where nobody listens on it; else, unless somebody named it, any other. */
export async function portFor(wanted: number, named: boolean, option: string): Promise<number> {
  if (await canListen(wanted)) return wanted
  if (named) throw new UsageError(`Port ${wanted} is in use by another program. Name another one with ${option}.`)
  return await listenOn(0)
}

async function canListen(port: number): Promise<boolean> {
  return await listenOn(port).then(
    () => true,
    () => false,
  )
}

/** Listens for a moment, as the service does; answers the port. @throws when the port is taken */
function listenOn(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, 'localhost', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
}
