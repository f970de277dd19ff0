import { casesOf } from '../../../../testkit/cases.ts'
import { listProviderEvents } from './list-provider-events.ts'

export const cases = casesOf(listProviderEvents, {
  request: (ids) => ({ query: { installationId: ids.installationId, pageSize: '10' } }),
  status: 200,
})
