import { failureOf } from '../failure-of.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import { type KnownTables, MessageStore } from '../tables/message-store.ts'
import { type ReadMessage, readRows } from '../tables/read-rows.ts'
import type { TableWarehouse } from './table-warehouse.ts'
import { WarehouseDatabase } from './warehouse-database.ts'
import { WarehouseError } from './warehouse-error.ts'

/** Size of the records that are in memory and stored together. One message may have more. */
const storedBytesMax = 4 * 2 ** 20

/**
 * Stores the records of messages in the tables of a warehouse.
 *
 * @param connect returns the warehouse, with calls within the deadline of one `send`
 */
export function openWarehouse(
  connect: (options: SendOptions) => TableWarehouse | Promise<TableWarehouse>,
  services: SenderServices,
): Sender {
  const known: KnownTables = { tables: new Map(), hasMessages: false }
  return {
    async send(batch, options) {
      const store = new MessageStore(new WarehouseDatabase(await connect(options)), services, { known })
      const results = new Map<OutgoingMessage, SendResult>()
      const storeParts = async (parts: readonly ReadMessage[]) => {
        const stored = await store.storeAll(parts, options.timeoutMs)
        for (const [index, { message }] of parts.entries()) results.set(message, stored[index] ?? lost)
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
        return await (await connect(options)).check()
      } catch (error) {
        return error instanceof WarehouseError ? { ...error.result, outcome: 'retry' } : failureOf(error)
      }
    },
    close: async () => undefined,
  }
}

const lost: SendResult = { outcome: 'retry', error: 'The message was not stored.' }
