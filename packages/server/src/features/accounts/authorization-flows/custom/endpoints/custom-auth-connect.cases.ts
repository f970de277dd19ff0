import { casesOf } from '../../../../../testkit/cases.ts'
import { adminConsent } from '../admin-consent.testkit.ts'
import { customAuthConnect } from './custom-auth-connect.ts'

export const cases = casesOf(customAuthConnect, {
  request: (ids) => ({
    body: {
      projectIdOrName: ids.projectIdOrName,
      groupRef: ids.groupRef,
      groupName: 'A group',
      consumerRef: 'a-person',
      consumerName: 'A person',
      provider: 'microsoftAdminConsent',
      providerAppId: ids.providerAppId,
      providerMetadata: {},
      customAuth: {},
    },
  }),
  // The provider app of the tenant is of another provider.
  status: 400,
  createsGroup: true,
  example: { status: 200, request: async (world) => ({ body: await adminConsent(world) }) },
})
