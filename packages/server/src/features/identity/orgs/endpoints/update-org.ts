import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, type Issue, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { updateOrgLabel } from '../../projects/index.ts'
import { bodyIssue, labelIssues } from '../body.ts'
import { Org, orgResource } from '../model.ts'

export const updateOrg = endpoint({
  id: 'updateOrg',
  method: 'PATCH',
  path: '/orgs/{orgId}',
  access: 'owner',
  summary: 'Change the label of an organization.',
  tag: 'Organizations',
  params: Path({ orgId: Ref }),
  body: Type.Object({
    updateMask: Type.Array(Type.String(), { minItems: 1, description: 'What to change: `label`.' }),
    org: Type.Object(
      { label: Type.Optional(Type.String({ description: 'Its name, as people see it; 1 to 128 characters.' })) },
      { description: 'The new value. What updateMask does not list is ignored.' },
    ),
  }),
  reply: { 200: Org },
  problems: [NotFound],
  run: async ({ org, body }, { database }: { database: Database }) => {
    const { label } = body.org
    const issues: Issue[] = body.updateMask.flatMap((mask, index) => maskIssues(mask, index, label))
    if (label !== undefined && body.updateMask.includes('label')) issues.push(...labelIssues(label, 'org.label'))
    if (issues.length > 0 || label === undefined) throw new InvalidInput({ issues })
    const row = await updateOrgLabel(database.system, org.id, label)
    if (!row) throw new NotFound({ detail: 'Organization not found.' })
    return reply(200, orgResource(row))
  },
})

/** Contract 3.16: what is not a mask, and a mask without a value. */
function maskIssues(mask: string, index: number, label: string | undefined): Issue[] {
  const at = `updateMask[${index}]`
  if (mask !== 'label')
    return [bodyIssue(at, mask, 'This value of an organization cannot be updated.', 'List only label.')]
  if (label !== undefined) return []
  return [
    {
      in: 'body',
      name: 'org.label',
      detail: `${at} lists label, but org has no value for it.`,
      remedy: 'Give org.label, or leave it out of updateMask.',
    },
  ]
}
