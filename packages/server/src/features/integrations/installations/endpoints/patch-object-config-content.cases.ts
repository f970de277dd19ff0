import { casesOf } from '../../../../testkit/cases.ts'
import { patchObjectConfigContent } from './patch-object-config-content.ts'

export const cases = casesOf(patchObjectConfigContent, {
  request: (ids) => ({
    body: {
      installationId: ids.installationId,
      action: 'read',
      changes: [{ op: 'add', path: '/selectedFields/phone', value: true }],
    },
  }),
  status: 200,
  statusFor: { 'a consumer of another group': 404 },
})
