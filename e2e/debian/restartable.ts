import type { Server } from './web-user.ts'

/** A server that can be ended and started again, with the same data at the same address. */
export interface Restartable extends AsyncDisposable {
  /** Ends it. */
  stop(): Promise<void>
  /** Starts it again, and waits until it listens. */
  start(): Promise<void>
}

/** @param launch starts the server and waits until it listens */
export async function startRestartable(launch: () => Promise<Server>): Promise<Restartable> {
  let server: Server | undefined = await launch()
  const stop = async () => {
    await server?.[Symbol.asyncDispose]()
    server = undefined
  }
  return {
    stop,
    async start() {
      await stop()
      server = await launch()
    },
    [Symbol.asyncDispose]: stop,
  }
}
