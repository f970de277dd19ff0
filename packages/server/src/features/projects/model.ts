import { type Static, Type } from 'typebox'
import { named, Timestamp } from '../../kernel/http/index.ts'

export const Project = named(
  'Project',
  Type.Object({
    id: Type.String({ description: 'Id of the project.' }),
    name: Type.String({ description: 'Unique name, in lower case; usable in paths instead of the id.' }),
    appName: Type.String({ description: 'Name that end users see while they connect an account.' }),
    orgId: Type.String({ description: 'The organisation that owns the project.' }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
    entitlements: Type.Optional(
      Type.Object(
        {
          brandingRemoval: Type.Optional(
            Type.Object(
              { value: Type.Boolean({ description: 'Whether it may be left out.' }) },
              { description: 'Pages that end users see may leave out the name of the service.' },
            ),
          ),
        },
        { description: 'What the project may do; managed by the service.' },
      ),
    ),
  }),
)
export type Project = Static<typeof Project>

export interface ProjectRow {
  id: string
  org_id: string
  name: string
  app_name: string
  create_time: Date
  update_time: Date | null
}

/** The project as it is answered. */
export function projectResource(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    appName: row.app_name,
    orgId: row.org_id,
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}
