import { openBrowser } from '../../../../../testkit/browser.ts'
import { casesOf, shownPage } from '../../../../../testkit/cases.ts'
import { pageToken } from '../page-token.testkit.ts'
import { submitConnectForm } from './submit-connect-form.ts'

export const cases = casesOf(submitConnectForm, {
  status: 415,
  example: {
    status: 303,
    request: async (world) => {
      const token = await pageToken(world)
      const browser = openBrowser(world.app.url)
      const form = await browser.get(`/connect/${token}/form`)
      const fields = { apiKey: world.crm.apiKey, 'providerMetadata.url': world.crm.url }
      return shownPage(await browser.submit(form, fields))
    },
  },
})
