import type { ApiKeyCaller, Caller, CallerProject, FindRole, Identity } from './caller.ts'
import { isAtLeast, needsRole, type OrgRole, orgRoles } from './org-roles.ts'
import {
  type Access,
  neededRole,
  type Principal,
  permissions,
  type SessionAccess,
  sessionPermissions,
} from './permissions.ts'
import { Forbidden, NotFound, SecondFactorMissing, Unauthenticated } from './problems.ts'

/** Project or organization that an authorized request works in. */
export interface AccessScope {
  project?: CallerProject
  org?: { id: string; role?: OrgRole }
}

/**
 * Authorizes a request by the table of permissions. Rejects a wrong scope or role. The name or id of another project or
 * organization looks exactly like a missing one.
 *
 * @throws Unauthenticated, Forbidden, NotFound, SecondFactorMissing
 */
export async function authorize(
  access: Access,
  { projectIdOrName: project, orgId: org }: { projectIdOrName?: string | undefined; orgId?: string },
  identity: Identity | undefined,
  findRole: FindRole,
  { beforeSecondFactor = false }: { beforeSecondFactor?: boolean | undefined } = {},
): Promise<AccessScope> {
  if (access === 'public') return {}
  if (!identity) throw new Unauthenticated()
  const { caller } = identity
  if (caller.kind === 'builder') {
    if (caller.lacksSecondFactor && !beforeSecondFactor) throw new SecondFactorMissing()
    const wanted = project !== undefined ? { project } : org !== undefined ? { org } : undefined
    const found = wanted && (await findRole(caller.builderId, wanted))
    decide(access, found?.role ?? 'builder', org)
    if (!found) return {}
    return { ...(found.project && { project: found.project }), org: { id: found.orgId, role: found.role } }
  }
  decide(access, caller.kind === 'consumer' ? 'consumer' : keyPrincipals[caller.scope], org)
  const own = ownProject(identity, project)
  if (org !== undefined && org.toLowerCase() !== own.orgId) throw orgNotFound()
  return { project: own, org: { id: own.orgId } }
}

/**
 * Authorizes a key in a project, without a lookup.
 *
 * @throws Unauthenticated, Forbidden, NotFound
 */
export function authorizeKey(
  access: Access,
  projectIdOrName: string | undefined,
  identity: Identity,
): { caller: ApiKeyCaller; project: CallerProject } {
  const { caller } = identity
  if (caller.kind !== 'apiKey') throw new Forbidden()
  decide(access, keyPrincipals[caller.scope], undefined)
  return { caller, project: ownProject(identity, projectIdOrName) }
}

const keyPrincipals = { full: 'fullKey', frontend: 'frontendKey' } as const

function ownProject({ project: own }: Identity, named: string | undefined): CallerProject {
  if (!own) throw new Unauthenticated()
  if (named === undefined || named === own.id || named === own.name) return own
  const wanted = named.toLowerCase()
  if (wanted !== own.id && wanted !== own.name.toLowerCase()) throw projectNotFound()
  return own
}

function decide(access: Access, principal: Principal, org: string | undefined): void {
  const verdict = permissions[access][principal]
  if (verdict === 'forbidden') throw forbidden(access, principal)
  if (verdict === 'unauthenticated') throw new Unauthenticated()
  if (verdict === 'hidden') throw org === undefined ? projectNotFound() : orgNotFound()
}

/** Names the role that would be enough, or says that no key is. */
function forbidden(access: Access, principal: Principal): Error {
  const role = orgRoles.find((one) => one === principal)
  const needed = role && neededRole(access)
  if (needed) return needsRole(needed, role)
  return role === undefined && permissions[access].fullKey === 'forbidden' ? new Forbidden(peopleOnly) : new Forbidden()
}

const peopleOnly = {
  detail: 'Only people may call this endpoint.',
  remedy:
    'Sign in, and send the access token in place of the API key or token. On the command line, run `mortise login`, and give no key.',
}

/** Returns the caller as endpoints see it: a person has the role of the organization that the request works in. */
export function callerIn(caller: Caller, { org }: AccessScope): Caller {
  return caller.kind === 'builder' && org?.role !== undefined ? { ...caller, role: org.role } : caller
}

/**
 * Rejects a person whose role in the organization is too low. Keys and tokens have no role: the table of permissions
 * decides alone.
 *
 * @param what the subject of the sentence that says what needs the role
 * @throws Forbidden
 */
export function assertRole(caller: Caller, needed: OrgRole, what?: string): void {
  if (caller.kind === 'builder' && !isAtLeast(caller.role, needed)) throw needsRole(needed, caller.role, what)
}

const projectNotFound = () => new NotFound({ detail: 'There is no such project.' })
const orgNotFound = () => new NotFound({ detail: 'Organization not found.' })

/**
 * Rejects the token of a connect session whose purpose does not include the endpoint.
 *
 * @param row the row of the endpoint; undefined if it takes no tokens of connect sessions
 * @throws Forbidden
 */
export function assertSession(identity: Identity | undefined, row: SessionAccess | undefined): void {
  if (identity?.caller.kind !== 'consumer' || !identity.caller.session) return
  const { purpose } = identity.caller.session
  if (row !== undefined && sessionPermissions[row][purpose] !== 'forbidden') return
  throw new Forbidden({
    detail: `The token of a connect session with the purpose \`${purpose}\` may not call this endpoint.`,
    remedy: 'Create a connect session with another purpose, or call the endpoint from your server.',
  })
}

/**
 * Rejects the token of an agent session everywhere but at its MCP server: that of its project, or the one for builders.
 * No other is its audience (RFC 8707).
 *
 * @param agentsOf whose agents the endpoint takes
 * @param project what the path names
 * @throws Unauthenticated
 */
export function assertAgentSession(
  identity: Identity | undefined,
  agentsOf: 'consumer' | 'builder' | undefined,
  project: string | undefined,
): void {
  if (!identity || identity.caller.kind === 'apiKey' || !identity.caller.agent) return
  const { kind } = identity.caller
  const named = project?.toLowerCase()
  const own = identity.project
  const isAudience = kind === 'builder' || (own && (named === own.id || named === own.name.toLowerCase()))
  if (kind === agentsOf && isAudience) return
  throw new Unauthenticated({
    detail: `The token is for the MCP server ${kind === 'builder' ? 'for builders' : 'of its project'} only.`,
    remedy: 'Sign in to this server, or send a credential for this endpoint.',
  })
}

/**
 * Rejects a change in a session that may only read: its tools change nothing, and this is the second lock.
 *
 * @throws Forbidden
 */
export function assertMayChange(identity: Identity | undefined, isChange: boolean): void {
  if (!isChange || identity?.caller.kind !== 'builder' || !identity.caller.onlyReads) return
  throw new Forbidden({
    detail: 'The person allowed this agent to read only.',
    remedy: 'Sign in again, and allow it to change things.',
  })
}

/** Rejects a request whose consumer token names another group or consumer, before the request runs. */
export function assertConfined(identity: Identity | undefined, ...parts: unknown[]): void {
  if (identity?.caller.kind !== 'consumer') return
  const { caller } = identity
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue
    for (const name of ['groupRef', 'consumerRef'] as const) {
      const value = (part as Record<string, unknown>)[name]
      if (value !== undefined && value !== caller[name])
        throw new Forbidden({ detail: `The token is for another ${name}.`, remedy: `Ask for a token of this ${name}.` })
    }
  }
}
