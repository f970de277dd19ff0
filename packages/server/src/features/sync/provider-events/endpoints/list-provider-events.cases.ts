import { casesOf } from '../../../../testkit/cases.ts'
import { listProviderEvents } from './list-provider-events.ts'

export const cases = casesOf(listProviderEvents, {
  request: (ids) => ({ query: { installationId: ids.installationId, pageSize: '10' } }),
  status: 200,
  example: {
    request: async ({ app }) => {
      const url = `${app.url}/subscribe/v1/projects/${app.projectId}/integrations/nothing`
      await fetch(url, { method: 'POST', body: '{}' })
      await app.app.services.providerEvents.flush()
      return { query: { outcome: 'unknown', pageSize: '1' } }
    },
  },
})
