import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { cliConsentPath, cliQuery } from '../cli-consent.testkit.ts'
import { showCliConsentPage } from './show-cli-consent-page.ts'

export const cases = casesOf(showCliConsentPage, {
  request: { query: { ...cliQuery, port: '0' } },
  status: 400,
  example: {
    status: 200,
    request: async ({ browser }) => shownPage(await (await browser('signed in')).get(cliConsentPath), cliQuery),
  },
})
