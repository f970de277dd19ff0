import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { connectFormPath } from './connect-session.ts'
import { settleConnectSession } from './connect-session-store.ts'
import { faultOf } from './fault-of.ts'
import type { WaitingPage } from './waiting-page.ts'

/** The result of a flow at a provider. */
export type FlowOutcome = { connectionId: string; displayName: string } | { failure: string }

/** Stores the result of a flow in the session that it belongs to. */
export async function recordOutcome(db: ProjectDb, sessionId: string, outcome: FlowOutcome): Promise<void> {
  const failure =
    'failure' in outcome ? outcome.failure : (await faultOf(db, outcome.connectionId, outcome.displayName))?.text
  if (failure !== undefined) await settleConnectSession(db, sessionId, { failure })
  else if ('connectionId' in outcome) await settleConnectSession(db, sessionId, { connectionId: outcome.connectionId })
}

/** Stores the result of a flow that a form started. Returns the path of the form. */
export async function backToPage(
  db: ProjectDb,
  { sessionId, token }: WaitingPage,
  outcome: FlowOutcome,
): Promise<string> {
  await recordOutcome(db, sessionId, outcome)
  return connectFormPath(token)
}
