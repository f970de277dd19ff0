import { Type } from 'typebox'
import { findOrCreateBuilder } from '../find-or-create-builder.ts'
import { consolePath } from '../next-path.ts'
import { shownPage } from '../page-endpoint.ts'
import { singleSignOnAway, singleSignOnRefused, singleSignOnStale } from '../pages/single-sign-on-pages.ts'
import { signInBrowser } from '../sign-in-browser.ts'
import { signedIn } from '../signed-in.ts'
import { endFlow } from '../single-sign-on-flow.ts'
import { noSingleSignOn } from './start-single-sign-on.ts'

export const finishSingleSignOn = shownPage({
  id: 'finishSingleSignOn',
  path: '//signin/oidc/callback',
  audit: { verb: 'signIn', resource: 'session' },
  beforeSecondFactor: true,
  summary: 'Callback of the identity provider.',
  query: { state: Type.Optional(Type.String({ description: 'Identifies the sign-in.' })) },
  run: async (context, services) => {
    const { query, url, browserSecret, owner } = context
    const { singleSignOn, log } = services
    if (!singleSignOn) return noSingleSignOn()
    const flow = await endFlow(services, { browserSecret, state: query['state'] ?? '' })
    if (!flow) return singleSignOnStale()
    const answer = url.slice(url.indexOf('?'))
    if (new URLSearchParams(answer).has('error')) return singleSignOnStale()
    const person = await singleSignOn.finish(answer, flow).catch((error: unknown) => {
      log.warn({ err: error }, 'the response of the identity provider is not valid')
      return undefined
    })
    if (!person) return singleSignOnAway(singleSignOn.name)
    const builder = await findOrCreateBuilder(services, person, owner?.builderId)
    if ('refused' in builder) {
      log.info({ reason: builder.refused }, 'single sign-on refused')
      return singleSignOnRefused(singleSignOn.name, builder.refused)
    }
    context.note(signedIn(builder))
    log.info({ builderId: builder.id, address: context.address }, 'single sign-on')
    return {
      to: flow.next ?? consolePath,
      cookies: await signInBrowser(services, context, builder, 'single-sign-on'),
    }
  },
})
