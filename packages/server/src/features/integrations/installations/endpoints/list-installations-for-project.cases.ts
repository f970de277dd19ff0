import { casesOf } from '../../../../testkit/cases.ts'
import { listInstallationsForProject } from './list-installations-for-project.ts'

export const cases = casesOf(listInstallationsForProject, {
  request: (ids) => ({ query: { groupRef: ids.groupRef } }),
  status: 200,
})
