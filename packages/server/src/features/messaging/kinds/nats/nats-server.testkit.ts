import path from 'node:path'
import { hasLocalServer, type LocalServer, startLocalServer } from '../../../../testkit/local-server.ts'

/** Whether this machine has a NATS to test with. `MORTISE_REQUIRE_NATS=1` requires one. */
export const hasNatsServer = () => hasLocalServer({ name: 'NATS', program: 'nats-server' })

export type NatsServer = LocalServer

/**
 * Starts a NATS with JetStream that stores in a folder that is removed with it.
 *
 * @param settings.files by name: the configuration can name them below `%DIR%`
 */
export function startNatsServer({
  configuration = '',
  files = {},
  port = 0,
}: {
  configuration?: string
  files?: Record<string, string>
  port?: number
} = {}): Promise<NatsServer> {
  const shared = 'listen: "127.0.0.1:%PORT%"\njetstream { store_dir: "%DIR%/store" }\n'
  return startLocalServer({
    program: 'nats-server',
    ready: 'Server is ready',
    port,
    files: { ...files, 'nats.conf': shared + configuration },
    argumentsOf: ({ dir }) => ['-c', path.join(dir, 'nats.conf')],
  })
}
