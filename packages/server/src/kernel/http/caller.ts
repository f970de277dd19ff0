import { hash } from 'node:crypto'
import { isAtLeast, type OrgRole } from './org-roles.ts'
import type { SessionPurpose } from './permissions.ts'

/** The credential of a request, not yet verified. */
export interface Credential {
  kind: 'apiKey' | 'bearer'
  value: string
  /** SHA-256 in base64. Caches use it as a key, so none of them stores the credential. */
  fingerprint: string
}

export interface ApiKeyCaller {
  kind: 'apiKey'
  keyId: string
  scope: 'full' | 'frontend'
  /** Name of the key in the audit log. */
  label?: string
  /** `builder:{id}` of the key's creator. */
  createdBy: string
}

/** An end user, with a token that the builder's server signed or with the token of a connect session. */
export interface ConsumerCaller {
  kind: 'consumer'
  /** JWT key that the token was signed with, or the connect session. */
  keyId: string
  /** Name of the JWT key in the audit log. */
  label?: string
  groupRef: string
  consumerRef: string
  /** Present for the token of a connect session, which may do less than one that the builder's server signed. */
  session?: CallerSession
  /** Present for the token of an agent session, which works at the MCP server of its project only. */
  agent?: CallerAgent
}

/** The agent that a consumer or a builder signed in. */
export interface CallerAgent {
  sessionId: string
  /** Name of the client. */
  name: string
}

/** Limits of the token of a connect session. */
export interface CallerSession {
  id: string
  purpose: SessionPurpose
  /** Providers whose accounts the session may use; undefined for all. */
  providers: readonly string[] | undefined
  /** Ids of the integrations that the session may use; undefined for all. */
  integrationIds: readonly string[] | undefined
}

/** A person who works for an organization, signed in. */
export interface BuilderCaller {
  kind: 'builder'
  builderId: string
  sessionId: string
  email: string
  /** Role in the organization that the request works in. Set when the request is authorized. */
  role?: OrgRole
  /** An organization of the person requires a second factor, and the person has none. */
  lacksSecondFactor?: true
  /** Present for the token of an agent session, which works at the MCP server for builders only. */
  agent?: CallerAgent
  /** The person allowed the agent of the session to read only. */
  onlyReads?: true
}

/** An authenticated caller. */
export type Caller = ApiKeyCaller | ConsumerCaller | BuilderCaller

/** The project that a request works in. */
export interface CallerProject {
  id: string
  name: string
  orgId: string
}

/** Owner of a credential; keys and consumer tokens belong to a project. */
export interface Identity {
  caller: Caller
  project?: CallerProject
  /** When the credential expires. */
  expiresAt?: Date
}

/**
 * Limits a consumer token to the data of its group. Its consumer is the actor: the kernel rejects requests that name
 * another consumer, but connections of other consumers of the group are accessible.
 */
export interface Confinement {
  groupRef: string
  consumerRef: string
  /** Further limits, of the token of a connect session. */
  session?: CallerSession
}

/** Looks up a credential; undefined when it is unknown, inactive, expired or malformed. */
export interface Authenticate {
  (credential: Credential): Promise<Identity | undefined>
  /** Returns the cached owner, without a lookup or a wait. */
  known?(credential: Credential): Identity | undefined
  /** Looks it up past the cache, and caches the result. */
  again?(credential: Credential): Promise<Identity | undefined>
}

/**
 * Finds the role of a builder in the project or organization of the path, by id (or, for a project, by name); undefined
 * without one.
 */
export interface FindRole {
  (builderId: string, scope: RoleScope): Promise<FoundRole | undefined>
  /** Looks it up past the cache. */
  again?(builderId: string, scope: RoleScope): Promise<FoundRole | undefined>
}

export type RoleScope = { project: string } | { org: string }

export interface FoundRole {
  role: OrgRole
  orgId: string
  project?: CallerProject
}

/** Returns the author of a change, in the form of `createdBy`. */
export function authorOf(caller: Caller): string {
  if (caller.kind === 'apiKey') return caller.createdBy
  if (caller.kind === 'builder') return `builder:${caller.builderId}`
  return `consumer:${caller.consumerRef}`
}

/** Returns the caller's name for the log. For an end user, it contains only the key that signed the token. */
export function callerName(caller: Caller): string {
  return caller.kind === 'builder' ? `builder:${caller.builderId}` : `${caller.kind}:${caller.keyId}`
}

/**
 * Returns whether the caller may see secrets of the project: full keys, and people from the role `developer`; never
 * code in a browser.
 */
export function maySeeSecrets(caller: Caller): boolean {
  if (caller.kind === 'builder') return isAtLeast(caller.role, 'developer')
  return caller.kind === 'apiKey' && caller.scope === 'full'
}

/** Returns whether the caller is code in a browser, which may belong to one customer. */
export function isFrontEnd(caller: Caller): boolean {
  return caller.kind === 'consumer' || (caller.kind === 'apiKey' && caller.scope === 'frontend')
}

/** Returns what the caller is limited to; undefined for callers with access to the entire project. */
export function confinementOf(caller: Caller): Confinement | undefined {
  if (caller.kind !== 'consumer') return undefined
  const { groupRef, consumerRef, session } = caller
  return { groupRef, consumerRef, ...(session && { session }) }
}

/** Returns whether a caller may use accounts of this provider. Only connect sessions are limited. */
export function mayUseProvider(confinedTo: Confinement | undefined, provider: string): boolean {
  return confinedTo?.session?.providers?.includes(provider) ?? true
}

/** Returns whether a caller may use this integration. Only connect sessions are limited. */
export function mayUseIntegration(confinedTo: Confinement | undefined, integrationId: string): boolean {
  return confinedTo?.session?.integrationIds?.includes(integrationId) ?? true
}

/** Prefix of every API key; a bearer value that begins with it is an API key too. */
const keyPrefix = 'mortise_'

/** A request of Node or of the framework. */
interface Carrier {
  headers: Record<string, string | string[] | undefined>
  socket: object
}

/** Returns the credential of a request: a key in `X-Api-Key`, or a key or token as `Authorization: Bearer`. */
export function credentialOf({ headers, socket }: Carrier): Credential | undefined {
  const header = headers['x-api-key']
  if (typeof header === 'string' && header !== '') return credential('apiKey', header, socket)
  const bearer = /^Bearer +(\S+)$/i.exec(headers['authorization']?.toString() ?? '')?.[1]
  if (bearer === undefined) return undefined
  return credential(bearer.startsWith(keyPrefix) ? 'apiKey' : 'bearer', bearer, socket)
}

/** The latest credential of each open connection. Most connections send only one, so it need not be hashed again. */
const lastOf = new WeakMap<object, Credential>()

function credential(kind: Credential['kind'], value: string, socket: object): Credential {
  const last = lastOf.get(socket)
  if (last?.value === value && last.kind === kind) return last
  const credential = { kind, value, fingerprint: fingerprintOf(value) }
  lastOf.set(socket, credential)
  return credential
}

export function fingerprintOf(value: string): string {
  return hash('sha256', value, 'base64')
}
