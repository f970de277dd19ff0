import { EventEmitter } from 'node:events'
import { type GroupMessage, joinProcessGroup, type ProcessGroup } from './process-group.ts'

/** Returns the members of a group, connected as the supervisor connects processes: messages arrive later, in order. */
export function createTestGroup(count: number): ProcessGroup[] {
  const channels = Array.from({ length: count }, () => new EventEmitter())
  return channels.map((channel, index) =>
    joinProcessGroup(
      { number: index + 1, count },
      Object.assign(channel, {
        connected: true,
        send(sent: unknown) {
          const { from, to } = sent as GroupMessage
          const receivers = channels.filter((_, at) => at + 1 !== from && (to ?? at + 1) === at + 1)
          setImmediate(() => {
            for (const receiver of receivers) receiver.emit('message', structuredClone(sent))
          })
          return true
        },
      }),
    ),
  )
}
