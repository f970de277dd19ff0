import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { showSetupPage } from './show-setup-page.ts'

export const cases = casesOf(showSetupPage, {
  request: { query: { token: 'not-a-token' } },
  status: 404,
  example: { status: 200, request: ({ setup }) => shownPage(setup.shown, { token: setup.token }) },
})
