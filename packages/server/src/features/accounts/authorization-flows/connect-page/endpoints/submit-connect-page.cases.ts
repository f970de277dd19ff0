import { openBrowser } from '../../../../../testkit/browser.ts'
import { casesOf, shownPage } from '../../../../../testkit/cases.ts'
import { pageToken } from '../page-token.testkit.ts'
import { submitConnectPage } from './submit-connect-page.ts'

export const cases = casesOf(submitConnectPage, {
  status: 415,
  example: {
    status: 303,
    request: async (world) => {
      const token = await pageToken(world)
      const browser = openBrowser(world.app.url)
      const form = await browser.get(`/connect/${token}`)
      const fields = { apiKey: world.crm.apiKey, 'providerMetadata.url': world.crm.url }
      return shownPage(await browser.submit(form, fields))
    },
  },
})
