import { Type } from 'typebox'
import { endpoint, InvalidInput, type Issue, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { credentialsTopic, type PubSub } from '../../../../kernel/pubsub/index.ts'
import { agentSignInUrlIssues } from '../agent-sign-in-url.ts'
import { ConnectSettings, connectIssues, logoIssues } from '../connect-settings.ts'
import { appNameIssues, nameIssues, Project, projectResource } from '../model.ts'
import { ProjectNameTaken } from '../problems.ts'
import { updateProjectRow } from '../store.ts'

const connectParts = ['theme', 'frameOrigins', 'language', 'messages'] as const
const masks = [
  'appName',
  'name',
  'logoUrl',
  'agentSignInUrl',
  'connect',
  ...connectParts.map((part) => `connect.${part}` as const),
]

export const updateProject = endpoint({
  id: 'updateProject',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}',
  access: 'develop',
  summary: 'Change the names, the logo and the settings of a project.',
  description:
    'Paths accept the new name immediately. For up to five seconds, another node may still know the project by its old name.',
  tag: 'Projects',
  params: ProjectPath,
  body: Type.Object({
    updateMask: Type.Array(Type.String(), {
      minItems: 1,
      description:
        'What to change: `appName`, `name`, `logoUrl`, `agentSignInUrl`, `connect`, or a part of it: `connect.theme`, `connect.frameOrigins`, `connect.language`, `connect.messages`. What is listed is replaced as a whole.',
    }),
    project: Type.Object(
      {
        name: Type.Optional(Type.String({ description: '2 to 128 letters, digits and dashes; stored in lower case.' })),
        appName: Type.Optional(Type.String({ description: 'Name that end users see; 1 to 128 characters.' })),
        logoUrl: Type.Optional(
          Type.String({ maxLength: 2_000, description: 'Address of your logo: `https`. An empty text removes it.' }),
        ),
        connect: Type.Optional(ConnectSettings),
        agentSignInUrl: Type.Optional(
          Type.String({
            maxLength: 2_000,
            description:
              'Extension: page of your product that signs people in for MCP clients: `https`, or `http` for localhost. An empty text removes it.',
          }),
        ),
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
    const logoUrl = listed('logoUrl') ? project.logoUrl : undefined
    if (logoUrl !== undefined) issues.push(...logoIssues(logoUrl, 'project.logoUrl'))
    const agentSignInUrl = listed('agentSignInUrl') ? project.agentSignInUrl : undefined
    if (agentSignInUrl !== undefined) issues.push(...agentSignInUrlIssues(agentSignInUrl, 'project.agentSignInUrl'))
    const connect = connectChange(updateMask, project.connect ?? {})
    if (connect) issues.push(...connectIssues(connect, 'project.connect'))
    if (issues.length > 0) throw new InvalidInput({ issues })
    const change = {
      ...(name !== undefined && { name: name.toLowerCase() }),
      ...(appName !== undefined && { appName }),
      ...(logoUrl !== undefined && { logoUrl: logoUrl || null }),
      ...(agentSignInUrl !== undefined && { agentSignInUrl: agentSignInUrl || null }),
      ...(connect && { connect: storedConnect(updateMask, connect) }),
    }
    const row = await updateProjectRow(db, change).catch((error: { code?: unknown }) => {
      throw error.code === '23505' ? new ProjectNameTaken({ cause: error }) : error
    })
    // Cached credentials contain the project's name. On this node, the new name applies immediately.
    if (change.name !== undefined) pubsub.notifyLocal(credentialsTopic, { table: 'projects', id: db.projectId })
    return reply(200, projectResource(row))
  },
})

/** Returns the settings that the mask lists; undefined if it lists none. */
function connectChange(updateMask: readonly string[], connect: ConnectSettings): ConnectSettings | undefined {
  if (updateMask.includes('connect')) return connect
  const parts = connectParts.filter((part) => updateMask.includes(`connect.${part}`))
  return parts.length === 0
    ? undefined
    : Object.fromEntries(parts.flatMap((part) => (connect[part] === undefined ? [] : [[part, connect[part]]])))
}

/** Returns what to store: null removes a part. The mask `connect` replaces all of them. */
function storedConnect(updateMask: readonly string[], connect: ConnectSettings): Record<string, unknown> {
  const known = {
    ...(connect.theme && { theme: connect.theme }),
    ...(connect.frameOrigins && { frameOrigins: connect.frameOrigins }),
    ...(connect.language && { language: connect.language }),
    ...(connect.messages && { messages: connect.messages }),
  }
  const listed = connectParts.filter((part) => updateMask.includes('connect') || updateMask.includes(`connect.${part}`))
  return { ...Object.fromEntries(listed.map((part) => [part, null])), ...known }
}

/** Returns issues for unknown masks, and for masks without a value (contract 3.16). */
function maskIssues(mask: string, index: number, project: ProjectChange): Issue[] {
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
  if (isDefined(project, known)) return []
  return [
    {
      in: 'body',
      name: `project.${mask}`,
      detail: `${at} lists ${mask}, but project has no value for it.`,
      remedy: `Give project.${mask}, or leave it out of updateMask.`,
    },
  ]
}

interface ProjectChange {
  name?: string
  appName?: string
  logoUrl?: string
  agentSignInUrl?: string
  connect?: ConnectSettings
}

function isDefined(project: ProjectChange, mask: (typeof masks)[number]): boolean {
  const part = connectParts.find((candidate) => mask === `connect.${candidate}`)
  if (part !== undefined) return project.connect?.[part] !== undefined
  return project[mask as keyof ProjectChange] !== undefined
}
