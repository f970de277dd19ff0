/**
 * Orders the new messages of a destination fairly: an installation that posts many does not delay those of others.
 * Each message has an order time, by which a destination receives it. Within the rate of its installation, that is when
 * it was posted. Above the rate, the order times lie ahead, as far apart as the rate says. They delay nothing: a
 * destination without other messages receives them immediately.
 *
 * Counts in the memory of this process. After a restart, an installation begins again with the present.
 */
export interface MessageShares {
  /** Counts a message. Returns how far its time lies ahead, in milliseconds. */
  ahead(installationId: string): number
}

/** Messages a second with which an installation counts as quiet. */
const perSecond = 10
/** An installation that always exceeds its rate must not fall behind without end. */
const aheadMaxMs = 6 * 3_600_000
/** Number of installations above which quiet ones are removed from memory. */
const installationsMax = 10_000

export function createMessageShares({ now }: { now: () => Date }): MessageShares {
  const intervalMs = 1_000 / perSecond
  /** The time of the next message of each installation. */
  const nextAt = new Map<string, number>()
  let sizeMax = installationsMax
  const removeQuiet = (time: number) => {
    for (const [id, at] of nextAt) if (at <= time) nextAt.delete(id)
    // Looks again only when as many have been added, so that a message costs no look at all of them.
    sizeMax = Math.max(installationsMax, 2 * nextAt.size)
  }
  return {
    ahead(installationId) {
      const time = now().getTime()
      if (nextAt.size > sizeMax) removeQuiet(time)
      const at = Math.min(Math.max(nextAt.get(installationId) ?? time, time), time + aheadMaxMs)
      nextAt.set(installationId, at + intervalMs)
      return at - time
    },
  }
}
