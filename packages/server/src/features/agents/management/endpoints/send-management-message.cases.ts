import { casesOf } from '../../../../testkit/cases.ts'
import { sendManagementMessage } from './send-management-message.ts'

export const cases = casesOf(sendManagementMessage, {
  request: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } },
  status: 200,
  namesNoIds: true,
})
