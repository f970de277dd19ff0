import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { halfSignedIn } from '../factors/factor-world.testkit.ts'
import { showFactorPage } from './show-factor-page.ts'

export const cases = casesOf(showFactorPage, {
  status: 303,
  example: {
    status: 200,
    request: async (world) =>
      shownPage(await (await halfSignedIn(world, 'fay@acme.example')).browser.get('/signin/factor')),
  },
  refused: 'never',
})
