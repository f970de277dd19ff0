import type { Connector } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { classifyFailure, type OpenedConnection, openConnector, providerProblem } from '../calls/index.ts'
import type { DescribeServices, MetadataTarget } from './describe-objects.ts'

const mostMsUsual = 20_000

/**
 * Calls the provider with a connection while a caller waits. Moves the connection's status by the outcome.
 *
 * @param ask receives the connector, a signal and the opened connection. The signal aborts with the caller's, or after
 *   `mostMs` (20 s by default)
 * @throws the problem of the provider's failure
 */
export async function askProvider<T>(
  db: ProjectDb,
  services: DescribeServices,
  { connectionId, module }: MetadataTarget,
  signal: AbortSignal,
  ask: (connector: Connector, signal: AbortSignal, connection: OpenedConnection) => Promise<T>,
  { mostMs = mostMsUsual }: { mostMs?: number } = {},
): Promise<T> {
  let connection: OpenedConnection | undefined
  try {
    const opened = await openConnector(db, services, connectionId, { module })
    connection = opened.connection
    const answer = await ask(opened.connector, AbortSignal.any([signal, AbortSignal.timeout(mostMs)]), connection)
    await connection.succeeded()
    return answer
  } catch (error) {
    signal.throwIfAborted()
    const failure = classifyFailure(error)
    await connection?.failed(failure)
    throw providerProblem(failure, services.now()) ?? error
  }
}
