import type { Database } from '../../../kernel/db/index.ts'
import {
  type Caller,
  type CallerProject,
  InvalidInput,
  isAtLeast,
  NotFound,
  needsRole,
  type OrgRole,
  type Problem,
} from '../../../kernel/http/index.ts'
import { listProjectsOf } from '../../identity/projects/index.ts'

/**
 * The project that an upload is for: the path names none. A key stands for its own; a builder says which, unless there
 * is one alone. A deploy follows, so a person must be a developer there.
 *
 * @throws NotFound, Forbidden, InvalidInput
 */
export async function uploadProject(
  database: Pick<Database, 'system'>,
  { caller, project }: { caller: Caller; project?: CallerProject },
  wanted: string | undefined,
): Promise<string> {
  const reachable =
    caller.kind === 'builder' ? await listProjectsOf(database.system, caller.builderId) : project ? [project] : []
  const own = reachable.filter((one) => !('role' in one) || isAtLeast(one.role, 'developer'))
  if (wanted !== undefined) {
    const ref = wanted.toLowerCase()
    const found = reachable.find(({ id, name }) => id === ref || name.toLowerCase() === ref)
    if (!found) throw new NotFound({ detail: 'There is no such project.' })
    if (!own.includes(found)) throw tooLow(found)
    return found.id
  }
  const [only, ...others] = own
  if (only && others.length === 0) return only.id
  const [first] = reachable
  if (!only && first) throw tooLow(first)
  throw new InvalidInput({
    issues: [
      {
        in: 'query',
        name: 'projectIdOrName',
        detail: only ? 'You can reach several projects: say which one.' : 'You have no project to upload for.',
        remedy: only ? 'Send the id or the name of one of them.' : 'Create a project first.',
      },
    ],
  })
}

function tooLow(project: object): Problem {
  return needsRole('developer', 'role' in project ? (project.role as OrgRole) : undefined, 'Uploading source')
}
