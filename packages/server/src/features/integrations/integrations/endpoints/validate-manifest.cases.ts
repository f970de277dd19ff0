import { casesOf } from '../../../../testkit/cases.ts'
import { manifest } from '../../../../testkit/tenant.ts'
import { contactsManifest } from '../../../../testkit/world.ts'
import { validateManifest } from './validate-manifest.ts'

export const cases = casesOf(validateManifest, {
  request: () => ({ query: { strict: 'true' }, body: { sourceYaml: JSON.stringify(manifest) } }),
  status: 200,
  example: { request: { query: { strict: 'true' }, body: { sourceYaml: contactsManifest('crm') } } },
})
