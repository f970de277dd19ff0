import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { submitSetup } from './submit-setup.ts'

export const cases = casesOf(submitSetup, {
  status: 415,
  example: { status: 303, request: ({ setup }) => shownPage(setup.submitted) },
})
