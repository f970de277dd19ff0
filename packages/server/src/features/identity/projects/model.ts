import { type Static, Type } from 'typebox'
import { isId } from '../../../kernel/db/index.ts'
import { type Issue, named, Timestamp } from '../../../kernel/http/index.ts'
import { ConnectSettings } from './connect-settings.ts'

export const Project = named(
  'Project',
  Type.Object({
    id: Type.String({ description: 'Id of the project.' }),
    name: Type.String({ description: 'Unique name, in lower case; usable in paths instead of the id.' }),
    appName: Type.String({ description: 'Name that end users see while they connect an account.' }),
    logoUrl: Type.Optional(Type.String({ description: 'Address of your logo, which end users see.' })),
    connect: Type.Optional(ConnectSettings),
    agentSignInUrl: Type.Optional(
      Type.String({ description: 'Extension: page of your product that signs people in for MCP clients.' }),
    ),
    orgId: Type.String({ description: 'The organization that owns the project.' }),
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
          logRetentionDays: Type.Optional(
            Type.Object(
              { value: Type.Integer({ description: 'The number of days.' }) },
              { description: 'Days that operations and their logs are kept.' },
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
  logo_url: string | null
  connect_settings: ConnectSettings | null
  agent_sign_in_url: string | null
  create_time: Date
  update_time: Date | null
}

/** Returns the project as a resource. */
export function projectResource(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    appName: row.app_name,
    ...(row.logo_url !== null && { logoUrl: row.logo_url }),
    ...(row.connect_settings && { connect: row.connect_settings }),
    ...(row.agent_sign_in_url !== null && { agentSignInUrl: row.agent_sign_in_url }),
    orgId: row.org_id,
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}

const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9-]{0,126}[a-zA-Z0-9]$/

/**
 * Returns the issues of a project's name. Paths take an id or a name: a name that looks like an id would hide the
 * project with that id.
 */
export function nameIssues(name: string, at: string): Issue[] {
  const issue = (detail: string): Issue[] => [{ in: 'body', name: at, value: name, detail }]
  if (!namePattern.test(name))
    return issue(`${at} must be 2 to 128 letters, digits and dashes, with no dash at either end.`)
  return isId(name) ? issue(`${at} must not look like an id.`) : []
}

/** Returns the issues of an application's name. It appears on pages, so it must not have control characters. */
export function appNameIssues(appName: string, at: string): Issue[] {
  // Counts characters, not UTF-16 units. A text that is far too long is not split for that.
  const length = appName.length > 256 ? Number.POSITIVE_INFINITY : [...appName].length
  if (length >= 1 && length <= 128 && appName.trim() !== '' && !/\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u.test(appName))
    return []
  const detail = `${at} must be 1 to 128 characters, not all of them blank, without control characters.`
  return [{ in: 'body', name: at, value: appName, detail }]
}
