import type { ConnectSettings } from '../../../identity/projects/index.ts'
import type { OpenedSession } from './connect-session.ts'

/** Returns the origins that may show the page of a session. Origins that the project no longer has do not count. */
export function frameOriginsOf(
  { connect_settings: settings }: { connect_settings: ConnectSettings | null },
  session: OpenedSession | undefined,
): string[] {
  const allowed = settings?.frameOrigins ?? []
  const wanted = session?.content.frameOrigins
  return wanted ? allowed.filter((origin) => wanted.includes(origin)) : allowed
}
