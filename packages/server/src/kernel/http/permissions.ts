import { type OrgRole, orgRoles } from './org-roles.ts'

/**
 * Permissions of callers; no other module defines them. Every endpoint names its row (`access`). The check of each
 * request, the table in `docs/permissions.md` and the tests are derived from it.
 */

/**
 * Kinds of callers. `builder`: signed in, but without a role in the organization of the path, or the path names none.
 * `viewer` to `owner`: signed in, with that role in the organization. `consumer`: a consumer token, limited to its
 * group.
 */
export const principals = ['none', 'frontendKey', 'fullKey', 'consumer', 'builder', ...orgRoles] as const
export type Principal = (typeof principals)[number]

/**
 * `allow`; `unauthenticated`: 401; `forbidden`: 403; `hidden`: 404, as for a missing item. Keys and consumer tokens
 * only reach their project: any other is hidden, whatever this table says.
 */
export type Verdict = 'allow' | 'unauthenticated' | 'forbidden' | 'hidden'

/** Verdicts for people with a role. Each of these objects admits one role less than the one before. */
const anyRole: Record<OrgRole, Verdict> = { viewer: 'allow', operator: 'allow', developer: 'allow', owner: 'allow' }
const fromOperator: Record<OrgRole, Verdict> = { ...anyRole, viewer: 'forbidden' }
const fromDeveloper: Record<OrgRole, Verdict> = { ...fromOperator, operator: 'forbidden' }
const onlyOwner: Record<OrgRole, Verdict> = { ...fromDeveloper, developer: 'forbidden' }

const everybody: Record<Principal, Verdict> = {
  none: 'allow',
  frontendKey: 'allow',
  fullKey: 'allow',
  consumer: 'allow',
  builder: 'allow',
  ...anyRole,
}
/** Signed-in people, whatever their roles. */
const people: Record<Principal, Verdict> = {
  none: 'unauthenticated',
  frontendKey: 'forbidden',
  fullKey: 'forbidden',
  consumer: 'forbidden',
  builder: 'allow',
  ...anyRole,
}
/** Keys of scope `full`, and people with a role in the organization. */
const full: Record<Principal, Verdict> = { ...people, fullKey: 'allow', builder: 'hidden' }
/** The same, and what runs in a browser: any key of the project, and a consumer token for its group's data. */
const frontend: Record<Principal, Verdict> = { ...full, frontendKey: 'allow', consumer: 'allow' }

export const permissions = {
  /** Anybody. */
  public: everybody,
  /** For a front end, and people of any role: shows data, and no secret. */
  frontendView: frontend,
  /** For a front end, and people from the role `operator`: connects accounts, runs and repairs. */
  frontendOperate: { ...frontend, ...fromOperator },
  /** For a front end, and people from the role `developer`: changes and deletes what is installed or connected. */
  frontendDevelop: { ...frontend, ...fromDeveloper },
  /** A key of scope `full`, and people of any role: shows data, and no secret. */
  view: full,
  /** A key of scope `full`, and people from the role `operator`: runs and repairs. */
  operate: { ...full, ...fromOperator },
  /** A key of scope `full`, and people from the role `developer`: changes what is built, or shows a secret. */
  develop: { ...full, ...fromDeveloper },
  /**
   * For agents: a key of scope `full`, a consumer token for its group, and people from the role `developer`. A key in a
   * browser is rejected, because it could name any group.
   */
  agent: { ...full, ...fromDeveloper, consumer: 'allow' },
  /** No project in the path: a key of scope `full` implies its project, a builder all projects with a role. */
  account: { ...people, fullKey: 'allow' },
  /** A builder. */
  builder: people,
  /** Builders with any role in the organization of the path. */
  member: { ...people, builder: 'hidden' },
  /** Owners of the organization of the path. */
  owner: { ...people, builder: 'hidden', ...onlyOwner },
  /** Owners of the organization of the path, or a key of scope `full` of one of its projects. */
  ownerOrKey: { ...full, ...onlyOwner },
} as const satisfies Record<string, Record<Principal, Verdict>>

/** What a connect session is for: only to give access, to install, or to manage everything of its group. */
export const sessionPurposes = ['connect', 'install', 'manage'] as const
export type SessionPurpose = (typeof sessionPurposes)[number]

/**
 * Permissions of the tokens of connect sessions, beyond those of consumer tokens. Every endpoint that such a token may
 * call names its row (`session`). Without one, the token is rejected with 403.
 */
export const sessionPermissions = {
  /** Reads what the session is for. */
  read: { connect: 'allow', install: 'allow', manage: 'allow' },
  /**
   * Connects an account. For purpose `connect`, the endpoint ends it when the account is connected. It then only asks
   * that account again for what it did not grant.
   */
  connect: { connect: 'untilConnected', install: 'allow', manage: 'allow' },
  /** Reads, creates and changes installations. */
  install: { connect: 'forbidden', install: 'allow', manage: 'allow' },
  /** Removes connections and installations. */
  manage: { connect: 'forbidden', install: 'forbidden', manage: 'allow' },
} as const satisfies Record<string, Record<SessionPurpose, 'allow' | 'untilConnected' | 'forbidden'>>
export type SessionAccess = keyof typeof sessionPermissions

/** A row of the table. */
export type Access = keyof typeof permissions
/** Rows whose endpoints a front end may call. */
export type FrontendAccess = 'frontendView' | 'frontendOperate' | 'frontendDevelop'
/** Rows whose endpoints work in one project. */
export type ProjectAccess = FrontendAccess | 'view' | 'operate' | 'develop' | 'agent'
/** Rows whose endpoints work in one organization. */
export type OrgAccess = 'member' | 'owner' | 'ownerOrKey'

/** Returns whether front ends may call the endpoints of a row: those for which consumer tokens are limited. */
export function isForFrontends(access: Access): access is FrontendAccess {
  return access === 'frontendView' || access === 'frontendOperate' || access === 'frontendDevelop'
}

/** Returns the lowest role that a row admits; undefined if it admits no person. */
export function neededRole(access: Access): OrgRole | undefined {
  return orgRoles.find((role) => permissions[access][role] === 'allow')
}
