import type { Database, NewId } from '../../../kernel/db/index.ts'
import { listMemberships } from '../../identity/orgs/index.ts'
import type { SessionOwner } from '../../identity/sign-in/index.ts'
import {
  type BuilderTokens,
  endSession,
  extendSession,
  findSession,
  startSession,
} from '../../identity/sign-in/index.ts'
import type { SignInRow } from './sign-in-store.ts'

/**
 * An agent of a builder acts in a session of this person, which has the id of the agent session. It is in the list of
 * the person's sessions, and whatever ends it (a new password, the end of the account) ends the agent session. So does
 * the end of the last membership.
 */

/** Finds the person of a session, who belongs to an organization. */
export async function findBuilderSession(
  { database, now }: { database: Database; now: () => Date },
  sessionId: string,
): Promise<SessionOwner | undefined> {
  const owner = await findSession(database.system, sessionId, now())
  return owner && (await listMemberships(database.system, owner.builderId)).length > 0 ? owner : undefined
}

export interface BuilderSessionServices {
  database: Database
  now: () => Date
  builderTokens: BuilderTokens
}

/**
 * Starts the session of a person who has decided in the browser. Returns undefined if the session of the browser has
 * ended since.
 */
export async function startBuilderSession(
  { database, now }: BuilderSessionServices,
  { builder_session_id: browserSessionId, client_name: client, may_change: mayChange }: SignInRow,
  { sessionId, address, expireTime }: { sessionId: string; address: string; expireTime: Date },
): Promise<SessionOwner | undefined> {
  const owner = browserSessionId === null ? undefined : await findSession(database.system, browserSessionId, now())
  if (!owner) return undefined
  const newId: NewId = () => sessionId
  await startSession(
    database.system,
    { newId, now },
    {
      builderId: owner.builderId,
      kind: 'agent',
      method: owner.method ?? undefined,
      origin: { address, userAgent: client },
      mayChange,
      expireTime,
    },
  )
  return owner
}

/** Extends the session with its agent session. Returns its owner; undefined if it has ended. */
export async function extendBuilderSession(
  services: BuilderSessionServices,
  sessionId: string,
  expireTime: Date,
): Promise<SessionOwner | undefined> {
  const { database } = services
  const owner = await findBuilderSession(services, sessionId)
  if (owner) await extendSession(database.system, sessionId, expireTime)
  return owner
}

/** Ends the session. Returns its owner, if it had not ended before. */
export async function endBuilderSession(
  services: BuilderSessionServices,
  sessionId: string,
): Promise<SessionOwner | undefined> {
  const owner = await findSession(services.database.system, sessionId, services.now())
  if (owner) await endSession(services, sessionId)
  return owner
}
