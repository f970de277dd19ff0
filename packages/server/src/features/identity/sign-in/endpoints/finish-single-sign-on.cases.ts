import { openBrowser } from '../../../../testkit/browser.ts'
import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { finishSingleSignOn } from './finish-single-sign-on.ts'

export const cases = casesOf(finishSingleSignOn, {
  request: { query: { state: 'x' } },
  // Without an identity provider there is nothing to finish.
  status: 404,
  example: {
    status: 303,
    request: async (world) => {
      const email = 'invited@partner.example'
      await world.invite(email)
      world.identities.people.set('a-person', { email, email_verified: true, name: 'In Vited' })
      const browser = openBrowser(world.app.url)
      const begun = await browser.get('/signin/oidc')
      const back = await world.identities.signIn(begun.location!, 'a-person')
      return shownPage(await browser.get(back), { state: new URLSearchParams(back.split('?')[1]).get('state')! })
    },
  },
  refused: { status: 400, request: { query: { state: 'not-a-state' } } },
})
