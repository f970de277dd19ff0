import { casesOf } from '../../../../testkit/cases.ts'
import { submit } from '../../../../testkit/world.ts'
import { cliConsentPath, verifier } from '../cli-consent.testkit.ts'
import { exchangeSignInCode } from './exchange-sign-in-code.ts'

export const cases = casesOf(exchangeSignInCode, {
  request: { body: { code: 'not-a-code', verifier } },
  status: 401,
  example: {
    status: 200,
    request: async (world) => {
      const browser = await world.browser('signed in')
      const { location } = await submit(browser, await browser.get(cliConsentPath))
      return { body: { code: new URL(location!).searchParams.get('code'), verifier } }
    },
  },
})
