import type { Connector } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { classifyFailure, type OpenedConnection, openConnector, providerProblem } from '../calls/index.ts'
import type { DescribeServices, Place } from './describe-objects.ts'

const mostMsUsual = 20_000

/**
 * Asks a provider something while somebody waits, as one connection, whose status follows what the provider says of the
 * credential.
 *
 * @param ask told of the opened connection and how long it may take: the caller's signal, and `mostMs`, twenty seconds
 *   when absent
 * @throws the problem that a failure of the provider stands for
 */
export async function askProvider<T>(
  db: ProjectDb,
  services: DescribeServices,
  { connectionId, module }: Place,
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
