import { isDeepStrictEqual } from 'node:util'
import { type Catalogue, type ConnectionValues, changedAddressValues, type ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import { type Caller, confinementOf, InvalidInput, type Issue, maySeeSecrets } from '../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../kernel/net/index.ts'
import {
  apiKeyIssues,
  type ConnectionChange,
  maskedChange,
  metadataIssues,
  metadataValues,
  type UpdateConnectionRequest,
} from '../connection-inputs/index.ts'
import { advanceGeneration, encryptCredential, openCredential, upsertCredential } from '../credentials/index.ts'
import { type EncryptedConnectionRow, findEncryptedConnection } from './encrypted-connection.ts'
import type { ConnectionHooks } from './hooks.ts'
import { nextStatus } from './model.ts'
import { ConnectionExists, ConnectionNotFound, CredentialNeeded } from './problems.ts'
import { lockConnections, updateConnectionAccount } from './store.ts'

/**
 * Changes a connection as an update mask requests. A new credential is unproven, like that of a new connection. Another
 * workspace or other metadata gives a refused credential another chance. Part of the caller's transaction.
 *
 * @throws ConnectionNotFound, InvalidInput listing every issue
 * @throws CredentialNeeded if a caller who may not read the stored credential would send it to another address
 * @throws ConnectionExists if another connection already uses the new workspace
 */
export async function changeConnection(
  tx: ProjectDb,
  services: { keyring: Keyring; hooks: ConnectionHooks; catalogue: Catalogue; guard: AddressGuard },
  { id, caller }: { id: string; caller: Caller },
  request: UpdateConnectionRequest,
): Promise<string> {
  const { hooks, catalogue } = services
  const envelope = createEnvelope(services.keyring)
  const confinedTo = confinementOf(caller)
  // The workspace is part of a unique index. PostgreSQL would request the stronger lock later anyway, which could
  // deadlock.
  if (!(await findEncryptedConnection(tx, id, confinedTo))) throw new ConnectionNotFound()
  await lockConnections(tx, { ids: [id] })
  const row = await findEncryptedConnection(tx, id, confinedTo)
  if (!row) throw new ConnectionNotFound()

  const stored = openCredential(envelope, tx.projectId, id, row.encrypted)
  const masked = maskedChange(request, { authScheme: row.auth_scheme, credential: stored })
  if ('issues' in masked) throw new InvalidInput({ issues: masked.issues })
  const { change } = masked
  const account = accountAfter(row, change)
  const entry = catalogue.find(row.provider)
  assertAccount(entry, services.guard, change, { ...account, schemeName: row.scheme_name ?? undefined })
  if (!change.credential && !maySeeSecrets(caller)) assertSameAddress(entry, row, account)

  const to = nextStatus(row.status, change.credential ? 'generated' : 'readdressed')
  try {
    await updateConnectionAccount(tx, id, { ...account, status: to })
  } catch (cause) {
    if ((cause as { code?: unknown }).code === uniqueViolation) throw new ConnectionExists({ cause })
    throw cause
  }
  if (change.credential) {
    const encrypted = encryptCredential(envelope, tx.projectId, id, change.credential)
    await upsertCredential(tx, id, encrypted, change.credential)
  } else await advanceGeneration(tx, id)
  await hooks.connectionCreated(tx, { connectionId: id, isNew: false })
  if (to !== row.status) await hooks.connectionStatusChanged(tx, { connectionId: id, from: row.status, to })
  return id
}

/** SQLSTATE: another connection already uses this account. */
const uniqueViolation = '23505'

function accountAfter(row: EncryptedConnectionRow, { workspace, providerMetadata }: ConnectionChange) {
  return {
    providerWorkspaceRef: workspace ? (workspace.ref ?? null) : row.provider_workspace_ref,
    providerMetadata: providerMetadata ?? row.provider_metadata,
  }
}

/**
 * Prevents callers who may not read the stored credential from choosing where it is sent.
 * @throws CredentialNeeded naming the values
 */
function assertSameAddress(
  entry: ProviderEntry | undefined,
  row: EncryptedConnectionRow,
  account: ReturnType<typeof accountAfter>,
): void {
  const before = { providerWorkspaceRef: row.provider_workspace_ref, providerMetadata: row.provider_metadata }
  // If the catalog lacks the provider, any value could be part of an address.
  const changed = entry
    ? changedAddressValues(entry, valuesOf(before), valuesOf(account)).map((name) =>
        name === 'workspace' && before.providerWorkspaceRef !== account.providerWorkspaceRef
          ? 'providerWorkspaceRef'
          : `providerMetadata.${name}`,
      )
    : isDeepStrictEqual(before, account)
      ? []
      : ['providerMetadata']
  if (changed.length === 0) return
  throw new CredentialNeeded({
    detail: `The stored credential would be sent to another address: the request changes ${changed.join(', ')}.`,
    issues: changed.map(
      (name): Issue => ({
        in: 'body',
        name: `connection.${name}`,
        detail: 'This value decides which address the credential is sent to.',
        remedy: 'Keep the value, or send the credential in the same request.',
      }),
    ),
  })
}

function valuesOf({ providerWorkspaceRef, providerMetadata }: ReturnType<typeof accountAfter>): ConnectionValues {
  const workspaceRef = providerWorkspaceRef ?? undefined
  return { metadata: metadataValues(providerMetadata), ...(workspaceRef !== undefined && { workspaceRef }) }
}

/** Validates the new workspace and metadata. If the catalog no longer has the provider, it accepts everything. */
function assertAccount(
  entry: ProviderEntry | undefined,
  guard: AddressGuard,
  change: ConnectionChange,
  account: ReturnType<typeof accountAfter> & { schemeName: string | undefined },
): void {
  if (!entry) return
  const { credential } = change
  const issues: Issue[] =
    credential?.scheme === 'apiKey'
      ? apiKeyIssues(entry, account.schemeName, credential.apiKey, 'connection.apiKey')
      : []
  if (change.workspace !== undefined || change.providerMetadata !== undefined) {
    const values = metadataValues(account.providerMetadata)
    const workspaceRef = account.providerWorkspaceRef ?? undefined
    issues.push(...metadataIssues(entry, guard, { values, workspaceRef }, 'connection.'))
  }
  if (issues.length > 0) throw new InvalidInput({ issues })
}
