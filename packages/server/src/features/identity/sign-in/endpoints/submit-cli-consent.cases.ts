import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { submit } from '../../../../testkit/world.ts'
import { cliConsentPath } from '../cli-consent.testkit.ts'
import { submitCliConsent } from './submit-cli-consent.ts'

export const cases = casesOf(submitCliConsent, {
  status: 415,
  example: {
    status: 303,
    request: async (world) => {
      const browser = await world.browser('signed in')
      return shownPage(await submit(browser, await browser.get(cliConsentPath)))
    },
  },
})
