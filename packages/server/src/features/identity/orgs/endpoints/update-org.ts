import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, type Issue, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { updateOrgRow } from '../../projects/index.ts'
import { bodyIssue, labelIssues } from '../body.ts'
import { Org, orgResource } from '../model.ts'

const masks = ['label', 'requireSecondFactor'] as const
type Mask = (typeof masks)[number]

export const updateOrg = endpoint({
  id: 'updateOrg',
  method: 'PATCH',
  path: '/orgs/{orgId}',
  access: 'owner',
  summary: 'Change the label of an organization, and whether its members need a second factor.',
  tag: 'Organizations',
  params: Path({ orgId: Ref }),
  body: Type.Object({
    updateMask: Type.Array(Type.String(), {
      minItems: 1,
      description: 'What to change: `label`, `requireSecondFactor`.',
    }),
    org: Type.Object(
      {
        label: Type.Optional(Type.String({ description: 'Its name, as people see it; 1 to 128 characters.' })),
        requireSecondFactor: Type.Optional(
          Type.Boolean({
            description:
              'Whether members need a second factor. Members without one must set one up before they can do anything else.',
          }),
        ),
      },
      { description: 'The new values. What updateMask does not list is ignored.' },
    ),
  }),
  reply: { 200: Org },
  problems: [NotFound],
  run: async ({ org, body }, { database }: { database: Database }) => {
    const issues: Issue[] = body.updateMask.flatMap((mask, index) => maskIssues(mask, index, body.org))
    const listed = (mask: Mask) => body.updateMask.includes(mask)
    const label = listed('label') ? body.org.label : undefined
    const requireSecondFactor = listed('requireSecondFactor') ? body.org.requireSecondFactor : undefined
    if (label !== undefined) issues.push(...labelIssues(label, 'org.label'))
    if (issues.length > 0) throw new InvalidInput({ issues })
    const row = await updateOrgRow(database.system, org.id, { label, requireSecondFactor })
    if (!row) throw new NotFound({ detail: 'Organization not found.' })
    return reply(200, orgResource(row))
  },
})

/** Contract 3.16: what is not a mask, and a mask without a value. */
function maskIssues(mask: string, index: number, org: { [M in Mask]?: unknown }): Issue[] {
  const at = `updateMask[${index}]`
  if (!isMask(mask))
    return [bodyIssue(at, mask, 'This value of an organization cannot be updated.', `List only ${masks.join(', ')}.`)]
  if (org[mask] !== undefined) return []
  return [
    {
      in: 'body',
      name: `org.${mask}`,
      detail: `${at} lists ${mask}, but org has no value for it.`,
      remedy: `Give org.${mask}, or leave it out of updateMask.`,
    },
  ]
}

function isMask(mask: string): mask is Mask {
  return (masks as readonly string[]).includes(mask)
}
