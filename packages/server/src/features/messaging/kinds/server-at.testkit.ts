import { createNameResolver, openSocket } from '../../../kernel/net/index.ts'

/**
 * Whether a server listens on a port of this machine, for tests with real software.
 *
 * @param name of the software; `MORTISE_REQUIRE_NAME=1` requires it
 */
export async function hasServerAt(port: number, name: string): Promise<boolean> {
  const target = { host: '127.0.0.1', port, names: createNameResolver(), timeoutMs: 2_000 }
  try {
    const socket = await openSocket({ ...target, signal: new AbortController().signal })
    socket.destroy()
    return true
  } catch (error) {
    if (process.env[`MORTISE_REQUIRE_${name.toUpperCase()}`] === '1')
      throw new Error(`there is no ${name} at 127.0.0.1:${port}`, { cause: error })
    console.warn(`Tests with a real ${name} are skipped: start one at 127.0.0.1:${port}.`)
    return false
  }
}
