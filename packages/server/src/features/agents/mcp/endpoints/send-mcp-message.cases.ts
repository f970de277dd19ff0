import { casesOf } from '../../../../testkit/cases.ts'
import { sendMcpMessage } from './send-mcp-message.ts'

export const cases = casesOf(sendMcpMessage, {
  request: (ids) => ({
    query: { groupRef: ids.groupRef },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  }),
  status: 200,
})
