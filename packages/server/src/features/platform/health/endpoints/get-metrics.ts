import { Type } from 'typebox'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import type { Metrics } from '../../../../kernel/telemetry/index.ts'

export const getMetrics = endpoint({
  id: 'getMetrics',
  method: 'GET',
  path: '//metrics',
  access: 'public',
  rateScope: 'endpoint',
  summary: 'Metrics of this process in the Prometheus text format.',
  tag: 'Health',
  extension: true,
  produces: 'text/plain; version=0.0.4; charset=utf-8',
  reply: { 200: Type.String() },
  run: async (_, { metrics }: { metrics: Metrics }) => reply(200, await metrics.registry.metrics()),
})
