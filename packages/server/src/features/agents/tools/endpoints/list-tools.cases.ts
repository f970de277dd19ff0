import { casesOf } from '../../../../testkit/cases.ts'
import { listTools } from './list-tools.ts'

export const cases = casesOf(listTools, { request: (ids) => ({ query: { groupRef: ids.groupRef } }), status: 200 })
