import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
// biome-ignore-start lint/style/noRestrictedImports: stands in for a network; nothing goes out.
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EmbeddedPostgres, startEmbedded } from '../../../../kernel/db/embedded/start-embedded.ts'
import { openForTest } from '../conformance.testkit.ts'
import type { DestinationKind } from '../kind.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { postgres } from './index.ts'

let home: string
let server: EmbeddedPostgres
let front: Server
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mortise-replica-'))
  const start = () =>
    startEmbedded({
      homeDir: home,
      fsync: false,
      systemDir: join(home, 'system'),
      settings: { wal_level: 'replica', hot_standby: 'on', shared_buffers: '16MB' },
    })
  const primary = await start()
  await primary.stop()
  // Waits for changes of a primary that never come, and takes none from others.
  await writeFile(join(primary.dataDir, 'standby.signal'), '')
  server = await start()
  front = createServer((socket) => {
    const back = connect(`${server.host}/.s.PGSQL.${server.port}`)
    for (const one of [socket, back]) one.on('error', () => undefined)
    socket.pipe(back).pipe(socket)
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
}, 60_000)
afterAll(async () => {
  front?.close()
  await server?.stop()
  await rm(home, { recursive: true, force: true })
})

it('a test of a replica says to use the primary, as a delivery does', async () => {
  const { port } = front.address() as AddressInfo
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres?sslmode=disable`
  const opened = openForTest(postgres as DestinationKind, { url })
  const options = { time: new Date(), timeoutMs: 10_000, signal: new AbortController().signal }
  expect(await opened.sender.check?.(options)).toEqual({
    outcome: 'retry',
    error: `127.0.0.1:${port} is a read-only replica. Use the URL of its primary.`,
  })
  const [sent] = await opened.send([recordMessages()([{ id: '1', fields: { email: 'a' } }])])
  expect(sent).toMatchObject({ outcome: 'retry', error: expect.stringContaining('use the URL of the primary (25006)') })
  await opened.close()
})
