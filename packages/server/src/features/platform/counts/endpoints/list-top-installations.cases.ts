import { casesOf } from '../../../../testkit/cases.ts'
import { listTopInstallations } from './list-top-installations.ts'

export const cases = casesOf(listTopInstallations, {
  request: (ids) => ({ query: { by: 'failedReads', integrationId: ids.integrationId } }),
  status: 200,
})
