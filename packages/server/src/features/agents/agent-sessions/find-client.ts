import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { AgentClient } from './agent-client.ts'
import { type DocumentServices, findClientDocument, isDocumentUrl } from './client-document.ts'
import { findAgentClient } from './client-store.ts'
import { OAuthError } from './oauth-error.ts'

/**
 * Finds a client that registered, or that its document describes.
 *
 * @throws OAuthError
 */
export async function findClient(
  db: ProjectDb,
  services: DocumentServices,
  clientId: string,
  signal: AbortSignal,
): Promise<AgentClient> {
  if (isDocumentUrl(clientId)) return await findClientDocument(db, services, clientId, signal)
  const row = await findAgentClient(db, clientId, services.now())
  if (!row) throw unknownClient()
  return { id: row.id, name: row.name, redirectUris: row.redirect_uris }
}

/** Rejects an id that no client has; a document is not fetched again. @throws OAuthError */
export async function assertClient(db: ProjectDb, clientId: string | undefined, now: Date): Promise<string> {
  if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is missing.')
  if (!isDocumentUrl(clientId) && !(await findAgentClient(db, clientId, now))) throw unknownClient()
  return clientId
}

function unknownClient(): OAuthError {
  return new OAuthError('invalid_client', 'The client is not registered here, or its registration has expired.')
}
