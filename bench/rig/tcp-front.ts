import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: passes bytes on within this machine.
import { type AddressInfo, connect, createServer } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import process from 'node:process'
import { servePart } from './part.ts'

/** Passes bytes between a port of this machine and a socket, whose path is the argument. */

const [socketPath = ''] = process.argv.slice(2)
const server = createServer((front) => {
  const back = connect(socketPath)
  front.setNoDelay(true)
  front.pipe(back).pipe(front)
  front.on('error', () => back.destroy())
  back.on('error', () => front.destroy())
  front.on('close', () => back.destroy())
  back.on('close', () => front.destroy())
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

servePart({ port: () => (server.address() as AddressInfo).port })
