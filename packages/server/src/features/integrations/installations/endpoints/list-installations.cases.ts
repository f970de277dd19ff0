import { casesOf } from '../../../../testkit/cases.ts'
import { listInstallations } from './list-installations.ts'

export const cases = casesOf(listInstallations, {
  request: (ids) => ({ query: { groupRef: ids.groupRef } }),
  status: 200,
})
