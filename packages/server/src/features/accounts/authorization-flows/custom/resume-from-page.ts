import type { Database, ProjectDb } from '../../../../kernel/db/index.ts'
import { isSameBytes } from '../../../../kernel/encryption/index.ts'
import { type AuditNote, actorOfAuthor } from '../../../../kernel/http/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { findAppName } from '../../../identity/projects/index.ts'
import { browserSecretOf } from '../browser-cookie.ts'
import { backToPage, type FlowOutcome } from '../connect-page/back-to-page.ts'
import { endFlow } from '../end-flow.ts'
import type { FlowEnd } from '../flow.ts'
import { failurePage, successPage } from '../show-outcome.ts'
import { CustomAuthRefused, CustomAuthSessionEnded, CustomAuthUnavailable } from './problems.ts'
import { runAuthenticationSteps, type StepServices } from './run-authentication-steps.ts'
import { hashedBrowser, type Session, type Waiting } from './session.ts'

export type GoOnServices = StepServices & { database: Database; log: Logger }

/**
 * Resumes multi-step authentication that a connect page or components started, in the browser that it belongs to.
 * Returns where the browser goes next, or the page that ends its window; undefined for another browser, or if neither
 * waits.
 */
export async function resumeFromPage(
  services: GoOnServices,
  { projectId, session: { page, end }, take }: Waiting,
  back: {
    params: Record<string, string>
    headers: Record<string, string | string[] | undefined>
    signal: AbortSignal
    isForm: boolean
    note: (note: AuditNote) => void
  },
): Promise<{ location: string } | { page: string; status: 200 | 400 } | undefined> {
  const browserHash = page?.browserHash ?? end?.browserHash
  if (browserHash === undefined) return undefined
  const { params, headers, signal, isForm, note } = back
  // A browser sends no cookies with a form from another site, but it does with a redirect.
  if (isForm) return { location: `/callbacks/v1/custom-auth/default?${new URLSearchParams(params)}` }
  const browserSecret = browserSecretOf(services, headers)
  if (browserSecret === undefined) return undefined
  if (!isSameBytes(Buffer.from(hashedBrowser(browserSecret)), Buffer.from(browserHash))) return undefined
  const db = services.database.forProject(projectId)
  const session = await take(db)
  if (!session) return undefined
  const { provider } = session
  const displayName = services.catalogue.find(provider)?.displayName ?? provider
  const leave = (outcome: FlowOutcome) => leaveFlow(db, { page, end, displayName }, outcome)
  try {
    const outcome = await runAuthenticationSteps(db, services, session, { params, signal })
    if ('redirect' in outcome) return { location: outcome.redirect.url }
    const { connectionId } = outcome
    const actor = actorOfAuthor(undefined, page?.sessionId ?? end?.sessionId)
    note({ outcome: 'success', log: projectId, resourceId: connectionId, actor })
    services.log.info({ projectId, provider, connectionId }, 'connected an account on a page')
    return await leave({ connectionId, displayName })
  } catch (error) {
    const isExpected =
      error instanceof CustomAuthRefused ||
      error instanceof CustomAuthUnavailable ||
      error instanceof CustomAuthSessionEnded
    if (!isExpected) services.log.error({ projectId, provider, err: error }, 'failed to connect an account on a page')
    return await leave({
      failure: isExpected
        ? (error as Error).message
        : 'Something went wrong on our side. Nothing was connected. Try again.',
    })
  }
}

async function leaveFlow(
  db: ProjectDb,
  { page, end, displayName }: { page: Session['page'] | undefined; end: FlowEnd | undefined; displayName: string },
  outcome: FlowOutcome,
): Promise<{ location: string } | { page: string; status: 200 | 400 }> {
  if (page) return { location: await backToPage(db, page, outcome) }
  const location = await endFlow(db, end ?? {}, outcome)
  if (location !== undefined) return { location }
  const appName = await findAppName(db)
  const openerOrigin = end?.openerOrigin
  if ('failure' in outcome) {
    const title = `${displayName} was not connected`
    return { page: failurePage(outcome.failure, { title, openerOrigin, appName }), status: 400 }
  }
  const { connectionId } = outcome
  return { page: await successPage(db, { openerOrigin, displayName, appName, connectionId }), status: 200 }
}
