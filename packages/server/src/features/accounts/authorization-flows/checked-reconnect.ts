import { schemeNames } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput } from '../../../kernel/http/index.ts'
import { findProviderApp } from '../../integrations/provider-apps/index.ts'
import { type ConnectionRow, findAppOfConnection } from '../connections/index.ts'
import { type CheckedAccount, type CheckServices, checkedAccount } from './checked-account.ts'

/**
 * Returns what reauthorizing a connection takes: its values, and the app that it was made through. If that app was
 * deleted, or there was none, the provider's newest app is used.
 *
 * @throws InvalidInput if the connection cannot be authorized
 */
export async function checkedReconnect(
  db: ProjectDb,
  services: CheckServices,
  connection: ConnectionRow,
): Promise<CheckedAccount> {
  if (!connection.auth_scheme.startsWith('oauth2/authorizationCode'))
    throw refusal(
      `The connection uses ${connection.auth_scheme}, which is not authorized in a browser.`,
      'Change its credential with PATCH /v1/projects/{projectIdOrName}/connections/{connectionId}.',
    )
  const providerAppId = await appOf(db, connection)
  const entry = services.catalogue.find(connection.provider)
  const names = entry ? schemeNames(entry) : []
  try {
    return await checkedAccount(db, services, {
      provider: connection.provider,
      // If the file no longer has the scheme, use the first one of its kind, as renewals do.
      ...(names.includes(connection.scheme_name ?? '') && { schemeName: connection.scheme_name ?? '' }),
      ...(providerAppId !== undefined && { providerAppId }),
      ...(connection.provider_workspace_ref !== null && { providerWorkspaceRef: connection.provider_workspace_ref }),
      ...(connection.provider_metadata && { providerMetadata: connection.provider_metadata }),
    })
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const issues = (error as InstanceType<typeof InvalidInput>).occurrence.issues ?? []
    // The connection causes the issues, not this request.
    throw new InvalidInput({ issues: issues.map((issue) => ({ ...issue, in: 'path', name: 'connectionId' })) })
  }
}

async function appOf(db: ProjectDb, { connection_id, provider }: ConnectionRow): Promise<string | undefined> {
  const id = await findAppOfConnection(db, connection_id)
  // An app can move to another provider while no connection uses it.
  return id !== undefined && (await findProviderApp(db, { id, provider })) ? id : undefined
}

function refusal(detail: string, remedy: string) {
  return new InvalidInput({ issues: [{ in: 'path', name: 'connectionId', detail, remedy }] })
}
