import type { ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../kernel/db/index.ts'
import { type Confinement, InvalidInput } from '../../kernel/http/index.ts'
import { createEnvelope } from '../../kernel/seal/index.ts'
import type { Services } from '../../services.ts'
import { type ConnectionChange, maskedChange } from './connection-change.ts'
import { openCredential, sealCredential } from './credential.ts'
import {
  advanceGeneration,
  findSealedConnection,
  type SealedConnectionRow,
  upsertCredential,
} from './credential-store.ts'
import { metadataIssues } from './metadata-issues.ts'
import { metadataValues, nextStatus } from './model.ts'
import type { UpdateConnectionRequest } from './new-connection.ts'
import { ConnectionExists, ConnectionNotFound } from './problems.ts'
import { lockConnectionsForDelete, updateConnectionPlace } from './store.ts'

/**
 * Changes a connection as an update mask asks. A new credential is unproven, as one that was just connected; another workspace or other
 * metadata gives a refused credential another chance. Part of the caller's transaction.
 *
 * @throws ConnectionNotFound, InvalidInput with everything that is wrong
 * @throws ConnectionExists when the new workspace is that of another connection
 */
export async function changeConnection(
  tx: ProjectDb,
  services: Pick<Services, 'keyring' | 'hooks' | 'catalogue' | 'guard'>,
  { id, confinedTo }: { id: string; confinedTo: Confinement | undefined },
  request: UpdateConnectionRequest,
): Promise<string> {
  const { hooks, catalogue } = services
  const envelope = createEnvelope(services.keyring)
  // The workspace is part of a unique index: PostgreSQL would ask for the stronger lock later anyway, which could then be a deadlock.
  if (!(await findSealedConnection(tx, id, confinedTo))) throw new ConnectionNotFound()
  await lockConnectionsForDelete(tx, [id])
  const row = await findSealedConnection(tx, id, confinedTo)
  if (!row) throw new ConnectionNotFound()

  const stored = openCredential(envelope, tx.projectId, id, row.sealed)
  const masked = maskedChange(request, { authScheme: row.auth_scheme, credential: stored })
  if ('issues' in masked) throw new InvalidInput({ issues: masked.issues })
  const { change } = masked
  const place = placeAfter(row, change)
  assertPlace(catalogue.find(row.provider), services.guard, change, place)

  const to = nextStatus(row.status, change.credential ? 'generated' : 'readdressed')
  try {
    await updateConnectionPlace(tx, id, { ...place, status: to })
  } catch (cause) {
    if ((cause as { code?: unknown }).code === uniqueViolation) throw new ConnectionExists({ cause })
    throw cause
  }
  if (change.credential) {
    const sealed = sealCredential(envelope, tx.projectId, id, change.credential)
    await upsertCredential(tx, id, sealed, change.credential)
  } else await advanceGeneration(tx, id)
  await hooks.connectionCreated(tx, { connectionId: id, isNew: false })
  if (to !== row.status) await hooks.connectionStatusChanged(tx, { connectionId: id, from: row.status, to })
  return id
}

/** SQLSTATE: two connections to one account. */
const uniqueViolation = '23505'

function placeAfter(row: SealedConnectionRow, { workspace, providerMetadata }: ConnectionChange) {
  return {
    providerWorkspaceRef: workspace ? (workspace.ref ?? null) : row.provider_workspace_ref,
    providerMetadata: providerMetadata ?? row.provider_metadata,
  }
}

/** The new place must be one that the provider can be reached at; of a provider that the catalogue lost nothing is known. */
function assertPlace(
  entry: ProviderEntry | undefined,
  guard: Services['guard'],
  change: ConnectionChange,
  place: ReturnType<typeof placeAfter>,
): void {
  if (!entry || (change.workspace === undefined && change.providerMetadata === undefined)) return
  const values = metadataValues(place.providerMetadata)
  const issues = metadataIssues(
    entry,
    guard,
    { values, workspaceRef: place.providerWorkspaceRef ?? undefined },
    'connection.',
  )
  if (issues.length > 0) throw new InvalidInput({ issues })
}
