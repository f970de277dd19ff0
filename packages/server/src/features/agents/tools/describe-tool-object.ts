import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import {
  type DescribeServices,
  describeObjects,
  type ObjectMetadata,
} from '../../provider-calls/object-metadata/index.ts'

/**
 * Returns what the provider says of objects of an installation. An object that the provider does not describe is
 * missing: its tools have the fields that manifest and config name.
 */
export async function describeToolObjects(
  db: ProjectDb,
  services: DescribeServices,
  { connectionId, module }: Pick<InstallationRecord, 'connectionId' | 'module'>,
  names: Iterable<string>,
  signal: AbortSignal,
): Promise<{ described: Map<string, ObjectMetadata>; failure: Error | undefined }> {
  const found = await describeObjects(db, services, { connectionId, module }, names, signal)
  const described = new Map<string, ObjectMetadata>()
  let failure: Error | undefined
  for (const [name, one] of found) {
    if ('metadata' in one) described.set(name, one.metadata)
    else if (one.failure.scope === 'credential' || one.failure.scope === 'connection') failure ??= one.failure.problem
  }
  return { described, failure }
}
