import { OutboundError, shownHost } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { MessageStore, type ParsedMessage } from './message-store.ts'
import { connectPostgres, failureOf, isServerError, type PostgresConnection } from './postgres-connection.ts'
import { refusalOf } from './refusal.ts'
import { isByUrl, rowsOf } from './rows.ts'
import { type PostgresSettings, targetOf } from './settings.ts'

/**
 * Stores the records of messages in one transaction on one connection, which stays open until an error or `close`. If
 * the data of a message cannot be stored, each message gets a separate transaction.
 */
export function openPostgres(settings: PostgresSettings, services: SenderServices): Sender {
  const { host, port } = targetOf(settings)
  const shown = shownHost(host, port)
  const schema = settings.schema ?? 'public'
  let connection: (PostgresConnection & { store: MessageStore }) | undefined

  async function connected(deadline: ReturnType<typeof startDeadline>, timeoutMs: number): Promise<MessageStore> {
    if (connection === undefined || connection.ended()) {
      const opened = await connectPostgres(settings, services, { timeoutMs, signal: deadline.signal })
      connection = { ...opened, store: new MessageStore(opened.client, { schema, shown }) }
    }
    deadline.ends(connection)
    return connection.store
  }

  return {
    async send(batch, options) {
      const deadline = startDeadline(shown, options)
      const { timeoutMs } = options
      try {
        const store = await connected(deadline, timeoutMs)
        const results = new Map<OutgoingMessage, SendResult>()
        const parts: ParsedMessage[] = []
        for (const message of batch) {
          const part = await parsed(message, services)
          if ('outcome' in part) results.set(message, part)
          else parts.push(part)
        }
        const stored = await store.storeAll(parts, timeoutMs)
        for (const [index, { message }] of parts.entries()) results.set(message, stored[index] ?? lost)
        return batch.map((message) => results.get(message) ?? lost)
      } catch (error) {
        const failure = deadline.passed() ?? failureOf(error, connection?.ended(), shown)
        if (isServerError(failure)) return batch.map(() => refusalOf(failure, shown))
        throw failure
      } finally {
        deadline.clear()
      }
    },
    async close() {
      connection?.end(new OutboundError('aborted', `The connection to ${shown} was closed.`))
    },
  }
}

const lost: SendResult = { outcome: 'retry', error: 'The message was not stored.' }

/** Reads a message, and its result where that is not in it. */
async function parsed(
  message: OutgoingMessage,
  { loadResult }: Pick<SenderServices, 'loadResult'>,
): Promise<ParsedMessage | SendResult> {
  const body = JSON.parse(message.body.toString()) as object
  if (!isByUrl(body)) return { message, body, rows: rowsOf(message, body) }
  const result = await loadResult(message.id)
  if (result === undefined) return { outcome: 'refused', error: 'The records of the message are not kept any more.' }
  return { message, body, rows: rowsOf(message, body, JSON.parse(result.toString())) }
}
