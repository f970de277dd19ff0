import { Type } from 'typebox'
import { endpoint, reply } from '../../../../kernel/http/index.ts'

export const getMetrics = endpoint({
  id: 'getMetrics',
  method: 'GET',
  path: '//metrics',
  access: 'public',
  rateScope: 'endpoint',
  summary: 'Metrics of the service in the Prometheus text format.',
  tag: 'Health',
  extension: true,
  produces: 'text/plain; version=0.0.4; charset=utf-8',
  reply: { 200: Type.String() },
  run: async (_, { metricsText }: { metricsText: () => Promise<string> }) => reply(200, await metricsText()),
})
