import { casesOf } from '../../../../testkit/cases.ts'
import { callTool } from './call-tool.ts'

export const cases = casesOf(callTool, {
  request: (ids) => ({ body: { groupRef: ids.groupRef, arguments: { limit: 1 }, agent: 'helper' } }),
  status: 200,
})
