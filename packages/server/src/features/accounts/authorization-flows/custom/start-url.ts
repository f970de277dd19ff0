import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { CustomAuthSessionEnded } from './problems.ts'
import { customStartUri } from './redirect-uri.ts'
import { keepSession, takeSession } from './session.ts'

/**
 * Stores the page of the provider in a session that components started. Returns the URL to open, which binds the
 * session to its browser first.
 */
export async function startUrlOf(
  db: ProjectDb,
  services: { keyring: Keyring; now: () => Date; publicUrl: string },
  { url, sessionId }: { url: string; sessionId: string },
): Promise<string> {
  const session = await takeSession(db, services, sessionId)
  const state = session?.progress.state
  if (!session?.end || state === undefined) throw new CustomAuthSessionEnded()
  await keepSession(db, services, { ...session, end: { ...session.end, url } })
  return `${customStartUri(services)}?${new URLSearchParams({ state })}`
}
