import { casesOf } from '../../../../testkit/cases.ts'
import { getProject } from './get-project.ts'

export const cases = casesOf(getProject, {
  status: 200,
  example: { request: { query: { includeEntitlements: 'true' } } },
})
