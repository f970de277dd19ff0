// biome-ignore-start lint/style/noRestrictedImports: stands in for a pooler; nothing goes out.

// biome-ignore-end lint/style/noRestrictedImports: as above.
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What poolers do with the options of a connection. */
export type OptionsHandling = 'drops' | 'refuses'

/** Stands between clients and the PostgreSQL at a socket folder, and treats options of connections as poolers do. */
export async function startOptionsFilter(
  to: { host: string; port: number },
  handling: OptionsHandling,
): Promise<{ host: string; port: number; close(): Promise<void> }> {
  const host = await mkdtemp(join(tmpdir(), 'mortise-filter-'))
  const sockets = new Set<Socket>()
  const server = createServer((inbound) => {
    const outbound = connect(join(to.host, `.s.PGSQL.${to.port}`))
    for (const socket of [inbound, outbound]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    inbound.once('data', (startup: Buffer) => {
      const parameters = startup.subarray(8).toString().split('\0').slice(0, -2)
      const at = parameters.findIndex((name, n) => n % 2 === 0 && name === 'options')
      if (at >= 0 && handling === 'refuses') {
        inbound.end(refusal)
        outbound.destroy()
        return
      }
      if (at >= 0) parameters.splice(at, 2)
      const body = Buffer.from(`${parameters.join('\0')}\0\0`)
      const head = Buffer.alloc(8)
      head.writeInt32BE(body.length + 8)
      startup.copy(head, 4, 4, 8)
      outbound.write(Buffer.concat([head, body]))
      inbound.pipe(outbound)
      outbound.pipe(inbound)
    })
    inbound.on('close', () => outbound.destroy())
    outbound.on('close', () => inbound.destroy())
  })
  await new Promise<void>((resolve) => server.listen(join(host, `.s.PGSQL.${to.port}`), resolve))
  return {
    host,
    port: to.port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await rm(host, { recursive: true, force: true })
    },
  }
}

/** As PgBouncer refuses them. */
const refusal = (() => {
  const fields = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: options\0\0')
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
})()
