import { hash, randomBytes } from 'node:crypto'
import type { StepProgress } from '@mortise/providers'
import type { Database, ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import type { WaitingPage } from '../connect-page/waiting-page.ts'
import type { FlowEnd } from '../flow.ts'
import { claimSession, findWaitingSession, insertSession } from './session-store.ts'

/** How long a customer may take at the provider. */
export const sessionMinutes = 10

/**
 * An account that a customer is connecting by multi-step authentication. The caller knows only the id; the rest is
 * stored here, encrypted.
 */
export interface Session {
  provider: string
  /** The provider's scheme; absent if an older release started the session. */
  schemeName?: string
  groupRef: string
  groupName?: string
  consumerRef: string
  consumerName?: string
  workspaceRef?: string
  providerMetadata?: Record<string, unknown>
  providerAppId?: string
  /** The connect page that resumes when the browser that it was shown to comes back (`hashedBrowser`). */
  page?: WaitingPage & { browserHash: string }
  /**
   * Where it ends if components started it. The browser that first opens the start URL is the only one that can finish:
   * its hash is absent until then.
   */
  end?: FlowEnd & { browserHash: string | undefined; url?: string }
  /** Origin of the page that started it, if known. */
  openerOrigin?: string
  /** The customer's inputs. */
  values: Record<string, unknown>
  progress: StepProgress
}

type Needed = { keyring: Keyring; now: () => Date }

/** Returns 256 random bits in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a secret for storage. It is random, so a plain hash is enough. */
export function hashed(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Returns the hash by which a session recognizes its browser. */
export function hashedBrowser(secret: string): string {
  return hashed(secret).toString('base64url')
}

/** Stores a session until the redirected browser comes back. Returns its id. */
export async function keepSession(db: ProjectDb, { keyring, now }: Needed, session: Session): Promise<string> {
  const id = newSecret()
  const sessionHash = hashed(id)
  await insertSession(db, {
    sessionHash,
    stateHash: hashed(session.progress.state ?? newSecret()),
    openerOrigin: session.openerOrigin,
    encrypted: createEnvelope(keyring).encrypt(JSON.stringify(session), encryptedAt(db.projectId, sessionHash)),
    expireTime: new Date(now().getTime() + sessionMinutes * 60_000),
  })
  return id
}

/** Claims the session of this id. A session resumes at most once, whatever the outcome. */
export async function takeSession(db: ProjectDb, { keyring, now }: Needed, id: string): Promise<Session | undefined> {
  return await takeByHash(db, { keyring, now }, hashed(id))
}

async function takeByHash(db: ProjectDb, { keyring, now }: Needed, sessionHash: Buffer): Promise<Session | undefined> {
  const row = await claimSession(db, { sessionHash, now: now() })
  return row && opened(keyring, db.projectId, sessionHash, row.encrypted)
}

/** A session whose browser has come back. `take` claims it, once. */
export interface Waiting {
  projectId: string
  session: Session
  take(db: ProjectDb): Promise<Session | undefined>
}

/** Returns the session that redirected a browser with this state. */
export async function findWaiting(
  services: Needed & { database: Database },
  state: string,
): Promise<Waiting | undefined> {
  const row = await findWaitingSession(services.database.system, { stateHash: hashed(state), now: services.now() })
  if (!row) return undefined
  return {
    projectId: row.project_id,
    session: opened(services.keyring, row.project_id, row.session_hash, row.encrypted),
    take: (db) => takeByHash(db, services, row.session_hash),
  }
}

function opened(keyring: Needed['keyring'], projectId: string, sessionHash: Buffer, encrypted: string): Session {
  return JSON.parse(createEnvelope(keyring).open(encrypted, encryptedAt(projectId, sessionHash)).toString()) as Session
}

function encryptedAt(projectId: string, sessionHash: Buffer) {
  return { table: 'custom_auth_sessions', project: projectId, row: sessionHash.toString('hex'), column: 'encrypted' }
}
