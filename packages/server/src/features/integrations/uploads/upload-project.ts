import type { Database } from '../../../kernel/db/index.ts'
import { type Caller, type CallerProject, InvalidInput, NotFound } from '../../../kernel/http/index.ts'
import { listProjectsOf } from '../../identity/projects/index.ts'

/**
 * The project that an upload is for: the path names none. A key stands for its own; a builder says which, unless there
 * is one alone.
 *
 * @throws NotFound, InvalidInput
 */
export async function uploadProject(
  database: Pick<Database, 'system'>,
  { caller, project }: { caller: Caller; project?: CallerProject },
  wanted: string | undefined,
): Promise<string> {
  const own =
    caller.kind === 'builder' ? await listProjectsOf(database.system, caller.builderId) : project ? [project] : []
  if (wanted !== undefined) {
    const ref = wanted.toLowerCase()
    const found = own.find(({ id, name }) => id === ref || name.toLowerCase() === ref)
    if (!found) throw new NotFound({ detail: 'There is no such project.' })
    return found.id
  }
  const [only, ...others] = own
  if (only && others.length === 0) return only.id
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
