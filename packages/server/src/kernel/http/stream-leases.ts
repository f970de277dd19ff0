import type { Logger } from '../telemetry/index.ts'
import { type AccessScope, authorize } from './authorize.ts'
import type { Authenticate, Credential, FindRole, Identity } from './caller.ts'
import type { Access } from './permissions.ts'
import { Problem } from './problem.ts'

/** How often every open stream is checked, without a notification: half of the five seconds that are promised. */
const checkEveryMs = 2_500
const checksAtOnce = 20

/** The credential and access of an open stream. */
export interface Lease {
  credential: Credential
  identity: Identity
  access: Access
  scope: AccessScope
  /** Called once, when the caller loses access to the stream. */
  end: () => void
}

/** Ends event streams whose credential was deleted, has expired or lost access. */
export interface StreamLeases {
  /** Checks a stream from now on. Returns a function that ends the checks. */
  watch(lease: Lease): () => void
  stop(): void
}

/** Calls `changed` whenever a credential may have changed, on any node. Returns a function that ends this. */
export type FollowCredentials = (changed: () => void) => () => void

/**
 * Checks open streams. Each check repeats the authentication and authorization of the request, past every cache.
 * Notifications of other nodes only make it faster. While the database is unreachable, a stream stays open: it sends
 * nothing meanwhile, because its events are in the same database.
 */
export function createStreamLeases({
  authenticate,
  findRole,
  follow,
  now,
  log,
}: {
  authenticate: Authenticate
  findRole: FindRole
  follow: FollowCredentials | undefined
  now: () => Date
  log: Logger
}): StreamLeases {
  const leases = new Set<Lease>()
  let timer: NodeJS.Timeout | undefined
  let unfollow: (() => void) | undefined
  let round: Promise<void> | undefined
  let again = false

  function begin(): void {
    timer ??= setInterval(check, checkEveryMs).unref()
    unfollow ??= follow?.(check)
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
    unfollow?.()
    unfollow = undefined
  }

  /** Runs one round at a time; a notification during a round starts another. */
  function check(): void {
    if (round) {
      again = true
      return
    }
    round = checkAll()
      .catch((error: unknown) => log.warn({ err: error }, 'failed to check the credentials of open streams'))
      .finally(() => {
        round = undefined
        if (again) {
          again = false
          check()
        }
      })
  }

  async function checkAll(): Promise<void> {
    // Streams of the same caller, project and organization share one check.
    const questions = Map.groupBy(leases, ({ credential, access, scope: place }) =>
      JSON.stringify([credential.fingerprint, access, place.project?.id, place.org?.id]),
    )
    const waiting = [...questions.values()]
    const work = async () => {
      for (let same = waiting.pop(); same !== undefined; same = waiting.pop()) {
        const [first] = same
        if (first && !(await isGood(first))) for (const lease of same) end(lease)
      }
    }
    await Promise.all(Array.from({ length: checksAtOnce }, work))
  }

  async function isGood({ credential, identity: before, access, scope: place }: Lease): Promise<boolean> {
    if (before.expiresAt && before.expiresAt <= now()) return false
    try {
      const identity = await (authenticate.again ?? authenticate)(credential)
      if (!identity) return false
      // By id, because a project may have been renamed.
      const named = { projectIdOrName: place.project?.id, ...(place.org && !place.project && { orgId: place.org.id }) }
      await authorize(access, named, identity, findRole.again ?? findRole)
      return true
    } catch (error) {
      if (error instanceof Problem && error.declaration.status < 500) return false
      throw error
    }
  }

  function end(lease: Lease): void {
    if (leases.delete(lease)) lease.end()
    if (leases.size === 0) stop()
  }

  return {
    watch(lease) {
      leases.add(lease)
      begin()
      // The stream may have been opened with an outdated cache entry.
      check()
      return () => {
        leases.delete(lease)
        if (leases.size === 0) stop()
      }
    },
    stop,
  }
}
