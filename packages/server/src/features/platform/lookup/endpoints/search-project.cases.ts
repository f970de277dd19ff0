import { casesOf } from '../../../../testkit/cases.ts'
import { searchProject } from './search-project.ts'

export const cases = casesOf(searchProject, { request: (ids) => ({ query: { query: ids.groupRef } }), status: 200 })
