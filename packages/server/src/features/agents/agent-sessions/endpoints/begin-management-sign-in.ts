import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { endpoint } from '../../../../kernel/http/index.ts'
import type { AddressGuard, Outbound } from '../../../../kernel/net/index.ts'
import { authorization, authorizationReply } from '../authorization-request.ts'
import { managementIssuer } from '../token-issuer.ts'

export const beginManagementSignIn = endpoint({
  ...authorization,
  id: 'beginManagementSignIn',
  path: '//mcp/v1/manage/oauth/authorize',
  summary: 'Authorization endpoint (RFC 6749) of the server for builders.',
  description:
    'Checks the request, stores it for ten minutes, and redirects to the page `/signin/agent`, where the person signs in and decides. A request that is not valid gets a page, and never a redirect.',
  run: async (
    request,
    services: {
      database: Database
      outbound: Outbound
      guard: AddressGuard
      now: () => Date
      newId: NewId
      publicUrl: string
    },
  ) => await authorizationReply(services, managementIssuer(services.publicUrl), request),
})
