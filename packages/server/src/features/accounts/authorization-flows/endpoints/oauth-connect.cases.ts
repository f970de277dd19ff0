import { casesOf } from '../../../../testkit/cases.ts'
import { oauthConnect } from './oauth-connect.ts'

export const cases = casesOf(oauthConnect, {
  request: (ids) => ({
    body: {
      projectIdOrName: ids.projectIdOrName,
      groupRef: ids.groupRef,
      groupName: 'A group',
      consumerRef: 'a-person',
      consumerName: 'A person',
      provider: 'salesforce',
      providerWorkspaceRef: 'acme',
      providerAppId: ids.providerAppId,
      providerMetadata: {},
      enableCSRFProtection: true,
    },
  }),
  status: 200,
  createsGroup: true,
})
