import type { Worker } from 'node:cluster'

/** The part of a handle of `node:net` that is used here. */
interface ConnectionHandle {
  /** -1 once it is closed. */
  readonly fd: number
  close(): void
}

/**
 * Closes the connections that a process was given but had not accepted when it ended. `node:cluster` keeps its copy of
 * a connection until the process confirms it. After a process was killed, nobody would ever answer or close the
 * connection, and its client would wait for its own timeout. When it is closed, the client can connect again.
 */
export function closeUnaccepted(worker: Worker): void {
  const given = new Set<ConnectionHandle>()
  const child = worker.process
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = ((message: unknown, handle?: unknown, ...rest: unknown[]) => {
    if (isConnection(message, handle)) {
      for (const earlier of given) if (earlier.fd === -1) given.delete(earlier)
      given.add(handle)
    }
    return send(message, handle, ...rest)
  }) as typeof child.send
  worker.once('exit', () => {
    for (const handle of given) if (handle.fd !== -1) handle.close()
  })
}

/** Returns whether a message of `node:cluster` passes on a connection. */
function isConnection(message: unknown, handle: unknown): handle is ConnectionHandle {
  return (message as { act?: unknown }).act === 'newconn' && typeof handle === 'object' && handle !== null
}
