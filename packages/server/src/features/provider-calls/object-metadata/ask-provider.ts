import type { Connector } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import {
  classifyFailure,
  connectorOf,
  type OpenedConnection,
  openProviderAccess,
  type ProviderAccess,
  type ProviderCall,
  providerProblem,
} from '../calls/index.ts'
import type { DescribeServices, MetadataTarget } from './describe-objects.ts'

const mostMsUsual = 20_000

type CallOptions = { mostMs?: number; calls?: ProviderCall[] }

/**
 * Calls the provider with a connection while a caller waits. Moves the connection's status by the outcome.
 *
 * @param ask receives the connector, a signal and the opened connection. The signal aborts with the caller's, or after
 *   `mostMs` (20 s by default)
 * @param options.calls gets each request once it has ended
 * @throws the problem of the provider's failure
 */
export async function askProvider<T>(
  db: ProjectDb,
  services: DescribeServices,
  target: MetadataTarget,
  signal: AbortSignal,
  ask: (connector: Connector, signal: AbortSignal, connection: OpenedConnection) => Promise<T>,
  options?: CallOptions,
): Promise<T> {
  return await callProvider(
    db,
    services,
    target,
    signal,
    (access, within) => ask(connectorOf(access, services), within, access.connection),
    options,
  )
}

/**
 * As `askProvider`, for requests that need no objects of the provider file.
 *
 * @throws the problem of the provider's failure
 */
export async function callProvider<T>(
  db: ProjectDb,
  services: DescribeServices,
  { connectionId, module }: MetadataTarget,
  signal: AbortSignal,
  ask: (access: ProviderAccess, signal: AbortSignal) => Promise<T>,
  { mostMs = mostMsUsual, calls }: CallOptions = {},
): Promise<T> {
  const deadline = deadlineOf(signal, mostMs)
  let connection: OpenedConnection | undefined
  try {
    const access = await openProviderAccess(db, services, connectionId, { module, ...(calls && { calls }) })
    connection = access.connection
    const answer = await ask(access, deadline.signal)
    await connection.succeeded()
    return answer
  } catch (error) {
    signal.throwIfAborted()
    const failure = classifyFailure(error)
    await connection?.failed(failure)
    throw providerProblem(failure, services.now()) ?? error
  } finally {
    deadline.end()
  }
}

/**
 * Returns a signal that aborts with another one or after a time. Unlike `AbortSignal.timeout`, it keeps no
 * timer when it has ended: a busy node would have those of many thousand calls.
 */
function deadlineOf(signal: AbortSignal, ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const follow = () => controller.abort(signal.reason)
  const timer = setTimeout(
    () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    ms,
  )
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', follow)
    },
  }
}
