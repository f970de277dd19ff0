import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { password, submit } from '../../../../testkit/world.ts'
import { submitReset } from './submit-reset.ts'

export const cases = casesOf(submitReset, {
  status: 415,
  example: {
    status: 200,
    request: async (world) => {
      const browser = await world.browser()
      await browser.get(`/signin/reset?token=${await world.resetToken('careless@acme.example')}`)
      return shownPage(await submit(browser, await browser.get('/signin/reset'), { password }))
    },
  },
})
