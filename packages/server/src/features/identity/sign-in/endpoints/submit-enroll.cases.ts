import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { submit } from '../../../../testkit/world.ts'
import { submitEnroll } from './submit-enroll.ts'

export const cases = casesOf(submitEnroll, {
  status: 415,
  example: {
    status: 200,
    request: async (world) => {
      const browser = await world.browser('signed in')
      return shownPage(await submit(browser, await browser.get('/signin/enroll'), { kind: 'totp' }))
    },
  },
})
