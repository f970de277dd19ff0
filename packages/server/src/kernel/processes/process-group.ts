/**
 * The processes of one service on one machine. They share a port and a supervisor, and talk to each other through it.
 * What must survive a process, and what other nodes must know, is in the database: these messages may get lost.
 */
export interface ProcessGroup {
  /** Number of this process, from 1. It keeps its number when it is started again. */
  readonly number: number
  /** Number of processes of the service. */
  readonly count: number
  /** Sends a message to the other processes, or to one of them. */
  send(topic: string, message: unknown, to?: number): void
  /** Calls `receive` with each message of another process, and its number. */
  follow(topic: string, receive: (message: unknown, from: number) => void): void
}

/** A message on its way through the supervisor. */
export interface GroupMessage {
  topic: string
  message: unknown
  from: number
  /** All others when absent. */
  to?: number
}

export function isGroupMessage(value: unknown): value is GroupMessage {
  return typeof value === 'object' && value !== null && 'topic' in value && 'from' in value
}

/** A process that talks over the channel to its parent, such as `process` in a child process. */
export interface Channel {
  connected: boolean
  send?(message: unknown, handle: undefined, options: undefined, done: (error: Error | null) => void): boolean
  on(event: 'message', receive: (message: unknown) => void): unknown
}

/** Returns the group as a process of it sees it. */
export function joinProcessGroup(own: { number: number; count: number }, channel: Channel): ProcessGroup {
  const followers = new Map<string, ((message: unknown, from: number) => void)[]>()
  channel.on('message', (received) => {
    if (!isGroupMessage(received)) return
    for (const receive of followers.get(received.topic) ?? []) receive(received.message, received.from)
  })
  return {
    ...own,
    send(topic, message, to) {
      const sent: GroupMessage = { topic, message, from: own.number, ...(to !== undefined && { to }) }
      // The supervisor may have ended: then this process ends, too.
      if (channel.connected) channel.send?.(sent, undefined, undefined, () => undefined)
    },
    follow(topic, receive) {
      followers.set(topic, [...(followers.get(topic) ?? []), receive])
    },
  }
}
