import type { Database } from '../../../../kernel/db/index.ts'
import { isSameBytes } from '../../../../kernel/encryption/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { browserSecretOf } from '../browser-cookie.ts'
import { backToPage } from '../connect-page/back-to-page.ts'
import { CustomAuthRefused, CustomAuthSessionEnded, CustomAuthUnavailable } from './problems.ts'
import { runAuthenticationSteps, type StepServices } from './run-authentication-steps.ts'
import { hashedBrowser, type Waiting } from './session.ts'

export type GoOnServices = StepServices & { database: Database; log: Logger }

/**
 * Resumes multi-step authentication from a connect page, in the browser that the page was shown to. Returns where the
 * browser goes next; undefined for another browser, or if no connect page waits.
 */
export async function resumeFromPage(
  services: GoOnServices,
  { projectId, session: { page }, take }: Waiting,
  back: {
    params: Record<string, string>
    headers: Record<string, string | string[] | undefined>
    signal: AbortSignal
    isForm: boolean
  },
): Promise<string | undefined> {
  if (!page) return undefined
  const { params, headers, signal, isForm } = back
  // A browser sends no cookies with a form from another site, but it does with a redirect.
  if (isForm) return `/callbacks/v1/custom-auth/default?${new URLSearchParams(params)}`
  const browserSecret = browserSecretOf(services, headers)
  if (browserSecret === undefined) return undefined
  if (!isSameBytes(Buffer.from(hashedBrowser(browserSecret)), Buffer.from(page.browserHash))) return undefined
  const db = services.database.forProject(projectId)
  const session = await take(db)
  if (!session) return undefined
  const { provider } = session
  const displayName = services.catalogue.find(provider)?.displayName ?? provider
  try {
    const outcome = await runAuthenticationSteps(db, services, session, { params, signal })
    if ('redirect' in outcome) return outcome.redirect.url
    const { connectionId } = outcome
    services.log.info({ projectId, provider, connectionId }, 'connected an account on a page')
    return await backToPage(db, page, { connectionId, displayName })
  } catch (error) {
    const isExpected =
      error instanceof CustomAuthRefused ||
      error instanceof CustomAuthUnavailable ||
      error instanceof CustomAuthSessionEnded
    if (!isExpected) services.log.error({ projectId, provider, err: error }, 'failed to connect an account on a page')
    return await backToPage(db, page, {
      failure: isExpected
        ? (error as Error).message
        : 'Something went wrong on our side. Nothing was connected. Try again.',
    })
  }
}
