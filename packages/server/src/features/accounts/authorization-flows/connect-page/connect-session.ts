import { hash, randomBytes } from 'node:crypto'
import type { Database, NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import {
  type ConnectSessionRow,
  findConnectSessionByToken,
  insertConnectSession,
  type ShownSessionRow,
} from './connect-session-store.ts'
import type { ConnectSession } from './model.ts'

/** How long a person may take to open the page and to fill it in. */
export const connectSessionMinutes = 30

/** What a page is for, as the API asked for it: nothing of it comes from the browser. */
export interface ConnectPurpose {
  provider: string
  /** The only way that the page offers; all when absent. */
  schemeName?: string
  groupRef: string
  groupName?: string
  consumerRef: string
  consumerName?: string
  providerAppId?: string
  /** The connection that gets a new credential. */
  connectionId?: string
  redirectUrl?: string
  /** Who asked, as `createdBy` says it. */
  askedBy: string
}

/** A page on which a customer connects an account. The link holds its token; the database the token's hash. */
export interface OpenedSession {
  projectId: string
  id: string
  purpose: ConnectPurpose
  failure: string | undefined
  /** What came of it. */
  connectionId: string | undefined
  createTime: Date
  expireTime: Date
}

type Needed = { database: Database; keyring: Keyring; now: () => Date }

/** Keeps a session; answers it with the token of its link, which is in no other place. */
export async function keepConnectSession(
  db: ProjectDb,
  { keyring, now, newId }: { keyring: Keyring; now: () => Date; newId: NewId },
  purpose: ConnectPurpose,
): Promise<{ token: string; session: ShownSessionRow }> {
  const token = randomBytes(32).toString('base64url')
  const id = newId()
  const { provider, groupRef, consumerRef } = purpose
  const session = await insertConnectSession(db, {
    id,
    tokenHash: hashed(token),
    provider,
    groupRef,
    consumerRef,
    encrypted: createEnvelope(keyring).encrypt(JSON.stringify(purpose), encryptedAt(db.projectId, id)),
    expireTime: new Date(now().getTime() + connectSessionMinutes * 60_000),
  })
  return { token, session }
}

/** The session of a link; undefined for what is none, or has expired. */
export async function openConnectSession(services: Needed, token: string): Promise<OpenedSession | undefined> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined
  const row = await findConnectSessionByToken(services.database.system, {
    tokenHash: hashed(token),
    now: services.now(),
  })
  return row && opened(services, row)
}

export function connectSessionResource(row: ShownSessionRow) {
  return {
    id: row.id,
    provider: row.provider,
    groupRef: row.group_ref,
    consumerRef: row.consumer_ref,
    ...(row.connection_id !== null && { connectionId: row.connection_id }),
    createTime: row.create_time,
    expireTime: row.expire_time,
  } satisfies ConnectSession
}

/** The page of a session. Relative: whatever leads there is on this origin. */
export function connectPagePath(token: string): string {
  return `/connect/${token}`
}

/** All that is kept of it; it is random, so a plain hash does. */
function hashed(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

function opened({ keyring }: { keyring: Keyring }, row: ConnectSessionRow): OpenedSession {
  const text = createEnvelope(keyring).open(row.encrypted, encryptedAt(row.project_id, row.id)).toString()
  return {
    projectId: row.project_id,
    id: row.id,
    purpose: JSON.parse(text) as ConnectPurpose,
    failure: row.failure ?? undefined,
    connectionId: row.connection_id ?? undefined,
    createTime: row.create_time,
    expireTime: row.expire_time,
  }
}

function encryptedAt(projectId: string, id: string) {
  return { table: 'connect_sessions', project: projectId, row: id, column: 'encrypted' }
}
