import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { createBatches, type Database, type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import { entriesAtMost } from '../../../kernel/entries-max.ts'

const windowMs = 60_000
const batchMax = 500
/** A node keeps at most this part of what is left of a limit, and this many permits. */
const shareOfRest = 1 / 16
const spareMax = 100
const leasesMax = 20_000

/** Permits of one installation in one minute that this node has taken from the row of all nodes. */
interface Lease {
  /** The minute, in milliseconds. */
  start: number
  callsPerMinute: number
  /** Permits that nobody has used yet. */
  spare: number
  /** Calls of this node. */
  used: number
  /** Permits that all nodes have taken, as far as this node knows. */
  taken: number
}

interface Wanted {
  installationId: string
  start: number
  callsPerMinute: number
  /** Permits to take in addition to the one that is needed. */
  spare: number
}

interface Granted {
  isGranted: boolean
  start: number
  spare: number
  taken: number
}

/** Permits of the limits on calls of tools. */
export interface CallPermits {
  /**
   * Takes a permit of an installation in the current minute. Returns undefined if there was one, or the seconds to
   * wait.
   */
  take(
    projectId: string,
    installationId: string,
    options: { now: Date; callsPerMinute: number },
  ): undefined | number | Promise<undefined | number>
}

/**
 * Creates the permits of a node. A minute may be used up in a burst, as agents work: a rate limiter that spreads
 * permits would make them wait. All nodes take permits from one row, so they never use more than the limit. A node
 * takes some for later, at most as many as it has used in this minute: a busy one runs few statements, and one with
 * few calls keeps nothing from the others. Permits that a node has not used end with their minute.
 */
export function createCallPermits({ database }: { database: Database }): CallPermits {
  const leases = new LRUCache<string, Lease>(entriesAtMost(leasesMax))
  const grant = createBatches<Wanted, Granted>({
    itemsMax: batchMax,
    run: (projectId, wanted) => takeFromRows(database.forProject(projectId), wanted),
  })

  async function takeMore(projectId: string, installationId: string, lease: Lease): Promise<boolean> {
    const { start, callsPerMinute, used, taken } = lease
    const rest = Math.floor((callsPerMinute - taken) * shareOfRest)
    const spare = Math.max(0, Math.min(used, rest, spareMax))
    lease.used++
    const granted = await grant(projectId, { installationId, start, callsPerMinute, spare })
    // Other nodes are in the next minute already: that is where these permits belong.
    if (granted.start > lease.start) Object.assign(lease, { start: granted.start, spare: 0, taken: 0 })
    if (granted.start === lease.start) {
      lease.spare += granted.spare
      lease.taken = Math.max(lease.taken, granted.taken)
    }
    return granted.isGranted
  }

  return {
    take(projectId, installationId, { now, callsPerMinute }) {
      const start = Math.floor(now.getTime() / windowMs) * windowMs
      let lease = leases.get(installationId)
      if (lease === undefined || !isCurrent(lease, start) || lease.callsPerMinute !== callsPerMinute) {
        lease = { start, callsPerMinute, spare: 0, used: 0, taken: 0 }
        leases.set(installationId, lease)
      }
      if (lease.spare > 0) {
        lease.spare--
        lease.used++
        return undefined
      }
      const seconds = Math.max(1, Math.ceil((lease.start + windowMs - now.getTime()) / 1000))
      if (lease.taken >= callsPerMinute) return seconds
      return takeMore(projectId, installationId, lease).then((isGranted) => (isGranted ? undefined : seconds))
    },
  }
}

/** Another node may be in the next minute already. */
function isCurrent(lease: Lease, start: number): boolean {
  return lease.start === start || lease.start === start + windowMs
}

/** Takes permits in one statement. Locks rows in the order of their ids. */
async function takeFromRows(db: ProjectDb, wanted: Wanted[]): Promise<Granted[]> {
  const byInstallation = Map.groupBy(wanted, ({ installationId }) => installationId)
  const asked = [...byInstallation].map(([id, of]) => ({
    id,
    start: new Date(Math.max(...of.map(({ start }) => start))),
    calls: of.length + Math.max(...of.map(({ spare }) => spare)),
  }))
  // The clocks of two nodes may differ at the end of a minute: the later minute counts.
  const { rows } = await sql<{ id: string; start: Date; calls: number }>`${prepared}
    insert into tool_windows as w (project_id, installation_id, window_start, calls)
    select i.project_id, i.id, a.start, a.calls
      from json_to_recordset(${JSON.stringify(asked)}::json) a (id uuid, start timestamptz, calls integer)
      join installations i on i.project_id = ${db.projectId} and i.id = a.id
     order by i.id
    on conflict (project_id, installation_id) do update
      set calls = case when w.window_start - excluded.window_start in (interval '0', interval '1 minute')
                       then w.calls else 0 end + excluded.calls,
          window_start = case when w.window_start - excluded.window_start = interval '1 minute'
                              then w.window_start else excluded.window_start end
    returning w.installation_id as id, w.window_start as start, w.calls`.execute(db.sql)
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  const granted = new Map<Wanted, Granted>()
  for (const { id, start, calls } of asked) {
    // An installation that has just been deleted has no row.
    const row = rowOf.get(id) ?? { start, calls }
    const before = row.calls - calls
    const of = byInstallation.get(id) ?? []
    for (const [index, one] of of.entries()) {
      const rest = one.callsPerMinute - before - of.length
      granted.set(one, {
        isGranted: before + index < one.callsPerMinute,
        start: row.start.getTime(),
        // The permits that nobody needs yet.
        spare: index === 0 ? Math.max(0, Math.min(calls - of.length, rest)) : 0,
        taken: row.calls,
      })
    }
  }
  return wanted.map((one) => granted.get(one) as Granted)
}
