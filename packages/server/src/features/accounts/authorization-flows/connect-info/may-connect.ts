import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { Forbidden } from '../../../../kernel/http/index.ts'
import type { ConnectOptions } from '../connect-page/connect-options.ts'
import type { OpenedSession } from '../connect-page/connect-session.ts'
import type { AuthenticationMethod } from '../connect-page/methods.ts'
import { missingPermissionsOf } from './connection-info.ts'
import type { TargetServices } from './target.ts'

/**
 * Rejects what a session that connects one account may no longer do. With its account connected, it can only ask that
 * account again, on the page of the provider, for permissions that it did not grant.
 *
 * @throws Forbidden
 */
export async function assertMayConnect(
  db: ProjectDb,
  services: TargetServices,
  sent: { session: OpenedSession | undefined; options: ConnectOptions; method: AuthenticationMethod },
): Promise<void> {
  const { session, options, method } = sent
  if (session?.purpose !== 'connect' || session.connectionId === undefined) return
  const { known } = options
  const isOwn = known?.connection_id === session.connectionId && method.key === 'oauth2'
  const missing = isOwn
    ? await missingPermissionsOf(db, services, session.connectionId, session.limits.integrationIds)
    : []
  if (missing.length > 0) return
  throw new Forbidden({
    detail: 'The account of this connect session is connected, so its token may only read.',
    remedy: 'Create another connect session to connect another account.',
  })
}
