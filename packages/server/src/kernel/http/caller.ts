import { hash } from 'node:crypto'

/** What a request carries to say who sends it, not yet believed. */
export interface Credential {
  kind: 'apiKey' | 'bearer'
  value: string
  /** What caches know it by, so that none of them holds the credential itself: SHA-256 in base64. */
  fingerprint: string
}

export interface ApiKeyCaller {
  kind: 'apiKey'
  keyId: string
  scope: 'full' | 'frontend'
  /** `builder:{id}` of the key's creator. */
  createdBy: string
}

/** An end user with a token that the builder's own server signed. */
export interface ConsumerCaller {
  kind: 'consumer'
  /** The JWT key that the token was signed with. */
  keyId: string
  groupRef: string
  consumerRef: string
}

/** A person who works for an organisation, signed in. */
export interface BuilderCaller {
  kind: 'builder'
  builderId: string
  sessionId: string
  email: string
}

/** Who is calling, once it is known. */
export type Caller = ApiKeyCaller | ConsumerCaller | BuilderCaller

/** The project that a request works in. */
export interface CallerProject {
  id: string
  name: string
  orgId: string
}

export type OrgRole = 'member' | 'owner'

/** Who a credential belongs to; keys and consumer tokens belong to a project. */
export interface Identity {
  caller: Caller
  project?: CallerProject
  /** When the credential ends by itself. */
  expiresAt?: Date
}

/**
 * What a consumer token may reach: what belongs to its group. Its consumer is who acts: the kernel refuses requests
 * that name another, but what a colleague of the group has connected is there.
 */
export interface Confinement {
  groupRef: string
  consumerRef: string
}

/** Looks a credential up; undefined when it is unknown, inactive, expired or malformed. */
export interface Authenticate {
  (credential: Credential): Promise<Identity | undefined>
  /** Who it belongs to where that is remembered: costs no look-up, and nobody waits. */
  known?(credential: Credential): Identity | undefined
  /** Looks it up whatever is remembered, and remembers what it finds. */
  again?(credential: Credential): Promise<Identity | undefined>
}

/** The role of a builder where the path leads, by id (or, for a project, by name); undefined without one. */
export interface FindRole {
  (builderId: string, place: RolePlace): Promise<FoundRole | undefined>
  /** Looks it up whatever is remembered. */
  again?(builderId: string, place: RolePlace): Promise<FoundRole | undefined>
}

export type RolePlace = { project: string } | { org: string }

export interface FoundRole {
  role: OrgRole
  orgId: string
  project?: CallerProject
}

/** Who made something, as `createdBy` says it. */
export function authorOf(caller: Caller): string {
  if (caller.kind === 'apiKey') return caller.createdBy
  if (caller.kind === 'builder') return `builder:${caller.builderId}`
  return `consumer:${caller.consumerRef}`
}

/** Who calls, as the log says it: of an end user only the key that vouches for them. */
export function callerName(caller: Caller): string {
  return caller.kind === 'builder' ? `builder:${caller.builderId}` : `${caller.kind}:${caller.keyId}`
}

/** Whether the caller may be shown secrets of connections: full keys and builders, never what runs in a browser. */
export function maySeeSecrets(caller: Caller): boolean {
  return caller.kind === 'builder' || (caller.kind === 'apiKey' && caller.scope === 'full')
}

/** What the caller is confined to; undefined for whoever may reach all of the project. */
export function confinementOf(caller: Caller): Confinement | undefined {
  if (caller.kind !== 'consumer') return undefined
  return { groupRef: caller.groupRef, consumerRef: caller.consumerRef }
}

/** The prefix of every key of ours; a bearer value that begins with it is an API key too. */
const keyPrefix = 'mortise_'

/** A request, as Node or the framework has it. */
interface Carrier {
  headers: Record<string, string | string[] | undefined>
  socket: object
}

/** The credential that a request carries: a key in `X-Api-Key`, or a key or token as `Authorization: Bearer`. */
export function credentialOf({ headers, socket }: Carrier): Credential | undefined {
  const header = headers['x-api-key']
  if (typeof header === 'string' && header !== '') return credential('apiKey', header, socket)
  const bearer = /^Bearer +(\S+)$/i.exec(headers['authorization']?.toString() ?? '')?.[1]
  if (bearer === undefined) return undefined
  return credential(bearer.startsWith(keyPrefix) ? 'apiKey' : 'bearer', bearer, socket)
}

/**
 * Of each open connection the credential that came last: most connections carry one, and hashing it again tells nothing
 * new.
 */
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
