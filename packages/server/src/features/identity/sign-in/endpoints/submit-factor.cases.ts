import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { submit } from '../../../../testkit/world.ts'
import { halfSignedIn } from '../factors/factor-world.testkit.ts'
import { submitFactor } from './submit-factor.ts'

export const cases = casesOf(submitFactor, {
  status: 415,
  example: {
    status: 303,
    request: async (world) => {
      const { browser, recoveryCodes } = await halfSignedIn(world, 'finn@acme.example')
      const page = await browser.get('/signin/factor?with=recoveryCode')
      return shownPage(await submit(browser, page, { code: recoveryCodes[0] ?? '' }))
    },
  },
  refused: {
    status: 401,
    request: async (world) => {
      const { browser } = await halfSignedIn(world, 'fred@acme.example')
      return shownPage(await submit(browser, await browser.get('/signin/factor'), { code: '000000' }))
    },
  },
})
