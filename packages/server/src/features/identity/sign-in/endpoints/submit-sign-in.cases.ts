import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { password, submit } from '../../../../testkit/world.ts'
import { submitSignIn } from './submit-sign-in.ts'

export const cases = casesOf(submitSignIn, {
  status: 415,
  example: {
    status: 303,
    request: async (world) => {
      const browser = await world.browser()
      return shownPage(await submit(browser, await browser.get('/signin'), { email: world.person.email, password }))
    },
  },
  refused: {
    status: 401,
    request: async (world) => {
      const browser = await world.browser()
      const wrong = { email: world.person.email, password: 'a wrong password' }
      return shownPage(await submit(browser, await browser.get('/signin'), wrong))
    },
  },
})
