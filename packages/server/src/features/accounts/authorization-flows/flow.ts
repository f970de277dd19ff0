import { hash, randomBytes } from 'node:crypto'
import type { Database, ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { AuthorizationServer, OwnClient } from '../credentials/index.ts'
import type { WaitingPage } from './connect-page/waiting-page.ts'
import { bindFlow, claimFlow, type FlowRow, insertFlow } from './flow-store.ts'

/** How long a person may take at the provider. */
export const flowMinutes = 10

/** Which connection gets the account: a new one, or one that is authorized again. */
export type FlowPurpose =
  | { kind: 'connect'; groupRef: string; groupName?: string; consumerRef: string; consumerName?: string }
  | { kind: 'reconnect'; connectionId: string }

/** Where a flow ends that components started: in a window, whose opener gets a message, or at a page of the builder. */
export interface FlowEnd {
  /** The connect session of the components. */
  sessionId?: string
  /** Origin of the page that started the flow, if known. */
  openerOrigin?: string
  /** The page that the browser returns to. */
  returnUrl?: string
}

/**
 * An account that a customer is connecting in a browser. The browser knows only the state; the rest is stored here,
 * encrypted.
 */
export interface Flow {
  purpose: FlowPurpose
  provider: string
  /** The provider's scheme; absent if an older release started the flow. */
  schemeName?: string
  workspaceRef?: string
  providerMetadata?: Record<string, unknown>
  /** Absent if Mortise has its own client. */
  providerAppId?: string
  /** The authorization server, if it was looked up: its endpoints get the code and nothing else does. */
  server?: AuthorizationServer
  /** The client of Mortise, if there is no provider app. */
  client?: OwnClient
  /** The requested scopes, if the server was looked up. */
  scopes?: string[]
  /** As sent in the authorization request: the code is bound to it. */
  clientId: string
  redirectUri: string
  /** Verifier of the code challenge that was sent. */
  verifier?: string
  /** URL that the browser is redirected to. */
  authorizationUrl: string
  /** The connect page that the browser returns to at the end. */
  page?: WaitingPage
  /** Where the flow ends if components started it. */
  end?: FlowEnd
  /** Origin of the page that started the flow, if known. */
  openerOrigin?: string
  /** The requester, as in `createdBy`. */
  askedBy: string
}

type Needed = { database: Database; keyring: Keyring; now: () => Date }

/** Returns 256 random bits in base64url. */
export function newFlowSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes the secret for storage. It is random, so a plain hash is enough. */
function hashed(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/**
 * Stores a flow until its response arrives. A browser must open a bound flow first, and only that browser can finish
 * it.
 */
export async function keepFlow(
  db: ProjectDb,
  { keyring, now }: Pick<Needed, 'keyring' | 'now'>,
  { state, bound, flow }: { state: string; bound: boolean; flow: Flow },
): Promise<void> {
  const stateHash = hashed(state)
  await insertFlow(db, {
    stateHash,
    bound,
    encrypted: createEnvelope(keyring).encrypt(JSON.stringify(flow), encryptedAt(db.projectId, stateHash)),
    expireTime: new Date(now().getTime() + flowMinutes * 60_000),
  })
}

/**
 * Returns the flow of this state and binds it to this browser; undefined if the state is invalid, has expired, or
 * belongs to another browser.
 */
export async function openFlow(
  services: Needed,
  { state, browserSecret }: { state: string; browserSecret: string },
): Promise<Flow | undefined> {
  const keys = { stateHash: hashed(state), browserHash: hashed(browserSecret), now: services.now() }
  return opened(services, keys.stateHash, await bindFlow(services.database.system, keys))?.flow
}

/** Claims the flow of this state. A second response finds nothing, whatever the outcome of the first. */
export async function takeFlow(
  services: Needed,
  { state, browserSecret }: { state: string; browserSecret: string | undefined },
): Promise<{ projectId: string; flow: Flow } | undefined> {
  const stateHash = hashed(state)
  const browserHash = browserSecret === undefined ? undefined : hashed(browserSecret)
  return opened(
    services,
    stateHash,
    await claimFlow(services.database.system, { stateHash, browserHash, now: services.now() }),
  )
}

function opened({ keyring }: Needed, stateHash: Buffer, row: FlowRow | undefined) {
  if (!row) return undefined
  const text = createEnvelope(keyring).open(row.encrypted, encryptedAt(row.project_id, stateHash)).toString()
  return { projectId: row.project_id, flow: JSON.parse(text) as Flow }
}

function encryptedAt(projectId: string, stateHash: Buffer) {
  return { table: 'oauth_flows', project: projectId, row: stateHash.toString('hex'), column: 'encrypted' }
}
