import { type Client, createClient } from '@mortise/client'
import type { BuilderCaller } from '../../../kernel/http/index.ts'
import type { ManagementServices } from './management-services.ts'

/**
 * Returns a client of this service, in this process, with the credential of the person: each call is authorized,
 * limited and recorded like a request of theirs. The credential never leaves the process.
 */
export async function apiClient(
  { builderTokens, callApi, publicUrl }: ManagementServices,
  { caller, address }: { caller: BuilderCaller; address: string },
  project?: string,
): Promise<Client> {
  const { accessToken } = await builderTokens.issue(caller)
  return createClient({
    baseUrl: publicUrl,
    token: accessToken,
    ...(project !== undefined && { project }),
    // The audit log shows it with each change.
    headers: { 'user-agent': userAgentOf(caller) },
    fetch: callApi(address),
    // Those of a list may reach the rate limit of the person.
    retries: 2,
  })
}

/** A header has printable ASCII only. */
function userAgentOf({ agent }: BuilderCaller): string {
  const name = (agent?.name ?? '').replace(/[^\x20-\x7e]/g, '?')
  return `${name} (MCP)`.trim()
}
