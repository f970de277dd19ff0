import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { connectPagePath } from './connect-session.ts'
import { settleConnectSession } from './connect-session-store.ts'
import { faultOf } from './fault-of.ts'
import type { WaitingPage } from './waiting-page.ts'

/** Tells a page what came of the way through a provider. Answers where it is. */
export async function backToPage(
  db: ProjectDb,
  { sessionId, token }: WaitingPage,
  outcome: { connectionId: string; displayName: string } | { failure: string },
): Promise<string> {
  const failure = 'failure' in outcome ? outcome.failure : await faultOf(db, outcome.connectionId, outcome.displayName)
  if (failure !== undefined) await settleConnectSession(db, sessionId, { failure })
  else if ('connectionId' in outcome) await settleConnectSession(db, sessionId, { connectionId: outcome.connectionId })
  return connectPagePath(token)
}
