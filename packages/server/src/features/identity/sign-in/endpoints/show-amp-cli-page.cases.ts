import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { showAmpCliPage } from './show-amp-cli-page.ts'

export const cases = casesOf(showAmpCliPage, {
  status: 303,
  example: {
    status: 200,
    request: async (world) => shownPage(await (await world.browser('signed in')).get('/signin/amp-cli')),
  },
  refused: 'never',
})
