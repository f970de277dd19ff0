import type { Kysely } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Tables } from '../../../kernel/db/index.ts'
import { Enum, MapOf, named } from '../../../kernel/http/index.ts'
import { findOrg, listProjectsOf, Project, projectResource } from '../projects/index.ts'
import { listMemberships } from './membership-store.ts'
import { Builder, type BuilderRow, builderResource, Org, orgResource } from './model.ts'

const principal = {
  principalType: Enum(['team', 'builder'], { description: 'Whom the role was given to; here always the builder.' }),
  principalId: Type.String({ description: 'Id of the team or the builder.' }),
}

export const BuilderInfo = named(
  'BuilderInfo',
  Type.Object({
    builder: Builder,
    projectRoles: MapOf(
      Type.Object({
        role: Type.String({
          description:
            '`admin` for owners of the organization, else the role in it: `developer`, `operator` or `viewer`.',
        }),
        ...principal,
        project: Project,
      }),
      { description: 'Every project that the builder has a role in, by id.' },
    ),
    orgRole: Type.Optional(
      Type.Object(
        { role: Type.String({ description: '`owner`, `developer`, `operator` or `viewer`.' }), ...principal, org: Org },
        { description: 'The organization that the builder joined first. Absent without any.' },
      ),
    ),
  }),
)
export type BuilderInfo = Static<typeof BuilderInfo>

/** Everything that a builder may reach. */
export async function builderInfo(system: Kysely<Tables>, builder: BuilderRow): Promise<BuilderInfo> {
  const principal = { principalType: 'builder' as const, principalId: builder.id }
  const projects = await listProjectsOf(system, builder.id)
  const [first] = await listMemberships(system, builder.id)
  const org = first && (await findOrg(system, first.orgId))
  return {
    builder: builderResource(builder),
    projectRoles: Object.fromEntries(
      projects.map((row) => [
        row.id,
        { role: row.role === 'owner' ? 'admin' : row.role, ...principal, project: projectResource(row) },
      ]),
    ),
    ...(org && { orgRole: { role: first.role, ...principal, org: orgResource(org) } }),
  }
}
