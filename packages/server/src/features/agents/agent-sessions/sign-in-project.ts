import type { Database } from '../../../kernel/db/index.ts'
import { NotFound } from '../../../kernel/http/index.ts'
import { findProjectRow, type ProjectRow } from '../../identity/projects/index.ts'

/** A project whose MCP server people can sign in to. */
export type SignInProject = ProjectRow & { agent_sign_in_url: string }

/** Finds a project by its id or name; undefined if it has no sign-in page. */
export async function findSignInProject(
  { database }: { database: Database },
  idOrName: string,
): Promise<SignInProject | undefined> {
  const row = await findProjectRow(database.system, idOrName)
  return row?.agent_sign_in_url ? { ...row, agent_sign_in_url: row.agent_sign_in_url } : undefined
}

/** The same. A project without a sign-in page looks like none. @throws NotFound */
export async function signInProject(services: { database: Database }, idOrName: string): Promise<SignInProject> {
  const project = await findSignInProject(services, idOrName)
  if (!project) throw new NotFound({ detail: 'Nobody can sign in here.', remedy: 'Set agentSignInUrl of the project.' })
  return project
}
