import { hasLocalServer, type LocalServer, startLocalServer } from '../../../../testkit/local-server.ts'

/** Whether this machine has a Redis to test with. `MORTISE_REQUIRE_REDIS=1` requires one. */
export const hasRedisServer = () => hasLocalServer({ name: 'Redis', program: 'redis-server' })

export type RedisServer = LocalServer

/** Starts a Redis of its own that stores nothing. */
export function startRedisServer({ port = 0 } = {}): Promise<RedisServer> {
  return startLocalServer({
    program: 'redis-server',
    ready: 'Ready to accept connections',
    port,
    argumentsOf: ({ port, dir }) => [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      '--save',
      '',
      '--databases',
      '4',
    ],
  })
}
