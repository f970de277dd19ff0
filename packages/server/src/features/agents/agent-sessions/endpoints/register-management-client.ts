import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { endpoint } from '../../../../kernel/http/index.ts'
import { registerClient, registration } from '../client-registration.ts'
import { TooManyAgentClients } from '../problems.ts'
import { managementIssuer } from '../token-issuer.ts'

export const registerManagementClient = endpoint({
  ...registration,
  id: 'registerManagementClient',
  path: '//mcp/v1/manage/oauth/register',
  summary: 'Register an MCP client for the server for builders (RFC 7591).',
  problems: [TooManyAgentClients],
  run: async ({ body }, services: { database: Database; newId: NewId; now: () => Date; publicUrl: string }) =>
    await registerClient(services, managementIssuer(services.publicUrl), body),
})
