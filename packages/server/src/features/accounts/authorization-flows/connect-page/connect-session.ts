import { hash, randomBytes } from 'node:crypto'
import type { Database, NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import type { Confinement, SessionPurpose } from '../../../../kernel/http/index.ts'
import type { FindIdentity } from '../../../identity/access/index.ts'
import {
  type ConnectSessionRow,
  findConnectSessionByToken,
  findOwnSession,
  findSessionOfToken,
  insertConnectSession,
  type SessionLimits,
  type ShownSessionRow,
} from './connect-session-store.ts'
import type { ConnectSession } from './model.ts'

/** How long a person may take to open the page and fill it in. */
export const connectSessionMinutes = 30

/** The account that is to be connected. Only the provider may be chosen in a browser, within the session's limits. */
export interface ConnectPurpose extends Omit<SessionContent, 'provider'> {
  provider: string
}

/** What a session is for, as the API request specified it. No value comes from the browser. */
export interface SessionContent {
  /** Absent if the customer chooses one of several. */
  provider?: string
  /** The only authentication method that the page offers; all if absent. */
  schemeName?: string
  groupRef: string
  groupName?: string
  consumerRef: string
  consumerName?: string
  providerAppId?: string
  /** The connection that gets a new credential. */
  connectionId?: string
  redirectUrl?: string
  /** Language of the page (BCP 47). */
  language?: string
  theme?: 'light' | 'dark' | 'auto'
  /** Origins that may show the page in a frame; those of the project if absent. */
  frameOrigins?: string[]
  /** The requester, as in `createdBy`. */
  askedBy: string
}

/** A session to store. */
export interface NewSession {
  purpose: SessionPurpose
  limits: SessionLimits
  content: SessionContent
}

/** A page on which a customer connects an account. Only its link contains the token; the database stores the hash. */
export interface OpenedSession {
  projectId: string
  id: string
  purpose: SessionPurpose
  limits: SessionLimits
  content: SessionContent
  failure: string | undefined
  /** The connection that was made. */
  connectionId: string | undefined
  createTime: Date
  expireTime: Date
}

type Needed = { database: Database; keyring: Keyring; now: () => Date }

/** Stores a session. Returns it with the token of its link, which is not stored. */
export async function keepConnectSession(
  db: ProjectDb,
  { keyring, now, newId }: { keyring: Keyring; now: () => Date; newId: NewId },
  { purpose, limits, content }: NewSession,
): Promise<{ token: string; session: ShownSessionRow }> {
  const token = randomBytes(32).toString('base64url')
  const id = newId()
  const { provider = '', groupRef, consumerRef } = content
  const session = await insertConnectSession(db, {
    id,
    tokenHash: hashed(token),
    purpose,
    limits,
    provider,
    groupRef,
    consumerRef,
    encrypted: createEnvelope(keyring).encrypt(JSON.stringify(content), encryptedAt(db.projectId, id)),
    expireTime: new Date(now().getTime() + connectSessionMinutes * 60_000),
  })
  return { token, session }
}

/** Returns the session of a link; undefined if the token is invalid or the session has expired. */
export async function openConnectSession(services: Needed, token: string): Promise<OpenedSession | undefined> {
  if (!tokenPattern.test(token)) return undefined
  const row = await findConnectSessionByToken(services.database.system, {
    tokenHash: hashed(token),
    now: services.now(),
  })
  return row && opened(services, row)
}

/** Returns the session of a token that a request was authenticated with; undefined if it was deleted meanwhile. */
export async function openOwnSession(
  db: ProjectDb,
  services: { keyring: Keyring },
  id: string,
): Promise<OpenedSession | undefined> {
  const row = await findOwnSession(db, id)
  return row && opened(services, row)
}

/** Finds the caller of a session's token, without its prefix. */
export function createConnectTokens({ database, now }: Pick<Needed, 'database' | 'now'>): FindIdentity {
  return async (token) => {
    if (!tokenPattern.test(token)) return undefined
    const row = await findSessionOfToken(database.system, { tokenHash: hashed(token), now: now() })
    if (!row) return undefined
    const { providers, integrationIds } = limitsOf(row)
    return {
      caller: {
        kind: 'consumer',
        keyId: row.id,
        groupRef: row.group_ref,
        consumerRef: row.consumer_ref,
        session: {
          id: row.id,
          purpose: row.purpose,
          providers,
          integrationIds,
        },
      },
      project: { id: row.project_id, name: row.project_name, orgId: row.org_id },
      expiresAt: row.expire_time,
    }
  }
}

/** Returns what a customer may reach with the link of a session, as with a request with its token. */
export function confinementOf({ id, purpose, limits, content }: OpenedSession): Confinement {
  const { providers, integrationIds } = limits
  const session = { id, purpose, providers, integrationIds }
  return { groupRef: content.groupRef, consumerRef: content.consumerRef, session }
}

/** Returns the limits of a session. An older release stored only the provider. */
function limitsOf({ limits, provider }: Pick<ShownSessionRow, 'limits' | 'provider'>): SessionLimits {
  return limits ?? { providers: [provider] }
}

export function connectSessionResource(row: ShownSessionRow) {
  const { providers, integrationIds } = limitsOf(row)
  return {
    id: row.id,
    purpose: row.purpose,
    ...(row.provider !== '' && { provider: row.provider }),
    ...(providers && { providers }),
    ...(integrationIds && { integrationIds }),
    groupRef: row.group_ref,
    consumerRef: row.consumer_ref,
    ...(row.connection_id !== null && { connectionId: row.connection_id }),
    ...(row.failure !== null && { failure: row.failure }),
    createTime: row.create_time,
    expireTime: row.expire_time,
  } satisfies ConnectSession
}

/** Returns the path of a session's page. It is relative, because every link to it is on this origin. */
export function connectPagePath(token: string): string {
  return `/connect/${token}`
}

/** Returns the path of a session's form, which works without scripts. */
export function connectFormPath(token: string): string {
  return `/connect/${token}/form`
}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** Hashes the token for storage. The token is random, so a plain hash is enough. */
function hashed(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

function opened({ keyring }: { keyring: Keyring }, row: ConnectSessionRow): OpenedSession {
  const text = createEnvelope(keyring).open(row.encrypted, encryptedAt(row.project_id, row.id)).toString()
  return {
    projectId: row.project_id,
    id: row.id,
    purpose: row.purpose,
    limits: limitsOf(row),
    content: JSON.parse(text) as SessionContent,
    failure: row.failure ?? undefined,
    connectionId: row.connection_id ?? undefined,
    createTime: row.create_time,
    expireTime: row.expire_time,
  }
}

function encryptedAt(projectId: string, id: string) {
  return { table: 'connect_sessions', project: projectId, row: id, column: 'encrypted' }
}
