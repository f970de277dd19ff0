import type { KeyObject } from 'node:crypto'
import { OutboundError, shownHost } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import { signatureFields } from '../envelope.ts'
import type { OutgoingMessage, Sender, SenderServices } from '../kind.ts'
import { connectRedis, type RedisConnection, type Reply } from './redis-connection.ts'
import { resultOf } from './reply-result.ts'
import { type RedisStreamSettings, type RedisTarget, targetOf } from './settings.ts'

/** Appends messages by one pipeline on one connection, which stays open until an error or `close`. */
export function openRedisStream(settings: RedisStreamSettings, services: SenderServices): Sender {
  const target = targetOf(settings)
  const shown = shownHost(target.host, target.port)
  let connection: RedisConnection | undefined
  return {
    async send(batch, options) {
      const deadline = startDeadline(shown, options)
      try {
        if (connection === undefined || connection.ended()) {
          const { signal } = deadline
          connection = await connectRedis(target, services, { timeoutMs: options.timeoutMs, signal })
          deadline.ends(connection)
          const refusal = await authenticate(connection, target)
          if (refusal) {
            const result = resultOf(refusal, shown, connection.ended())
            connection.end(new OutboundError('connect', `${shown} refused the connection.`))
            return batch.map(() => result)
          }
        } else deadline.ends(connection)
        const { project, keys } = services
        const commands = batch.map((message) => appendCommand(settings, { message, project, keys, time: options.time }))
        const replies = await connection.run(commands)
        const ended = connection.ended()
        return batch.map((_, index) => resultOf(replies[index], shown, ended))
      } catch (error) {
        throw deadline.passed() ?? error
      } finally {
        deadline.clear()
      }
    },
    async close() {
      connection?.end(new OutboundError('aborted', `The connection to ${shown} was closed.`))
    },
  }
}

/** Returns the reply that refused the connection, if one did. */
async function authenticate(
  connection: RedisConnection,
  { username, password, database }: RedisTarget,
): Promise<Reply | undefined> {
  const commands = [
    ...(password === undefined ? [] : [['auth', ...(username === undefined ? [] : [username]), password]]),
    ...(database === 0 ? [] : [['select', String(database)]]),
  ]
  for (const command of commands) {
    const [reply] = await connection.run([command])
    if (!reply || 'error' in reply) return reply ?? { error: new Error('no reply') }
  }
  return undefined
}

function appendCommand(
  { stream, maxLength }: RedisStreamSettings,
  {
    message,
    project,
    keys,
    time,
  }: { message: OutgoingMessage; project: string; keys: readonly KeyObject[]; time: Date },
): (string | Buffer | number)[] {
  const { id, kind, eventType, body } = message
  const fields = { id, kind, ...(eventType !== undefined && { eventType }), project }
  return [
    'xadd',
    stream,
    ...(maxLength === undefined ? [] : ['MAXLEN', '~', maxLength]),
    '*',
    ...Object.entries({ ...fields, ...signatureFields(keys, message, time) }).flat(),
    'body',
    body,
  ]
}
