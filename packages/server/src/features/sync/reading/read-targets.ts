import type { Database } from '../../../kernel/db/index.ts'
import { findInstallations } from '../../integrations/installations/index.ts'
import { findDestinationsByName } from '../../messaging/destinations/index.ts'
import type { DueRead } from './due-reads.ts'
import { destinationStateOf, type ReadTarget, readObjectOf } from './open-read.ts'

/**
 * Finds the targets of claimed reads of many projects, in two statements. Leaves out objects that are not read any
 * more.
 */
export async function findReadTargets(
  { system }: Pick<Database, 'system'>,
  reads: readonly DueRead[],
): Promise<Map<DueRead, ReadTarget>> {
  if (reads.length === 0) return new Map()
  const installations = await findInstallations(
    system,
    reads.map(({ project_id: projectId, installation_id: id }) => ({ projectId, id })),
  )
  const byId = new Map(installations.map((installation) => [installation.id, installation]))
  const found = reads.flatMap((read) => {
    const installation = byId.get(read.installation_id)
    const object = installation && readObjectOf(installation, read.object_name)
    return object ? [{ read, installation, object }] : []
  })
  const destinations = await findDestinationsByName(
    system,
    found.map(({ read, object }) => ({ projectId: read.project_id, name: object.destination })),
  )
  const nameOf = (projectId: string, name: string) => `${projectId} ${name}`
  const byName = new Map(destinations.map((row) => [nameOf(row.project_id, row.name), row]))
  return new Map(
    found.map(({ read, installation, object }) => {
      const destination = byName.get(nameOf(read.project_id, object.destination))
      const destinationState = destinationStateOf(destination)
      return [read, { installation, object, destinationId: destination?.id, destinationState }]
    }),
  )
}
