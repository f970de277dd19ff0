import { endpoint } from '../../../../kernel/http/index.ts'
import type { GrantServices } from '../grant-tokens.ts'
import { managementIssuer } from '../token-issuer.ts'
import { tokenExchange, tokenReply } from '../token-request.ts'

export const exchangeManagementToken = endpoint({
  ...tokenExchange,
  id: 'exchangeManagementToken',
  path: '//mcp/v1/manage/oauth/token',
  summary: 'Token endpoint (RFC 6749) of the server for builders.',
  audit: { verb: 'create', resource: 'agent-session' },
  run: async (request, services: GrantServices & { publicUrl: string }) => {
    request.note({ outcome: 'none' })
    return await tokenReply(services, managementIssuer(services.publicUrl), request)
  },
})
