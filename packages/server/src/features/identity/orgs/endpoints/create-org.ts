import { Type } from 'typebox'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, reply } from '../../../../kernel/http/index.ts'
import { insertOrg } from '../../projects/index.ts'
import { labelIssues } from '../body.ts'
import { insertMembership } from '../membership-store.ts'
import { Org, orgResource } from '../model.ts'

export const createOrg = endpoint({
  id: 'createOrg',
  method: 'POST',
  path: '/orgs',
  access: 'builder',
  summary: 'Create an organization. You become its owner.',
  tag: 'Organizations',
  body: Type.Object({ label: Type.String({ description: 'Its name, as people see it; 1 to 128 characters.' }) }),
  reply: { 201: Org },
  run: async ({ caller, body, note }, { database, newId }: { database: Database; newId: NewId }) => {
    const issues = labelIssues(body.label, 'label')
    if (issues.length > 0) throw new InvalidInput({ issues })
    const row = await database.system.transaction().execute(async (tx) => {
      const org = await insertOrg(tx, { id: newId(), label: body.label })
      await insertMembership(tx, { orgId: org.id, builderId: caller.builderId, role: 'owner' })
      return org
    })
    note({ log: row.id })
    return reply(201, orgResource(row))
  },
})
