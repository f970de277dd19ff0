import type { Logger } from '../telemetry/index.ts'
import { authorise, type Place } from './authorise.ts'
import type { Authenticate, Credential, FindRole, Identity } from './caller.ts'
import type { Access } from './permissions.ts'
import { Problem } from './problem.ts'

/** How often every open stream is checked, whatever was published: half of the five seconds that are promised. */
const checkEveryMs = 2_500
const checksAtOnce = 20

/** What the caller of an open stream was let in with. */
export interface Lease {
  credential: Credential
  identity: Identity
  access: Access
  place: Place
  /** Called once, when the caller may no longer have the stream. */
  end: () => void
}

/** Ends streams of events whose credential has ended, expired or been narrowed. */
export interface StreamLeases {
  /** Checks a stream from now on. Returns a function that ends the checks. */
  hold(lease: Lease): () => void
  stop(): void
}

/** Calls `changed` whenever a credential may have changed, on any node. Returns a function that ends this. */
export type FollowCredentials = (changed: () => void) => () => void

/**
 * The check is the truth: it repeats what let the caller in, past every cache. What other nodes publish only makes it
 * faster. While the database cannot be asked, a stream stays open: nothing comes through it meanwhile, because its
 * events are in the same database.
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

  /** One round at a time; what is published during one leads to another. */
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
    // Streams of one caller and place are one question.
    const questions = Map.groupBy(leases, ({ credential, access, place }) =>
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

  async function isGood({ credential, identity: before, access, place }: Lease): Promise<boolean> {
    if (before.expiresAt && before.expiresAt <= now()) return false
    try {
      const identity = await (authenticate.again ?? authenticate)(credential)
      if (!identity) return false
      // By id: a project that was renamed meanwhile is the same.
      const named = { projectIdOrName: place.project?.id, ...(place.org && !place.project && { orgId: place.org.id }) }
      await authorise(access, named, identity, findRole.again ?? findRole)
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
    hold(lease) {
      leases.add(lease)
      begin()
      // What let the caller in may have been remembered for a moment too long.
      check()
      return () => {
        leases.delete(lease)
        if (leases.size === 0) stop()
      }
    },
    stop,
  }
}
