import { LRUCache } from 'lru-cache'
import { failureOf } from '../failure-of.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import { type KnownTables, MessageStore, nothingKnown } from '../tables/message-store.ts'
import { type ReadMessage, readRows } from '../tables/read-rows.ts'
import type { Deletions } from '../tables/record-removals.ts'
import { scopesMax } from '../tables/table-sender.ts'
import { isByGroup, namespaceForGroup } from './namespace.ts'
import type { TableWarehouse } from './table-warehouse.ts'
import { WarehouseDatabase } from './warehouse-database.ts'
import { WarehouseError } from './warehouse-error.ts'

/** Size of the records that are in memory and stored together. One message may have more. */
const storedBytesMax = 4 * 2 ** 20

/** Returns the tables of the namespace of a group, or those that the settings name. */
type TablesOf = (namespace: string | undefined) => TableWarehouse

/**
 * Stores the records of messages in the tables of a warehouse. Messages of several namespaces are stored one namespace
 * after the other, each as if there were no other. Each needs statements, so after half of the time the rest waits for
 * the next attempt, which does not count.
 *
 * @param connect returns the warehouse, with calls within the deadline of one `send`
 * @param options.namespace the setting that names the namespace, perhaps with the placeholder of groups
 */
export function openWarehouse(
  connect: (options: SendOptions) => TablesOf | Promise<TablesOf>,
  services: SenderServices,
  { namespace, deletions = 'soft' }: { namespace: string | undefined; deletions: Deletions | undefined },
): Sender {
  const knownTables = new LRUCache<string, KnownTables>({
    max: scopesMax,
    memoMethod: nothingKnown,
  })
  const namespaceOf = (body: object) => (isByGroup(namespace) ? namespaceForGroup(namespace, body) : undefined)
  return {
    async send(batch, options) {
      const tablesOf = await connect(options)
      const until = performance.now() + options.timeoutMs / 2
      const results = new Map<OutgoingMessage, SendResult>()
      let hasStored = false
      const storeParts = async (parts: readonly ReadMessage[]) => {
        for (const [created, some] of Map.groupBy(parts, ({ body }) => namespaceOf(body))) {
          const known = knownTables.memo(created ?? '')
          const database = new WarehouseDatabase(tablesOf(created), created)
          const store = new MessageStore(database, services, { known, deletions })
          const isLate = created !== undefined && hasStored && performance.now() > until
          const stored = isLate ? [] : await store.storeAll(some, options.timeoutMs)
          hasStored = true
          const missing = isLate ? cancelled : lost
          for (const [index, { message }] of some.entries()) results.set(message, stored[index] ?? missing)
        }
      }
      let parts: ReadMessage[] = []
      let bytes = 0
      try {
        for (const message of batch) {
          const part = await readRows(message, services)
          if ('outcome' in part) {
            results.set(message, part)
            continue
          }
          if (parts.length > 0 && bytes + part.bytes > storedBytesMax) {
            await storeParts(parts)
            parts = []
            bytes = 0
          }
          parts.push(part)
          bytes += part.bytes
        }
        if (parts.length > 0) await storeParts(parts)
      } catch (error) {
        if (results.size === 0) throw error
        const failure = failureOf(error)
        return batch.map((message) => results.get(message) ?? failure)
      }
      return batch.map((message) => results.get(message) ?? lost)
    },
    async check(options) {
      try {
        return await (await connect(options))(undefined).check()
      } catch (error) {
        return error instanceof WarehouseError ? { ...error.result, outcome: 'retry' } : failureOf(error)
      }
    },
    close: async () => undefined,
  }
}

const cancelled: SendResult = { outcome: 'cancelled' }
const lost: SendResult = { outcome: 'retry', error: 'The message was not stored.' }
