import type { ProjectDb } from '../../../kernel/db/index.ts'
import { connectionResource, findConnection } from '../connections/index.ts'
import type { MissingPermission } from './connect-info/model.ts'
import { outcomeText } from './outcome-text.ts'
import { permissionText } from './permission-text.ts'
import { popupPage } from './popup-page.ts'

/**
 * Renders the page of a successful flow (contract 7.4). Only a known origin receives the connection; others receive its
 * id.
 */
export async function successPage(
  db: ProjectDb,
  {
    openerOrigin,
    displayName,
    appName,
    connectionId,
    missing = [],
  }: {
    openerOrigin: string | undefined
    displayName: string
    appName: string | undefined
    connectionId: string
    /** What the account did not grant. */
    missing?: readonly MissingPermission[]
  },
): Promise<string> {
  const row = await findConnection(db, connectionId)
  const { title, text, isGood } = row
    ? outcomeText(row, displayName)
    : { title: `${displayName} is connected`, text: '', isGood: true }
  const isShown = row !== undefined && openerOrigin !== undefined
  const lacks = missing.length > 0 ? `${displayName} did not grant: ${missing.map(permissionText).join('. ')}.` : ''
  return popupPage({
    title,
    text: `${text} ${lacks} You can close this window.`.trim().replaceAll('  ', ' '),
    appName,
    message: {
      eventType: 'AUTHORIZATION_SUCCEEDED',
      data: isShown
        ? { connection: connectionResource(row), ...(missing.length > 0 && { missingPermissions: missing }) }
        : { connection: connectionId },
    },
    targetOrigin: openerOrigin ?? '*',
    closes: isGood,
  })
}

/** Renders the page of a failed flow. The window stays open, because some clients show the reason nowhere else. */
export function failurePage(
  sentence: string,
  { title, openerOrigin, appName }: { title: string; openerOrigin?: string | undefined; appName?: string | undefined },
): string {
  return popupPage({
    title,
    text: sentence,
    appName,
    message: { eventType: 'AUTHORIZATION_FAILED', message: sentence, data: { error: sentence } },
    targetOrigin: openerOrigin ?? '*',
    closes: false,
  })
}

/** Renders the page for a response that belongs to no flow, so that its origin is unknown. */
export function stalePage(): string {
  return failurePage(
    'This page has expired, was already used, or belongs to another browser. Nothing was connected. Close this window and start again.',
    { title: 'The account was not connected' },
  )
}
