import type { Catalogue } from '@mortise/providers'
import type { Database, ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { findAppName } from '../../../identity/projects/index.ts'
import { type ConnectionRow, findConnection } from '../../connections/index.ts'
import { outcomeText } from '../outcome-text.ts'
import { accountFields, type ConnectOptions, connectOptions } from './connect-options.ts'
import { connectPagePath, type OpenedSession, openConnectSession } from './connect-session.ts'
import type { FormPage } from './form-page.ts'
import type { AuthenticationMethod } from './methods.ts'
import { donePage, type Page, unknownPage } from './page.ts'

/** An open session, and what its form shows. */
export interface PageContext {
  db: ProjectDb
  session: OpenedSession
  options: ConnectOptions
  method: AuthenticationMethod
  /** The form, without what depends on the browser. */
  form: Omit<FormPage, 'formToken' | 'status'>
}

export type PageContextServices = { database: Database; keyring: Keyring; now: () => Date; catalogue: Catalogue }

/**
 * Opens the page of a link: a form, or a page with a message when there is nothing to fill in.
 *
 * @param wanted the name of the authentication method; the preferred one if undefined or unknown
 */
export async function openPage(
  services: PageContextServices,
  token: string,
  wanted: string | undefined,
): Promise<{ page: Page } | PageContext> {
  const session = await openConnectSession(services, token)
  if (!session) return { page: unknownPage() }
  const db = services.database.forProject(session.projectId)
  const { purpose, connectionId } = session
  const appName = await findAppName(db)
  if (connectionId !== undefined) {
    const displayName = services.catalogue.find(purpose.provider)?.displayName ?? purpose.provider
    const row = await findConnection(db, connectionId)
    const outcome = row
      ? outcomeText(row, displayName)
      : { title: `${displayName} was connected`, text: '', isGood: true }
    return { page: donePage(outcome, { appName, redirectUrl: endOf(purpose.redirectUrl, connectionId, row) }) }
  }
  const options = await connectOptions(db, services, purpose)
  const method = options?.methods.find(({ scheme }) => scheme === wanted) ?? options?.methods[0]
  if (!options || !method) return { page: unknownPage() }
  const form = {
    displayName: options.entry.displayName,
    appName,
    groupName: purpose.groupName ?? purpose.groupRef,
    again: options.known !== undefined,
    path: connectPagePath(token),
    method,
    others: options.methods.filter((other) => other !== method),
    fields: [...accountFields(options, method), ...method.fields],
  }
  return { db, session, options, method, form }
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
