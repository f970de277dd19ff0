import type { Catalogue } from '@mortise/providers'
import type { Database, ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { findAppName } from '../../../identity/projects/index.ts'
import { type ConnectionRow, findConnection } from '../../connections/index.ts'
import { missingPermissionsOf } from '../connect-info/connection-info.ts'
import type { MissingPermission } from '../connect-info/model.ts'
import { outcomeText } from '../outcome-text.ts'
import { accountFields, type ConnectOptions, connectOptions } from './connect-options.ts'
import { type ConnectPurpose, connectFormPath, type OpenedSession, openConnectSession } from './connect-session.ts'
import type { FormPage } from './form-page.ts'
import type { AuthenticationMethod } from './methods.ts'
import { donePage, type Page, providersPage, unknownPage } from './page.ts'
import { sessionProviders } from './session-providers.ts'

/** An open session, and what its form shows. */
export interface PageContext {
  db: ProjectDb
  session: OpenedSession
  purpose: ConnectPurpose
  options: ConnectOptions
  method: AuthenticationMethod
  /** What the account of the session did not grant: the page offers to ask again. Absent until there is an account. */
  missing?: readonly MissingPermission[]
  /** The form, without what depends on the browser. */
  form: Omit<FormPage, 'formToken' | 'status'>
}

export type PageContextServices = { database: Database; keyring: Keyring; now: () => Date; catalogue: Catalogue }

/**
 * Opens the form of a link, or a page with a message or a choice when there is nothing to fill in.
 *
 * @param wanted.method the name of the authentication method; the preferred one if undefined or unknown
 * @param wanted.provider the provider, if the session has several
 * @param wanted.without whether the customer continues without the permissions that are missing
 */
export async function openPage(
  services: PageContextServices,
  token: string,
  wanted: { method: string | undefined; provider: string | undefined; without?: boolean },
): Promise<{ page: Page } | PageContext> {
  const session = await openConnectSession(services, token)
  if (!session) return { page: unknownPage() }
  const db = services.database.forProject(session.projectId)
  const { content, connectionId } = session
  const appName = await findAppName(db)
  // The form ends with the first account, also of a session for more.
  if (connectionId !== undefined) {
    const row = await findConnection(db, connectionId)
    const asking = row && !wanted.without ? await askAgain(db, services, { token, session, row, appName }) : undefined
    return asking ?? { page: connectedPage(services, session, { connectionId, row }, appName) }
  }
  const providers = await sessionProviders(db, services, session)
  const provider = content.provider ?? (providers.length === 1 ? providers[0]?.name : wanted.provider)
  if (provider === undefined && providers.length > 0)
    return { page: providersPage(providers, { path: connectFormPath(token), appName }) }
  // What a browser names must be one of the session.
  if (provider === undefined || !providers.some(({ name }) => name === provider)) return { page: unknownPage() }
  const purpose: ConnectPurpose = { ...content, provider }
  const options = await connectOptions(db, services, purpose)
  const method = options?.methods.find(({ scheme }) => scheme === wanted.method) ?? options?.methods[0]
  if (!options || !method) return { page: unknownPage() }
  const form = {
    ...formOf({ options, method, purpose, appName, token }),
    ...(content.provider === undefined && { provider }),
  }
  return { db, session, purpose, options, method, form }
}

function formOf({
  options,
  method,
  purpose,
  appName,
  token,
}: Pick<PageContext, 'options' | 'method' | 'purpose'> & {
  appName: string | undefined
  token: string
}): PageContext['form'] {
  return {
    displayName: options.entry.displayName,
    appName,
    groupName: purpose.groupName ?? purpose.groupRef,
    again: options.known !== undefined,
    path: connectFormPath(token),
    method,
    others: options.methods.filter((other) => other !== method),
    fields: [...accountFields(options, method), ...method.fields],
  }
}

/** Returns what asks the account of a session again; undefined if the account granted all permissions. */
async function askAgain(
  db: ProjectDb,
  services: PageContextServices,
  of: { token: string; session: OpenedSession; row: ConnectionRow; appName: string | undefined },
): Promise<PageContext | undefined> {
  const { token, session, row, appName } = of
  const missing = await missingPermissionsOf(db, services, row.connection_id, session.limits.integrationIds)
  if (missing.length === 0) return undefined
  const purpose = { ...session.content, provider: row.provider, connectionId: row.connection_id }
  const options = await connectOptions(db, services, purpose)
  const method = options?.methods.find(({ key }) => key === 'oauth2')
  if (!options || !method) return undefined
  const form = formOf({ options, method, purpose, appName, token })
  return { db, session, purpose, options, method, missing, form }
}

function connectedPage(
  { catalogue }: { catalogue: Catalogue },
  { content: { provider, redirectUrl } }: OpenedSession,
  { connectionId, row }: { connectionId: string; row: ConnectionRow | undefined },
  appName: string | undefined,
): Page {
  const name = row?.provider ?? provider ?? ''
  const displayName = catalogue.find(name)?.displayName ?? (name || 'Your account')
  const outcome = row
    ? outcomeText(row, displayName)
    : { title: `${displayName} was connected`, text: '', isGood: true }
  return donePage(outcome, { appName, redirectUrl: endOf(redirectUrl, connectionId, row) })
}

/** Returns where the browser goes at the end: the URL of the API caller, with the outcome. */
function endOf(
  redirectUrl: string | undefined,
  connectionId: string,
  row: ConnectionRow | undefined,
): string | undefined {
  if (redirectUrl === undefined) return undefined
  const url = new URL(redirectUrl)
  url.searchParams.set('connectionId', connectionId)
  if (row) url.searchParams.set('status', row.status)
  if (row?.check_outcome) url.searchParams.set('check', row.check_outcome)
  return url.href
}
