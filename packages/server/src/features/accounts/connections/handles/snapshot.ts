import { type Attachment, attachCredential, type Catalogue, type ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import type { ConnectionHandle, ConnectionStatus } from '../../../provider-calls/calls/index.ts'
import { entryOfConnection, metadataValues, missingProvider } from '../../connection-inputs/index.ts'
import { openCredential, usableCredential } from '../../credentials/index.ts'
import { isRenewable, type TokenLife, tokenLife } from '../../tokens/index.ts'
import { type EncryptedConnectionRow, findEncryptedConnection } from '../encrypted-connection.ts'
import { ConnectionNotFound } from '../problems.ts'

/**
 * A connection as it was when it was last read, ready for use. Of the credential, it contains only what requests send.
 */
export interface Snapshot {
  readonly projectId: string
  readonly row: Omit<EncryptedConnectionRow, 'encrypted'>
  readonly entry: ProviderEntry
  readonly context: ConnectionHandle['context']
  /** Identifies the provider and the values that determine where the credential is sent. */
  readonly target: string
  /** What requests send of the credential. */
  readonly attached: (Attachment & { generation: number }) | undefined
  readonly token: TokenLife
  readonly isRenewable: boolean
  /** As last known on this node. */
  status: ConnectionStatus
  rateLimitedUntil: Date | undefined
}

/** Reads a connection and decrypts its credential, in one statement. @throws ConnectionNotFound, NoConnector */
export async function takeSnapshot(
  db: ProjectDb,
  { keyring, catalogue }: { keyring: Keyring; catalogue: Catalogue },
  connectionId: string,
): Promise<Snapshot> {
  const found = await findEncryptedConnection(db, connectionId)
  if (!found) throw new ConnectionNotFound()
  const { encrypted, ...row } = found
  const entry = entryOfConnection(catalogue, row)
  if (!entry) throw missingProvider(catalogue, row.provider)
  const stored = openCredential(createEnvelope(keyring), db.projectId, row.connection_id, encrypted)
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
    target: JSON.stringify([row.provider, context]),
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

/** Returns how often to renew the connection's tokens at least, if its provider's file says so. */
export function providerKeepAliveHours(
  catalogue: Catalogue,
  row: Pick<EncryptedConnectionRow, 'provider' | 'scheme_name'>,
): number | undefined {
  for (const scheme of entryOfConnection(catalogue, row)?.authentication ?? [])
    if (scheme.scheme === 'oauth2') return scheme.keepAliveIntervalHours
  return undefined
}
