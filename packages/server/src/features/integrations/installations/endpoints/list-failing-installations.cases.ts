import { casesOf } from '../../../../testkit/cases.ts'
import { listFailingInstallations } from './list-failing-installations.ts'

export const cases = casesOf(listFailingInstallations, {
  request: (ids) => ({ query: { pageSize: '10', groupRef: ids.groupRef, integrationId: ids.integrationId } }),
  status: 200,
})
