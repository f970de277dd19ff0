import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { beginInBrowser } from '../world-management.testkit.ts'
import { submitAgentConsent } from './submit-agent-consent.ts'

export const cases = casesOf(submitAgentConsent, {
  status: 415,
  example: {
    status: 303,
    request: async (world) => {
      const { kit, browser, id } = await beginInBrowser(world)
      return shownPage(await kit.decide(browser, await browser.get(`/signin/agent?request=${id}`)))
    },
  },
})
