import { issuerOf, managementPath, mcpUrl } from './addresses.ts'
import type { SignInProject } from './sign-in-project.ts'

/** Issues the tokens of one MCP server: that of a project, or the one for builders. */
export interface TokenIssuer {
  /** Of its rows. Those of the server for builders belong to no project: they have the nil id. */
  projectId: string
  /** The issuer, and the base of its endpoints. */
  url: string
  /** Addresses of the MCP server: the resource of its tokens (RFC 8707). */
  resources: readonly string[]
  resourceName: string
  scopes: readonly string[]
  /** Page where the person decides. It gets the parameter `request`. */
  signInUrl: string
}

/** Rows with this id belong to the server for builders. */
export const noProject = '00000000-0000-0000-0000-000000000000'

/** There is one scope: what the rules of the manifest allow. */
export const projectScope = 'mcp'

/** Scopes of the server for builders. The person decides which of them a session gets, whatever the client requests. */
export const readScope = 'read'
export const writeScope = 'write'

/** Returns the issuer of a project. It has the id, so that it stays when the project gets another name. */
export function projectIssuer(publicUrl: string, project: SignInProject): TokenIssuer {
  return {
    projectId: project.id,
    url: issuerOf(publicUrl, project),
    resources: [mcpUrl(publicUrl, project.id), mcpUrl(publicUrl, project.name)],
    resourceName: project.app_name,
    scopes: [projectScope],
    signInUrl: project.agent_sign_in_url,
  }
}

/** Returns the issuer of the server for builders. Its sign-in is the one of the console. */
export function managementIssuer(publicUrl: string): TokenIssuer {
  const url = `${publicUrl}${managementPath}`
  return {
    projectId: noProject,
    url,
    resources: [url],
    resourceName: 'Mortise',
    scopes: [readScope, writeScope],
    signInUrl: `${publicUrl}/signin/agent`,
  }
}

export function isForBuilders({ projectId }: Pick<TokenIssuer, 'projectId'>): boolean {
  return projectId === noProject
}
