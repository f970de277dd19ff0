import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { submit } from '../../../../testkit/world.ts'
import { submitAmpCli } from './submit-amp-cli.ts'

export const cases = casesOf(submitAmpCli, {
  status: 415,
  example: {
    status: 303,
    request: async (world) => {
      const browser = await world.browser('signed in')
      return shownPage(await submit(browser, await browser.get('/signin/amp-cli')))
    },
  },
})
