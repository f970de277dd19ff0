import { type Attachment, attachCredential, NoConnector, type ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope } from '../../../../kernel/encryption/index.ts'
import type { ConnectionStatus, LiveConnection, Services } from '../../../../services.ts'
import { brokenFile, hasBrokenFile } from '../../../integrations/catalogue/index.ts'
import { openCredential, usableCredential } from '../credential.ts'
import { findSealedConnection, type SealedConnectionRow } from '../credential-store.ts'
import { entryOfConnection } from '../entry-of-connection.ts'
import { metadataValues } from '../model.ts'
import { ConnectionNotFound } from '../problems.ts'
import { isRenewable, type TokenLife, tokenLife } from './renewal-rules.ts'

/**
 * A connection as it was when it was last looked at, ready to be used. Of the credential it holds what requests carry,
 * and no more.
 */
export interface Snapshot {
  readonly projectId: string
  readonly row: Omit<SealedConnectionRow, 'sealed'>
  readonly entry: ProviderEntry
  readonly context: LiveConnection['context']
  /** Tells two places apart that a credential could be sent to. */
  readonly place: string
  /** What requests carry. */
  readonly attached: (Attachment & { generation: number }) | undefined
  readonly token: TokenLife
  readonly isRenewable: boolean
  /** As last known here. */
  status: ConnectionStatus
  rateLimitedUntil: Date | undefined
}

/** Looks a connection up and opens its credential; one statement. @throws ConnectionNotFound, NoConnector */
export async function takeSnapshot(
  db: ProjectDb,
  { keyring, catalogue }: Pick<Services, 'keyring' | 'catalogue'>,
  connectionId: string,
): Promise<Snapshot> {
  const found = await findSealedConnection(db, connectionId)
  if (!found) throw new ConnectionNotFound()
  const { sealed, ...row } = found
  const entry = entryOfConnection(catalogue, row)
  if (!entry) throw missingProvider(catalogue, row.provider)
  const stored = openCredential(createEnvelope(keyring), db.projectId, row.connection_id, sealed)
  const credential = usableCredential(stored)
  const context = {
    metadata: metadataValues(row.provider_metadata),
    ...(row.provider_workspace_ref !== null && { workspaceRef: row.provider_workspace_ref }),
  }
  return {
    projectId: db.projectId,
    row,
    entry,
    context,
    place: JSON.stringify([row.provider, context]),
    attached: credential && {
      ...attachCredential(entry.authentication, credential),
      generation: row.generation,
    },
    token: tokenLife(stored),
    isRenewable: isRenewable(stored),
    status: row.status,
    rateLimitedUntil: row.rate_limited_until ?? undefined,
  }
}

/** Says why the catalogue does not have a provider of which there are connections. */
export function missingProvider(catalogue: Services['catalogue'], provider: string): NoConnector {
  const why = hasBrokenFile(catalogue, provider)
    ? `${brokenFile.detail(provider)} ${brokenFile.remedy}`
    : `There is no provider file of ${JSON.stringify(provider)} any more. Put it back into a folder of MORTISE_PROVIDERS_DIR; no restart is needed.`
  return new NoConnector(provider, undefined, why)
}

/** How often tokens of the connection are to be renewed at least, where its provider's file says. */
export function providerKeepAliveHours(
  catalogue: Services['catalogue'],
  row: Pick<SealedConnectionRow, 'provider' | 'scheme_name'>,
): number | undefined {
  for (const scheme of entryOfConnection(catalogue, row)?.authentication ?? [])
    if (scheme.scheme === 'oauth2') return scheme.keepAliveIntervalHours
  return undefined
}
