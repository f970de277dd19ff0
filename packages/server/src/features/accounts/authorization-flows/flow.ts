import { hash, randomBytes } from 'node:crypto'
import type { Database, ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { WaitingPage } from './connect-page/waiting-page.ts'
import { bindFlow, claimFlow, type FlowRow, insertFlow } from './flow-store.ts'

/** How long a person may take at the provider. */
export const flowMinutes = 10

/** Whose account is connected: of a new connection, or of one that is to be authorised again. */
export type FlowPurpose =
  | { kind: 'connect'; groupRef: string; groupName?: string; consumerRef: string; consumerName?: string }
  | { kind: 'reconnect'; connectionId: string }

/**
 * An account that is being connected in a browser. The browser holds the state alone; the rest stays here, encrypted.
 */
export interface Flow {
  purpose: FlowPurpose
  provider: string
  /** Which of its schemes; absent in a flow that an older release began. */
  schemeName?: string
  workspaceRef?: string
  providerMetadata?: Record<string, unknown>
  providerAppId: string
  /** As the provider was told: the code is issued to it. */
  clientId: string
  redirectUri: string
  /** Of the challenge that was sent. */
  verifier?: string
  /** Where the browser is sent. */
  authorizationUrl: string
  /** The page of ours that the browser goes back to at the end. */
  page?: WaitingPage
  /** Origin of the page that asked, where it is known. */
  openerOrigin?: string
  /** Who asked, as `createdBy` says it. */
  askedBy: string
}

type Needed = { database: Database; keyring: Keyring; now: () => Date }

/** 256 random bits in base64url. */
export function newFlowSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** All that is kept of it; it is random, so a plain hash does. */
function hashed(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Keeps a flow until its answer comes. A bound one must be opened by a browser first, and is that browser's alone. */
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
 * The flow of this state, given to this browser; undefined when it is none, has expired, or belongs to another browser.
 */
export async function openFlow(
  services: Needed,
  { state, browserSecret }: { state: string; browserSecret: string },
): Promise<Flow | undefined> {
  const keys = { stateHash: hashed(state), browserHash: hashed(browserSecret), now: services.now() }
  return opened(services, keys.stateHash, await bindFlow(services.database.system, keys))?.flow
}

/** Takes the flow of this state away: whatever comes of it, no second answer is heard. */
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
