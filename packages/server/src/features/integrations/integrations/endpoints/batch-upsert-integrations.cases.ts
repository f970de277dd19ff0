import { casesOf } from '../../../../testkit/cases.ts'
import { manifest } from '../../../../testkit/tenant.ts'
import { contactsManifest } from '../../../../testkit/world.ts'
import { batchUpsertIntegrations } from './batch-upsert-integrations.ts'

export const cases = casesOf(batchUpsertIntegrations, {
  request: () => ({ query: { destructive: 'false' }, body: { sourceYaml: JSON.stringify(manifest) } }),
  status: 200,
  example: { request: { body: { sourceYaml: contactsManifest('crm') } } },
})
