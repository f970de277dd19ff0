import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { submit } from '../../../../testkit/world.ts'
import { submitForgot } from './submit-forgot.ts'

export const cases = casesOf(submitForgot, {
  status: 415,
  example: {
    status: 200,
    request: async (world) => {
      const browser = await world.browser()
      const page = await browser.get('/signin')
      // The page has no form where the service sends no mail; the token of another form will do.
      const text = page.text.replace('action="/signin"', 'action="/signin/forgot"')
      return shownPage(await submit(browser, { ...page, text }, { email: 'ada@acme.example' }))
    },
  },
})
