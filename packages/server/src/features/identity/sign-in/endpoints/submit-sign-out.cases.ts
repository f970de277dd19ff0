import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { submit } from '../../../../testkit/world.ts'
import { submitSignOut } from './submit-sign-out.ts'

export const cases = casesOf(submitSignOut, {
  status: 415,
  example: {
    status: 303,
    request: async (world) => {
      const browser = await world.browser('signed in')
      return shownPage(await submit(browser, await browser.get('/signin/done')))
    },
  },
})
