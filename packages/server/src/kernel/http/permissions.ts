/**
 * Who may call what: the only place that says so. Every endpoint names its row (`access`); the check of each request,
 * the table in `docs/permissions.md` and the tests are made from it.
 */

/**
 * Kinds of callers. `builder`: signed in, but without a role in the organisation that the path names (or the path names
 * none). `member` and `owner`: signed in, with that role there. `consumer`: a consumer token, confined to its own
 * group.
 */
export const principals = ['none', 'frontendKey', 'fullKey', 'consumer', 'builder', 'member', 'owner'] as const
export type Principal = (typeof principals)[number]

/**
 * `allow`; `unauthenticated`: 401; `forbidden`: 403; `hidden`: 404, as for what does not exist. Keys and consumer
 * tokens reach their own project alone: any other is hidden, whatever is said here.
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
/** People who are signed in, whatever their roles. */
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
   * What a front end needs: any key of the project, a consumer token for what is its own, builders of the organisation.
   */
  frontend: { ...people, frontendKey: 'allow', fullKey: 'allow', consumer: 'allow', builder: 'hidden' },
  /** Everything else of a project: a key of scope `full`, and builders of the organisation. */
  full: { ...people, fullKey: 'allow', builder: 'hidden' },
  /** A key of scope `full` alone: nothing that a person or an end user signs in with. */
  key: { ...people, fullKey: 'allow', builder: 'forbidden', member: 'forbidden', owner: 'forbidden' },
  /** No project in the path: a key of scope `full` stands for its own, a builder for all with a role. */
  account: { ...people, fullKey: 'allow' },
  /** A builder. */
  builder: people,
  /** Builders with a role in the organisation of the path. */
  member: { ...people, builder: 'hidden' },
  /** Owners of the organisation of the path. */
  owner: { ...people, builder: 'hidden', member: 'forbidden' },
  /** The same, or a key of scope `full` of a project of that organisation. */
  ownerOrKey: { ...people, fullKey: 'allow', builder: 'hidden', member: 'forbidden' },
} as const satisfies Record<string, Record<Principal, Verdict>>

/** A row of the table. */
export type Access = keyof typeof permissions
/** The rows whose endpoints work in one project. */
export type ProjectAccess = 'frontend' | 'full' | 'key'
/** The rows whose endpoints work in one organisation. */
export type OrgAccess = 'member' | 'owner' | 'ownerOrKey'
