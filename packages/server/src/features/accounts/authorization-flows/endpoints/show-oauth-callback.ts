import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { actorOfAuthor, Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { findAppName } from '../../../identity/projects/index.ts'
import { browserSecretOf } from '../browser-cookie.ts'
import { callbackParameters } from '../callback-parameters.ts'
import { missingPermissionsOf } from '../connect-info/connection-info.ts'
import { backToPage, type FlowOutcome } from '../connect-page/index.ts'
import { endFlow } from '../end-flow.ts'
import { type FinishServices, finishFlow } from '../finish-flow.ts'
import { takeFlow } from '../flow.ts'
import { FlowFailure } from '../flow-failure.ts'
import { popupHeaders } from '../popup-page.ts'
import { failurePage, stalePage, successPage } from '../show-outcome.ts'

const parameter = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }))

export const showOAuthCallback = endpoint({
  id: 'showOAuthCallback',
  method: 'GET',
  path: '//callbacks/v1/oauth',
  access: 'public',
  summary: 'OAuth callback: finishes `oauthConnect` and `oauthUpdate`.',
  description:
    'The redirect URL of provider apps. The page sends the result to the page that opened the window, and shows it to the person.',
  tag: 'Connections',
  audit: { verb: 'connect', resource: 'connection' },
  // Untyped, so that a repeated or overlong value also gets a page as its response.
  query: Type.Object({
    state: parameter('Which flow it answers.'),
    code: parameter('The authorization code.'),
    error: parameter('Why there is no code (RFC 6749, 4.1.2.1).'),
    iss: parameter('Who answers (RFC 9207).'),
  }),
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String(), 303: Empty, 400: Type.String(), 500: Type.String() },
  run: async (
    { url, headers, signal, note },
    services: FinishServices & { database: Database; publicUrl: string; log: Logger },
  ) => {
    const answer = callbackParameters(new URLSearchParams(url.split('?')[1] ?? ''))
    const browserSecret = browserSecretOf(services, headers)
    const taken = answer && (await takeFlow(services, { state: answer.state, browserSecret }))
    if (!answer || !taken) return reply(400, stalePage(), popupHeaders)
    const { projectId, flow } = taken
    const { provider, askedBy, openerOrigin, page, end } = flow
    const displayName = services.catalogue.find(provider)?.displayName ?? provider
    note({ outcome: 'none' })
    const db = services.database.forProject(projectId)
    const appName = await findAppName(db)
    const leave = async (outcome: FlowOutcome) =>
      page ? await backToPage(db, page, outcome) : end && (await endFlow(db, end, outcome))
    try {
      const connectionId = await finishFlow(db, services, { flow, answer, signal })
      note({
        outcome: 'success',
        log: projectId,
        resourceId: connectionId,
        actor: actorOfAuthor(askedBy, page?.sessionId ?? end?.sessionId),
      })
      services.log.info({ projectId, provider, connectionId, askedBy }, 'connected an account by OAuth')
      const location = await leave({ connectionId, displayName })
      if (location !== undefined) return goingTo(location)
      const missing = await missingPermissionsOf(db, services, connectionId)
      const shown = { openerOrigin, displayName, appName, connectionId, missing }
      return reply(200, await successPage(db, shown), popupHeaders)
    } catch (error) {
      const title = `${displayName} was not connected`
      if (!(error instanceof FlowFailure)) {
        // The window that waits is notified of this error, too.
        services.log.error({ projectId, provider, err: error }, 'failed to connect an account by OAuth')
        const location = await leave({ failure: brokenOnPage })
        if (location !== undefined) return goingTo(location)
        return reply(500, failurePage(brokenHere, { title, openerOrigin, appName }), popupHeaders)
      }
      const { reason, cause } = error
      services.log.info({ projectId, provider, askedBy, reason, err: cause }, 'did not connect an account by OAuth')
      const location = await leave({ failure: error.message })
      if (location !== undefined) return goingTo(location)
      return reply(400, failurePage(error.message, { title, openerOrigin, appName }), popupHeaders)
    }
  },
})

/** Redirects to the connect page, which uses this same window. */
function goingTo(location: string) {
  return reply(303, null, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location })
}

const brokenOnPage = 'Something went wrong on our side. Nothing was connected. Try again.'
const brokenHere = 'Something went wrong on our side. Nothing was connected. Close this window and start again.'
