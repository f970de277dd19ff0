import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint } from '../../../../kernel/http/index.ts'
import type { BuilderSessionServices } from '../builder-session.ts'
import { managementIssuer } from '../token-issuer.ts'
import { revocation, revocationReply } from '../token-revocation.ts'

export const revokeManagementToken = endpoint({
  ...revocation,
  id: 'revokeManagementToken',
  path: '//mcp/v1/manage/oauth/revoke',
  summary: 'Revocation endpoint (RFC 7009) of the server for builders.',
  audit: { verb: 'delete', resource: 'agent-session' },
  run: async (request, services: BuilderSessionServices & { database: Database; publicUrl: string }) => {
    request.note({ outcome: 'none' })
    return await revocationReply(services, managementIssuer(services.publicUrl), request)
  },
})
