import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { manifest } from '../../../../testkit/tenant.ts'
import { createIntegration } from './create-integration.ts'

const latestRevision = { specVersion: '1.0.0', content: { read: manifest.integrations[0]?.read } }

export const cases = casesOf(createIntegration, {
  request: () => ({ body: { name: `made-${newId()}`, provider: 'sampleCrm', latestRevision } }),
  status: 201,
  example: { request: { body: { name: 'crm-by-hand', provider: 'sampleCrm', latestRevision } } },
})
