import { Empty, endpoint } from '../../../../kernel/http/index.ts'
import { managementSignInMetadata } from '../../agent-sessions/index.ts'
import { McpStreamNotOffered } from '../problems.ts'

export const getManagementStream = endpoint({
  id: 'getManagementStream',
  method: 'GET',
  path: '//mcp/v1/manage',
  access: 'builder',
  agentSignIn: { of: 'builder', metadata: managementSignInMetadata },
  summary: 'Model Context Protocol: says that the server for builders has no stream.',
  description: 'Always status 405, as the protocol wants it: the tools of this server do not change.',
  tag: 'Tools',
  extension: true,
  reply: { 204: Empty },
  problems: [McpStreamNotOffered],
  run: async () => {
    throw new McpStreamNotOffered()
  },
})
