import type { ProjectDb } from '../../../kernel/db/index.ts'
import { findConnection } from '../connections/index.ts'
import { type FlowOutcome, recordOutcome } from './connect-page/back-to-page.ts'
import type { FlowEnd } from './flow.ts'
import { outcomeText } from './outcome-text.ts'

/**
 * Ends a flow that components started. Returns the page of the builder that the browser goes to, with the result in its
 * query; undefined if the flow ends in its own window.
 */
export async function endFlow(
  db: ProjectDb,
  { sessionId, returnUrl }: FlowEnd,
  outcome: FlowOutcome,
): Promise<string | undefined> {
  if (sessionId !== undefined) await recordOutcome(db, sessionId, outcome)
  if (returnUrl === undefined) return undefined
  const url = new URL(returnUrl)
  for (const name of ['connectionId', 'status', 'error']) url.searchParams.delete(name)
  if ('failure' in outcome) {
    url.searchParams.set('error', outcome.failure)
    return url.href
  }
  const { connectionId, displayName } = outcome
  const row = await findConnection(db, connectionId)
  url.searchParams.set('connectionId', connectionId)
  if (row) url.searchParams.set('status', row.status)
  const { isGood, text } = row ? outcomeText(row, displayName) : { isGood: true, text: '' }
  if (!isGood) url.searchParams.set('error', text)
  return url.href
}
