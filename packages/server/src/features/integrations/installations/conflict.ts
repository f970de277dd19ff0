import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Problem } from '../../../kernel/http/index.ts'
import { refused } from './problems.ts'
import { findInstallationId } from './store.ts'

/** The problem of installing what is installed. */
export function installedAlready(installationId: string): Problem {
  return refused({
    in: 'body',
    name: 'connectionId',
    detail: `The group has installed this integration on this connection already: ${installationId}.`,
    remedy: 'Update that installation instead.',
    context: { installationId },
  })
}

/**
 * What the database's refusals mean: somebody else installed the same (23505), or deleted what the installation stands
 * on (23503).
 */
export async function asConflict(
  db: ProjectDb,
  error: unknown,
  identity: Parameters<typeof findInstallationId>[1],
): Promise<unknown> {
  const { code, table } = (error ?? {}) as { code?: unknown; table?: unknown }
  if (table !== 'installations' && table !== 'configs') return error
  if (code === '23505') return installedAlready((await findInstallationId(db, identity)) ?? '')
  if (code === '23503')
    return refused({
      in: 'body',
      name: 'connectionId',
      detail: 'The connection or the integration was deleted meanwhile.',
    })
  return error
}
