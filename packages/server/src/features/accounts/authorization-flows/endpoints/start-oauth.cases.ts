import { casesOf } from '../../../../testkit/cases.ts'
import { begunFlow } from '../begun-flow.testkit.ts'
import { startOAuth } from './start-oauth.ts'

export const cases = casesOf(startOAuth, {
  request: { query: { state: 'not-a-state' } },
  status: 400,
  example: { status: 303, request: async (world) => ({ query: { state: await begunFlow(world, true) } }) },
})
