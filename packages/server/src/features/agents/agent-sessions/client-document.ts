import { LRUCache } from 'lru-cache'
import type { Database, ProjectDb } from '../../../kernel/db/index.ts'
import { Problem, readJson } from '../../../kernel/http/index.ts'
import { type AddressGuard, type Outbound, OutboundError } from '../../../kernel/net/index.ts'
import type { AgentClient } from './agent-client.ts'
import { clientMetadata, metadataIssues } from './client-metadata.ts'
import { OAuthError } from './oauth-error.ts'

/** Client ID Metadata Documents: the id of a client is the https address of a document that describes it. */

const documentBytesMax = 16_384
const timeoutMs = 5_000
const cached = { max: 500, ttl: 300_000 }
/** Documents that one node fetches at the same time. */
const fetchesMax = 200

export interface DocumentServices {
  database: Database
  outbound: Outbound
  guard: AddressGuard
  now: () => Date
}

interface Documents {
  known: LRUCache<string, AgentClient>
  fetching: Map<string, Promise<AgentClient>>
}

const documents = new WeakMap<object, Documents>()

/** Documents of a service. Errors are not kept. */
function documentsOf({ outbound }: DocumentServices): Documents {
  const found = documents.get(outbound)
  if (found) return found
  const made: Documents = { known: new LRUCache(cached), fetching: new Map() }
  documents.set(outbound, made)
  return made
}

/** Returns whether an id of a client is an address: of a page, so that it cannot be the id of a registration. */
export function isDocumentUrl(clientId: string): boolean {
  return clientId.includes('://')
}

/** @throws OAuthError */
export async function findClientDocument(
  db: ProjectDb,
  services: DocumentServices,
  clientId: string,
  signal: AbortSignal,
): Promise<AgentClient> {
  assertDocumentUrl(services, clientId)
  const { known, fetching } = documentsOf(services)
  const found = known.get(clientId)
  if (found) return found
  if (fetching.size >= fetchesMax && !fetching.has(clientId))
    throw new OAuthError('temporarily_unavailable', 'Too many client documents are being fetched. Try again.')
  const fetched = fetching.get(clientId) ?? fetchClient(db, services, clientId)
  fetching.set(clientId, fetched)
  try {
    const client = await fetched
    known.set(clientId, client)
    return client
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    fetching.delete(clientId)
  }
}

/** Rejects an address that has no document, before it is fetched. @throws OAuthError */
function assertDocumentUrl({ guard }: DocumentServices, clientId: string): void {
  const url = clientId.length <= 2_000 ? URL.parse(clientId) : null
  const isExact = url?.href === clientId && url.pathname !== '/' && url.hash === '' && !clientId.includes('#')
  if (!isExact) throw invalid('client_id must be an https URL in its normal form, with a path and without a fragment.')
  try {
    guard.assertUrlAllowed(url)
  } catch {
    throw invalid('The address of the client document is not allowed. It must be a public https URL.')
  }
}

async function fetchClient(db: ProjectDb, { outbound }: DocumentServices, clientId: string): Promise<AgentClient> {
  const { status, headers, body } = await outbound
    .request({
      method: 'GET',
      url: clientId,
      headers: { accept: 'application/json' },
      timeoutMs,
      maxBytes: documentBytesMax,
      project: db.projectId,
    })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundError)) throw error
      throw invalid('The client document could not be fetched: no answer, too slow, too large or not a public address.')
    })
  if (status !== 200) throw invalid('The client document could not be fetched: the status of the response is not 200.')
  if (!/^application\/([\w.-]+\+)?json *(;|$)/i.test(headers['content-type'] ?? ''))
    throw invalid('The client document is not JSON.')
  const fields = fieldsOf(body)
  const issues = [
    ...(fields['client_id'] === clientId ? [] : ['client_id of the document is not its address.']),
    ...('client_secret' in fields ? ['A client document must not have a client_secret.'] : []),
    ...(['none', undefined].includes(fields['token_endpoint_auth_method'] as string | undefined)
      ? []
      : ['token_endpoint_auth_method of the document must be none.']),
    ...metadataIssues(fields),
  ]
  if (issues.length > 0) throw invalid(`The client document is not valid. ${issues.join(' ')}`)
  return { id: clientId, ...clientMetadata(fields) }
}

/** @throws OAuthError */
function fieldsOf(body: Buffer): Record<string, unknown> {
  try {
    const value = readJson(body, [])
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
  throw invalid('The client document is not a JSON object.')
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client', description)
}
