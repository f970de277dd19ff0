import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { showEnrollPage } from './show-enroll-page.ts'

export const cases = casesOf(showEnrollPage, {
  status: 303,
  example: {
    status: 200,
    request: async (world) => shownPage(await (await world.browser('signed in')).get('/signin/enroll')),
  },
  refused: 'never',
})
