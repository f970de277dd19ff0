import { Type } from 'typebox'
import { endpoint, InvalidInput, type Issue, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { credentialsTopic, type PubSub } from '../../../../kernel/pubsub/index.ts'
import { appNameIssues, nameIssues, Project, projectResource } from '../model.ts'
import { ProjectNameTaken } from '../problems.ts'
import { updateProjectRow } from '../store.ts'

const masks = ['appName', 'name'] as const

export const updateProject = endpoint({
  id: 'updateProject',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}',
  access: 'full',
  summary: 'Change the names of a project.',
  description:
    'Paths accept the new name immediately. For up to five seconds, another node may still know the project by its old name.',
  tag: 'Projects',
  params: ProjectPath,
  body: Type.Object({
    updateMask: Type.Array(Type.String(), { minItems: 1, description: 'What to change: `appName`, `name`.' }),
    project: Type.Object(
      {
        name: Type.Optional(Type.String({ description: '2 to 128 letters, digits and dashes; stored in lower case.' })),
        appName: Type.Optional(Type.String({ description: 'Name that end users see; 1 to 128 characters.' })),
      },
      { description: 'The new values. What updateMask does not list is ignored.' },
    ),
  }),
  reply: { 200: Project },
  problems: [ProjectNameTaken],
  run: async ({ db, body: { updateMask, project } }, { pubsub }: { pubsub: PubSub }) => {
    const issues: Issue[] = updateMask.flatMap((mask, index) => maskIssues(mask, index, project))
    const listed = (mask: string) => updateMask.includes(mask)
    const name = listed('name') ? project.name : undefined
    const appName = listed('appName') ? project.appName : undefined
    if (name !== undefined) issues.push(...nameIssues(name, 'project.name'))
    if (appName !== undefined) issues.push(...appNameIssues(appName, 'project.appName'))
    if (issues.length > 0) throw new InvalidInput({ issues })
    const change = {
      ...(name !== undefined && { name: name.toLowerCase() }),
      ...(appName !== undefined && { appName }),
    }
    const row = await updateProjectRow(db, change).catch((error: { code?: unknown }) => {
      throw error.code === '23505' ? new ProjectNameTaken({ cause: error }) : error
    })
    // Cached credentials contain the project's name. On this node, the new name applies immediately.
    if (change.name !== undefined) pubsub.notifyLocal(credentialsTopic, { table: 'projects', id: db.projectId })
    return reply(200, projectResource(row))
  },
})

/** Returns issues for unknown masks, and for masks without a value (contract 3.16). */
function maskIssues(mask: string, index: number, project: { name?: string; appName?: string }): Issue[] {
  const at = `updateMask[${index}]`
  const known = masks.find((candidate) => candidate === mask)
  if (known === undefined)
    return [
      {
        in: 'body',
        name: at,
        value: mask,
        detail: 'This cannot be updated on a project.',
        remedy: `List only ${masks.join(', ')}.`,
      },
    ]
  if (project[known] !== undefined) return []
  return [
    {
      in: 'body',
      name: `project.${mask}`,
      detail: `${at} lists ${mask}, but project has no value for it.`,
      remedy: `Give project.${mask}, or leave it out of updateMask.`,
    },
  ]
}
