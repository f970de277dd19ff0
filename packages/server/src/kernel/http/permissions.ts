/**
 * Permissions of callers; no other module defines them. Every endpoint names its row (`access`). The check of each
 * request, the table in `docs/permissions.md` and the tests are derived from it.
 */

/**
 * Kinds of callers. `builder`: signed in, but without a role in the organization of the path, or the path names none.
 * `member` and `owner`: signed in, with that role in the organization. `consumer`: a consumer token, limited to its
 * group.
 */
export const principals = ['none', 'frontendKey', 'fullKey', 'consumer', 'builder', 'member', 'owner'] as const
export type Principal = (typeof principals)[number]

/**
 * `allow`; `unauthenticated`: 401; `forbidden`: 403; `hidden`: 404, as for a missing item. Keys and consumer tokens
 * only reach their project: any other is hidden, whatever this table says.
 */
export type Verdict = 'allow' | 'unauthenticated' | 'forbidden' | 'hidden'

const everybody: Record<Principal, Verdict> = {
  none: 'allow',
  frontendKey: 'allow',
  fullKey: 'allow',
  consumer: 'allow',
  builder: 'allow',
  member: 'allow',
  owner: 'allow',
}
/** Signed-in people, whatever their roles. */
const people: Record<Principal, Verdict> = {
  none: 'unauthenticated',
  frontendKey: 'forbidden',
  fullKey: 'forbidden',
  consumer: 'forbidden',
  builder: 'allow',
  member: 'allow',
  owner: 'allow',
}

export const permissions = {
  /** Anybody. */
  public: everybody,
  /**
   * For a front end: any key of the project, a consumer token for its group's data, and builders of the organization.
   */
  frontend: { ...people, frontendKey: 'allow', fullKey: 'allow', consumer: 'allow', builder: 'hidden' },
  /** Everything else of a project: a key of scope `full`, and builders of the organization. */
  full: { ...people, fullKey: 'allow', builder: 'hidden' },
  /** Only a key of scope `full`: no person or end user. */
  key: { ...people, fullKey: 'allow', builder: 'forbidden', member: 'forbidden', owner: 'forbidden' },
  /** No project in the path: a key of scope `full` implies its project, a builder all projects with a role. */
  account: { ...people, fullKey: 'allow' },
  /** A builder. */
  builder: people,
  /** Builders with a role in the organization of the path. */
  member: { ...people, builder: 'hidden' },
  /** Owners of the organization of the path. */
  owner: { ...people, builder: 'hidden', member: 'forbidden' },
  /** Owners of the organization of the path, or a key of scope `full` of one of its projects. */
  ownerOrKey: { ...people, fullKey: 'allow', builder: 'hidden', member: 'forbidden' },
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
  /** Connects an account. Ends for purpose `connect` when the account is connected. */
  connect: { connect: 'untilConnected', install: 'allow', manage: 'allow' },
  /** Reads, creates and changes installations. */
  install: { connect: 'forbidden', install: 'allow', manage: 'allow' },
  /** Removes connections and installations. */
  manage: { connect: 'forbidden', install: 'forbidden', manage: 'allow' },
} as const satisfies Record<string, Record<SessionPurpose, 'allow' | 'untilConnected' | 'forbidden'>>
export type SessionAccess = keyof typeof sessionPermissions

/** A row of the table. */
export type Access = keyof typeof permissions
/** Rows whose endpoints work in one project. */
export type ProjectAccess = 'frontend' | 'full' | 'key'
/** Rows whose endpoints work in one organization. */
export type OrgAccess = 'member' | 'owner' | 'ownerOrKey'
