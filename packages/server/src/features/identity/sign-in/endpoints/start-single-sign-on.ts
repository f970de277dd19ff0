import { Type } from 'typebox'
import { localPath } from '../next-path.ts'
import { shownPage } from '../page-endpoint.ts'
import { messagePage } from '../pages/page.ts'
import { singleSignOnAway } from '../pages/single-sign-on-pages.ts'
import { beginFlow } from '../single-sign-on-flow.ts'

export const startSingleSignOn = shownPage({
  id: 'startSingleSignOn',
  path: '//signin/oidc',
  beforeSecondFactor: true,
  summary: 'Send the browser to the identity provider.',
  query: {
    next: Type.Optional(Type.String({ description: 'Path on this service to continue at. Anything else is ignored.' })),
  },
  run: async ({ query, browserSecret }, services) => {
    const { singleSignOn, log } = services
    if (!singleSignOn) return noSingleSignOn()
    const flow = await beginFlow(services, { browserSecret, next: localPath(query['next']) })
    try {
      return { to: (await singleSignOn.begin(flow)).href }
    } catch (error) {
      log.warn({ err: error }, 'failed to reach the identity provider')
      return singleSignOnAway(singleSignOn.name)
    }
  },
})

export function noSingleSignOn() {
  return messagePage('Single sign-on is not set up', 'Sign in with email and password.', {
    status: 404,
    link: { href: '/signin', text: 'Sign in' },
  })
}
