import { once } from 'node:events'
import { newId, openDatabase } from '../../../../kernel/db/index.ts'
import { createKeyring } from '../../../../kernel/encryption/index.ts'
import {
  createAddressGuard,
  createNameResolver,
  createOutbound,
  parseAllowedNetworks,
} from '../../../../kernel/net/index.ts'
import { createLogger, createMetrics } from '../../../../kernel/telemetry/index.ts'
import { destinationKinds } from '../../kinds/index.ts'
import { Handover } from '../../messages/index.ts'
import { deliver } from '../delivery-worker.ts'

/**
 * A process that delivers to destinations until nothing is due; tests kill it meanwhile. Its argument is JSON. With a
 * channel to its parent, it delivers whenever the parent sends something, and then sends `done`.
 */
const { url, key, projectId, destinationIds, timeoutMs } = JSON.parse(process.argv[2] ?? '{}')
const database = await openDatabase({
  address: { url },
  poolSize: 4,
  applicationName: 'delivery-process',
  onError: (error) => process.stderr.write(`${error.message}\n`),
})
const names = createNameResolver()
const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
const outbound = createOutbound({ names, guard, userAgent: 'Mortise' })
const services = {
  database,
  guard,
  outbound,
  names,
  keyring: createKeyring({ active: Buffer.from(key, 'hex') }),
  publicUrl: 'http://localhost',
  now: () => new Date(),
  newId,
  metrics: createMetrics(),
  log: createLogger({ level: 'silent' }),
  deliveryRate: { take: () => 0 },
  handover: new Handover(),
  hooks: {
    destinationChanged: async () => undefined,
    fieldTypes: async () => [],
    originsOf: async (_db: unknown, _destination: unknown, sources: readonly object[]) => sources.map(() => ({})),
  },
}
const { signal } = new AbortController()
// A longer deadline for all kinds, for what a test keeps back while the machine is busy.
if (timeoutMs !== undefined) for (const { limits } of destinationKinds) limits.timeoutMs = timeoutMs
const deliverAll = () =>
  Promise.all(
    destinationIds.map(async (destinationId: string) => {
      while (await deliver(services as never, { projectId, destinationId, signal }));
    }),
  )
if (process.send) {
  process.on('message', () => void deliverAll().then(() => process.send?.('done')))
  await once(process, 'disconnect')
} else await deliverAll()
await outbound.close()
await database.close()
