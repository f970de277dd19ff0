import { LRUCache } from 'lru-cache'
import { OutboundError } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { MessageStore } from './message-store.ts'
import { type ReadMessage, readRows } from './read-rows.ts'
import type { Deletions } from './record-removals.ts'
import type { TableDatabase } from './table-database.ts'

/** An open connection to a database. */
export interface TableConnection {
  /** Returns the tables of a scope, such as a schema. */
  databaseOf(scope: string): TableDatabase
  /** Says what would keep messages from being stored, and stores nothing. @throws what the server or connection says */
  check(timeoutMs: number): Promise<SendResult>
  /** Why the connection ended; undefined while it is open. */
  ended(): OutboundError | undefined
  /** Ends it immediately: statements without an answer fail. */
  end(reason: OutboundError): void
}

interface TableServer {
  /** Host and port, for people. */
  shown: string
  /** Returns the scope that a message is stored in. By default, all have one. */
  scopeOf?(body: object): string
  /** What happens to the rows of deleted records. */
  deletions?: Deletions | undefined
  connect(options: { timeoutMs: number; signal: AbortSignal }): Promise<TableConnection>
  /** What an error means: that of the server, or the reason why the connection ended. */
  failureOf(error: unknown, ended: OutboundError | undefined): SendResult | OutboundError
}

type OpenTables = TableConnection & { storeOf(scope: string): MessageStore }

/** Scopes whose tables are remembered. */
export const scopesMax = 200

/**
 * Stores the records of messages: in one transaction for each scope. If the data of a message cannot be stored, each
 * message gets a separate transaction. Each of the calls at the same time has its connection, which stays open until an
 * error or `close`.
 */
export function openTables(
  { shown, connect, failureOf, deletions = 'soft', scopeOf = () => '' }: TableServer,
  services: SenderServices,
): Sender {
  const idle: OpenTables[] = []
  let keptFrom: Date | undefined
  // One look-up for all scopes.
  const messagesKeptFrom = async () => (keptFrom ??= await services.messagesKeptFrom())
  const storeServices = { ...services, messagesKeptFrom }

  async function connected(timeoutMs: number, signal: AbortSignal): Promise<OpenTables> {
    for (let open = idle.pop(); open !== undefined; open = idle.pop()) if (!open.ended()) return open
    const opened = await connect({ timeoutMs, signal })
    const stores = new LRUCache<string, MessageStore>({
      max: scopesMax,
      memoMethod: (scope) => new MessageStore(opened.databaseOf(scope), storeServices, { deletions }),
    })
    return { ...opened, storeOf: (scope) => stores.memo(scope) }
  }

  return {
    async send(batch, options) {
      const deadline = startDeadline(shown, options)
      const { timeoutMs } = options
      let connection: OpenTables | undefined
      try {
        connection = await connected(timeoutMs, deadline.signal)
        deadline.ends(connection)
        const results = new Map<OutgoingMessage, SendResult>()
        const parts: ReadMessage[] = []
        for (const message of batch) {
          const part = await readRows(message, services)
          if ('outcome' in part) results.set(message, part)
          else parts.push(part)
        }
        for (const [scope, ofScope] of Map.groupBy(parts, ({ body }) => scopeOf(body))) {
          const stored = await connection.storeOf(scope).storeAll(ofScope, timeoutMs)
          for (const [index, { message }] of ofScope.entries()) results.set(message, stored[index] ?? lost)
        }
        return batch.map((message) => results.get(message) ?? lost)
      } catch (error) {
        const failure = deadline.passed() ?? failureOf(error, connection?.ended())
        if (failure instanceof OutboundError) throw failure
        return batch.map(() => failure)
      } finally {
        deadline.clear()
        if (connection !== undefined && !connection.ended()) idle.push(connection)
      }
    },
    async check(options) {
      const deadline = startDeadline(shown, options)
      let connection: TableConnection | undefined
      try {
        connection = await connect({ timeoutMs: options.timeoutMs, signal: deadline.signal })
        deadline.ends(connection)
        return await connection.check(options.timeoutMs)
      } catch (error) {
        const failure = deadline.passed() ?? failureOf(error, connection?.ended())
        if (failure instanceof OutboundError) throw failure
        return failure
      } finally {
        deadline.clear()
        connection?.end(new OutboundError('aborted', `The connection to ${shown} was closed.`))
      }
    },
    async close() {
      for (const connection of idle.splice(0))
        connection.end(new OutboundError('aborted', `The connection to ${shown} was closed.`))
    },
  }
}

const lost: SendResult = { outcome: 'retry', error: 'The message was not stored.' }
