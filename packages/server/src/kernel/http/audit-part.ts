/** The log of what belongs to no organization, such as a failed sign-in with an unknown address. */
export const serviceLog = '00000000-0000-0000-0000-000000000000'

/** Kinds of actors. `anonymous`: not authenticated, as in a failed sign-in. */
export const actorKinds = [
  'person',
  'apiKey',
  'consumerToken',
  'connectSession',
  'operator',
  'system',
  'anonymous',
] as const

export interface AuditActor {
  kind: (typeof actorKinds)[number]
  id?: string
  /** Display name at the time. The log adds the labels of keys itself. */
  name?: string
}

/**
 * What the audit log records of an endpoint. Every endpoint leaves an entry, except GETs and those that only read. This
 * part changes what the entry says, makes a GET leave one too, or says why there is none.
 */
export type AuditPart =
  | { exempt: string }
  | {
      /** Default: the first word of the operationId. */
      verb?: string
      /** Kind of the resource. Default: from the path. */
      resource?: string
      /** The resource is a customer's: the entry shows only what is `audited()`, because it outlives an erasure. */
      isOfCustomer?: true
    }

/** What an endpoint knows about its entry, beyond what its declaration and its response say. */
export interface AuditNote {
  actor?: AuditActor
  /** Logs of the entry: ids of a project or of organizations. */
  log?: string | readonly string[]
  resourceId?: string
  /** The resource before the change, without secrets, where no GET of the same path reads it. */
  before?: object
  /**
   * `failure`: leaves an entry although the request fails. `none`: nothing was changed.
   * `stored`: the statement of the change has stored the entry (`entryRow`).
   */
  outcome?: 'success' | 'failure' | 'none' | 'stored'
}
