import { casesOf } from '../../../../testkit/cases.ts'
import { contactsConfig } from '../../../../testkit/tenant.ts'
import { previewRecords } from './preview-records.ts'

export const cases = casesOf(previewRecords, {
  request: (ids) => ({ body: { connectionId: ids.connectionId, objectName: ids.objectName, ...contactsConfig } }),
  status: 200,
  statusFor: { 'a consumer of another group': 400 },
})
