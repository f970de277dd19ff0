import { casesOf } from '../../../../testkit/cases.ts'
import { listConnections } from './list-connections.ts'

export const cases = casesOf(listConnections, {
  request: (ids) => ({ query: { groupRef: ids.groupRef, provider: 'sampleCrm' } }),
  status: 200,
})
