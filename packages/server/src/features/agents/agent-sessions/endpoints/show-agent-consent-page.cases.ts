import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { beginInBrowser } from '../world-management.testkit.ts'
import { showAgentConsentPage } from './show-agent-consent-page.ts'

export const cases = casesOf(showAgentConsentPage, {
  status: 400,
  example: {
    status: 200,
    request: async (world) => {
      const { browser, id } = await beginInBrowser(world)
      return shownPage(await browser.get(`/signin/agent?request=${id}`), { request: id })
    },
  },
})
