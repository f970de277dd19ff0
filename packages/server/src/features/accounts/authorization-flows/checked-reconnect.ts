import { schemeNames } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput } from '../../../kernel/http/index.ts'
import { findProviderApp } from '../../integrations/provider-apps/index.ts'
import { type ConnectionRow, findAppOfConnection } from '../connections/index.ts'
import { type CheckedAccount, type CheckServices, checkedAccount } from './checked-account.ts'

/**
 * What authorising a connection again takes: its own values, and the app that it was made through or, where that is
 * gone or was none, the newest of the provider.
 *
 * @throws InvalidInput saying why it cannot be authorised
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
      // A scheme that the file has no longer gives way to the first of its kind, as in renewals.
      ...(names.includes(connection.scheme_name ?? '') && { schemeName: connection.scheme_name ?? '' }),
      ...(providerAppId !== undefined && { providerAppId }),
      ...(connection.provider_workspace_ref !== null && { providerWorkspaceRef: connection.provider_workspace_ref }),
      ...(connection.provider_metadata && { providerMetadata: connection.provider_metadata }),
    })
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const issues = (error as InstanceType<typeof InvalidInput>).occurrence.issues ?? []
    // What is wrong stands in the connection, not in this request.
    throw new InvalidInput({ issues: issues.map((issue) => ({ ...issue, in: 'path', name: 'connectionId' })) })
  }
}

async function appOf(db: ProjectDb, { connection_id, provider }: ConnectionRow): Promise<string | undefined> {
  const id = await findAppOfConnection(db, connection_id)
  // An app can become one of another provider while no connection was made through it.
  return id !== undefined && (await findProviderApp(db, { id, provider })) ? id : undefined
}

function refusal(detail: string, remedy: string) {
  return new InvalidInput({ issues: [{ in: 'path', name: 'connectionId', detail, remedy }] })
}
