import { casesOf } from '../../../../testkit/cases.ts'
import { showSignInPage } from './show-sign-in-page.ts'

export const cases = casesOf(showSignInPage, {
  request: { query: { next: '/signin/done' } },
  status: 200,
  refused: 'never',
})
