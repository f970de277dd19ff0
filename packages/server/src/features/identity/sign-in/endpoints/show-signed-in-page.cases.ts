import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { showSignedInPage } from './show-signed-in-page.ts'

export const cases = casesOf(showSignedInPage, {
  status: 303,
  example: {
    status: 200,
    request: async (world) => shownPage(await (await world.browser('signed in')).get('/signin/done')),
  },
  refused: 'never',
})
