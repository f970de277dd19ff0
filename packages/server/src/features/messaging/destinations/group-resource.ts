import { type Static, Type } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { named, Path, ProjectPath, Ref, Timestamp } from '../../../kernel/http/index.ts'
import { kindOf } from '../kinds/index.ts'
import type { DestinationGroupRow } from './group-store.ts'
import { DestinationNotByGroup, DestinationNotFound } from './problems.ts'
import { type DestinationRow, findDestination } from './store.ts'

export const DestinationGroup = named(
  'DestinationGroup',
  Type.Object({
    groupRef: Type.String({ description: 'Your id of the group.' }),
    destinationName: Type.String({
      description: 'Name of the destination that gets its messages. If it was deleted, they wait for the name.',
    }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)

export const destinationGroupPath = Path({ ...ProjectPath.properties, destination: Ref, groupRef: Ref })

export function destinationGroup(row: DestinationGroupRow): Static<typeof DestinationGroup> {
  return {
    groupRef: row.group_ref,
    destinationName: row.target_name,
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}

/** @throws DestinationNotFound, DestinationNotByGroup */
export async function findByGroup(db: ProjectDb, idOrName: string): Promise<DestinationRow> {
  const row = await findDestination(db, idOrName)
  if (!row) throw new DestinationNotFound()
  checkByGroup(row)
  return row
}

/** @throws DestinationNotByGroup */
export function checkByGroup({ name, type }: DestinationRow): void {
  if (kindOf(type).groupDefault) return
  throw new DestinationNotByGroup({ detail: `${name} is a destination of type ${type}, so groups have none there.` })
}
