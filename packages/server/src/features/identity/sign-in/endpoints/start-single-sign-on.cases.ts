import { casesOf } from '../../../../testkit/cases.ts'
import { startSingleSignOn } from './start-single-sign-on.ts'

export const cases = casesOf(startSingleSignOn, {
  request: { query: { next: '/signin/done' } },
  // Without an identity provider there is nothing to start.
  status: 404,
  example: { status: 303 },
  refused: 'never',
})
