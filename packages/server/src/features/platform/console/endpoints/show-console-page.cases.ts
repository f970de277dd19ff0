import { casesOf } from '../../../../testkit/cases.ts'
import { showConsolePage } from './show-console-page.ts'

export const cases = casesOf(showConsolePage, {
  status: 200,
  example: { request: { params: { page: 'projects' } } },
  refused: 'never',
})
