import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { password, publicUrl, submit } from '../../../../testkit/world.ts'
import { submitInvite } from './submit-invite.ts'

export const cases = casesOf(submitInvite, {
  status: 415,
  example: {
    status: 303,
    request: async (world) => {
      const { link } = await world.invite('max@partner.example')
      const browser = await world.browser()
      const page = await browser.get(link.slice(publicUrl.length))
      return shownPage(await submit(browser, page, { name: 'Max Example', password }))
    },
  },
})
