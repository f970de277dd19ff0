import { casesOf } from '../../../../../testkit/cases.ts'
import { createConnectSession } from './create-connect-session.ts'

export const cases = casesOf(createConnectSession, {
  request: (ids) => ({
    body: {
      groupRef: ids.groupRef,
      groupName: 'A group',
      consumerRef: ids.consumerRef,
      consumerName: 'A person',
      provider: 'sampleCrm',
      connectionId: ids.connectionId,
      redirectUrl: 'https://app.example/connected',
    },
  }),
  status: 201,
  createsGroup: true,
})
