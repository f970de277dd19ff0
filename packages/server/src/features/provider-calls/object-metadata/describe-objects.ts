import type { Catalogue, Connector } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Problem } from '../../../kernel/http/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import {
  type ConnectionHandles,
  classifyFailure,
  type OpenedConnection,
  openConnector,
  type ProviderFailure,
  providerProblem,
} from '../calls/index.ts'
import { type DescribedMetadata, metadataCacheOf, metadataKey } from './metadata-cache.ts'
import { type ObjectMetadata, withLabels } from './model.ts'

export type DescribeServices = {
  outbound: Outbound
  catalogue: Catalogue
  now: () => Date
  hooks: ConnectionHooks
  connectionHandles: ConnectionHandles
}

/** Where to ask. */
export interface MetadataTarget {
  connectionId: string
  /** Module of the integration; the provider's default module when absent. */
  module: string | undefined
}

/** Why an object is not described. */
export interface DescribeFailure extends Pick<ProviderFailure, 'scope' | 'connectionWaitMs'> {
  problem: Problem
}

export type Described = DescribedMetadata | { failure: DescribeFailure }

const atOnce = 4
/** For one object: some providers need several requests for it. */
const mostMs = 20_000

/**
 * What a provider says of some objects, asked as one connection: at most four side by side, and not again within half a
 * minute. The connection's status follows what the provider says of the credential.
 *
 * @returns one answer for each name; after a failure of the connection the rest is not asked and fails the same way
 */
export async function describeObjects(
  db: ProjectDb,
  services: DescribeServices,
  { connectionId, module }: MetadataTarget,
  names: Iterable<string>,
  signal: AbortSignal,
): Promise<Map<string, Described>> {
  const described = new Map<string, Described>()
  const waiting = [...new Set(names)]
  if (waiting.length === 0) return described
  let opened: { connector: Connector; connection: OpenedConnection }
  try {
    opened = await openConnector(db, services, connectionId, { module })
  } catch (error) {
    const failure = failureOf(error, services.now())
    return new Map(waiting.map((name) => [name, { failure }]))
  }
  const { connector, connection } = opened
  const cache = metadataCacheOf(services.catalogue.version)
  const keyOf = (name: string) => metadataKey(connection, module, name)
  let unusable: DescribeFailure | undefined
  let asked = false

  const ask = async (name: string): Promise<Described> => {
    const known = cache.get(keyOf(name), services.now())
    if (known) return known
    if (unusable) return { failure: unusable }
    try {
      const answer = await connector.describeObject(name, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(mostMs)]),
      })
      asked = true
      const found: DescribedMetadata = {
        metadata: withLabels(answer),
        ...(answer.incomplete && { incomplete: true }),
        ...(answer.declaration !== undefined && { declaration: answer.declaration }),
      }
      cache.set(keyOf(name), found, services.now())
      return found
    } catch (error) {
      signal.throwIfAborted()
      const failure = failureOf(error, services.now())
      if (isOfConnection(failure)) unusable = failure
      await connection.failed(failure)
      return { failure }
    }
  }
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) described.set(name, await ask(name))
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, waiting.length) }, worker))
  if (asked && !unusable) await connection.succeeded()
  return described
}

/** Whether no object of the connection can be described. */
export function isOfConnection({ scope }: DescribeFailure): boolean {
  return scope === 'connection' || scope === 'credential'
}

/** The failure of an object. @throws an error that has no problem */
function failureOf(error: unknown, now: Date): DescribeFailure {
  const failure = classifyFailure(error)
  const problem = providerProblem(failure, now)
  if (!problem) throw error
  return { ...failure, problem }
}

/** The same for one object. @throws the problem that its failure stands for */
export async function describeObject(
  db: ProjectDb,
  services: DescribeServices,
  target: MetadataTarget,
  name: string,
  signal: AbortSignal,
): Promise<ObjectMetadata> {
  const described = (await describeObjects(db, services, target, [name], signal)).get(name)
  if (!described) throw new Error('the requested object is missing in the result')
  if ('failure' in described) throw described.failure.problem
  return described.metadata
}
