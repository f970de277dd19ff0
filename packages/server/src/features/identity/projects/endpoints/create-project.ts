import { Type } from 'typebox'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { endpoint, Forbidden, type Issue, needsRole, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { appNameIssues, nameIssues, Project, projectResource } from '../model.ts'
import { findOrgRole, insertProject, isNameTaken } from '../store.ts'

export const createProject = endpoint({
  id: 'createProject',
  method: 'POST',
  path: '/projects',
  access: 'builder',
  summary: 'Create a project in one of your organizations.',
  description: 'Requires the role `owner` in the organization.',
  tag: 'Projects',
  body: Type.Object({
    name: Type.String({
      description:
        '2 to 128 letters, digits and dashes, with no dash at either end; unique on the service, and stored in lower case.',
    }),
    appName: Type.String({
      description: 'Name that end users see while they connect an account; 1 to 128 characters.',
    }),
    orgId: Type.String({ description: 'The organization that will own the project.' }),
  }),
  invalidInputStatus: 422,
  reply: { 201: Project },
  problems: [Forbidden, UnacceptableInput],
  run: async ({ caller, body, note }, { database, newId }: { database: Database; newId: NewId }) => {
    const { system } = database
    const name = body.name.toLowerCase()
    const role = await findOrgRole(system, caller.builderId, body.orgId)
    if (role !== undefined && role !== 'owner') throw needsRole('owner', role, 'Creating a project')
    const issues = [...nameIssues(body.name, 'name'), ...appNameIssues(body.appName, 'appName')]
    if (issues.length === 0 && (await isNameTaken(system, name))) issues.push(taken(body.name))
    if (role === undefined) issues.push(noSuchOrg(body.orgId))
    if (issues.length > 0) throw new UnacceptableInput({ issues })
    const row = await insertProject(system, { id: newId(), orgId: body.orgId, name, appName: body.appName })
    if (!row) throw new UnacceptableInput({ issues: [taken(body.name)] })
    note({ log: row.org_id })
    return reply(201, projectResource(row))
  },
})

function taken(name: string): Issue {
  return {
    in: 'body',
    name: 'name',
    value: name,
    detail: 'A project with this name already exists.',
    remedy: 'Choose another name. Project names are unique in the whole service.',
  }
}

/** The same for one that is not there and for one that the caller has no role in. */
function noSuchOrg(orgId: string): Issue {
  return {
    in: 'body',
    name: 'orgId',
    value: orgId,
    detail: 'You have no role in an organization with this id.',
    remedy: 'Find your organization with GET /my-info.',
  }
}
