import { casesOf } from '../../../../testkit/cases.ts'
import { manifest } from '../../../../testkit/tenant.ts'
import { contactsManifest } from '../../../../testkit/world.ts'
import { createRevision } from './create-revision.ts'

export const cases = casesOf(createRevision, {
  request: () => ({ query: { destructive: 'false' }, body: { sourceYaml: JSON.stringify(manifest) } }),
  // The manifest does not define the integration.
  status: 422,
  example: {
    status: 201,
    request: async ({ deploy }) => {
      await deploy('revised')
      const sourceYaml = contactsManifest('revised').replace('3 * * *', '4 * * *')
      return { params: { integrationId: 'revised' }, body: { sourceYaml } }
    },
  },
})
