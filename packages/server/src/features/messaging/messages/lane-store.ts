import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { ClaimedMessage } from './lease-store.ts'

/**
 * A lane of a destination: one object of one installation. A destination in order gets the messages of a lane one after
 * the other.
 */
export interface Lane {
  /** Id of the installation; zeros without one. */
  installation: string
  /** Name of the object; a space without one. */
  object: string
}

export interface LanesClaim {
  destinationId: string
  token: string
  /** Maximum number of messages, and of messages in one lane. */
  limit: number
  limitOfLane: number
  /** Stops after the message that exceeds this sum. */
  bytesMax: number
  leaseSeconds: number
  /** The lane after which the claim begins. From the first one on, if undefined. */
  after: Lane | undefined
}

/** How much one claim reads, so that many lanes that wait for a retry do not make it long: rows, times this often. */
const stretchRows = 500
const stretchesMax = 20

const beforeAll: Lane = { installation: '00000000-0000-0000-0000-000000000000', object: '' }
const afterAll: Lane = { installation: 'ffffffff-ffff-ffff-ffff-ffffffffffff', object: '' }

/**
 * Claims messages of a destination in order: of each lane the oldest ones that wait, up to the first that is not due or
 * that a worker is sending. So nothing of a lane is claimed while an older message of it waits for a retry, however
 * many wait behind it. Goes around the lanes, so that each gets the same share.
 *
 * @returns `last`: the lane that the next claim begins after. `isDrained`: the claim went around all lanes
 */
export async function claimInOrder(
  db: ProjectDb,
  claim: LanesClaim,
): Promise<{ claimed: ClaimedMessage[]; last: Lane; isDrained: boolean }> {
  const begin = claim.after ?? beforeAll
  const chosen = new Choice(claim)
  let isSecondHalf = claim.after === undefined
  let last = begin
  let isDrained = false
  for (let count = 0; count < stretchesMax && !chosen.isFull && !isDrained; count++) {
    const until = isSecondHalf && claim.after ? begin : afterAll
    const rows = await findWaiting(db, claim.destinationId, { after: last, until })
    last = chosen.add(rows) ?? last
    if (rows.length === stretchRows || chosen.isFull) continue
    // The end of the lanes: the claim goes on with the first one, up to where it began.
    isDrained = isSecondHalf
    isSecondHalf = true
    if (!isDrained) last = beforeAll
  }
  const claimed = chosen.ids.length === 0 ? [] : await leaseChosen(db, claim, chosen)
  return { claimed, last, isDrained }
}

interface WaitingRow extends Lane {
  id: string
  bytes: number
  due: boolean
}

/** What a claim chose: messages, and for each the oldest that waits in its lane. */
class Choice {
  readonly ids: string[] = []
  readonly heads: string[] = []
  isFull = false
  #bytes = 0
  readonly #limits: LanesClaim

  constructor(limits: LanesClaim) {
    this.#limits = limits
  }

  /** Chooses from whole lanes. Returns the last lane that it looked at; undefined without any. */
  add(rows: readonly WaitingRow[]): Lane | undefined {
    const { limit, limitOfLane, bytesMax } = this.#limits
    let head: WaitingRow | undefined
    let free = 0
    for (const row of rows) {
      if (!head || laneOf(head) !== laneOf(row)) {
        if (this.isFull) return head
        head = row
        free = limitOfLane
      }
      free = row.due ? free : 0
      if (free === 0 || this.isFull) continue
      free--
      this.ids.push(row.id)
      this.heads.push(head.id)
      this.#bytes += row.bytes
      this.isFull = this.ids.length >= limit || this.#bytes >= bytesMax
    }
    return head
  }
}

async function findWaiting(
  db: ProjectDb,
  destinationId: string,
  { after, until }: { after: Lane; until: Lane },
): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select id, installation, object, bytes, due
      from waiting_in_lanes(${db.projectId}, ${destinationId}, ${after.installation}, ${after.object},
                            ${until.installation}, ${until.object}, ${stretchRows})`.execute(db.sql)
  return rows
}

/**
 * Leases messages. Who locks the oldest one of a lane claims in the lane: of two workers, the other one leaves it out.
 * So does one that found what has been sent since.
 */
async function leaseChosen(db: ProjectDb, claim: LanesClaim, { ids, heads }: Choice): Promise<ClaimedMessage[]> {
  const { rows } = await sql<{
    id: string
    payload: Buffer
    has_result: boolean
    attempt: number
    schedule_from: number
    kind: string
    event_type: string | null
    installation: string | null
    object: string | null
  }>`
    with head as materialized (
      select id from messages
       where project_id = ${db.projectId} and id = any(${heads}::uuid[]) and destination_id = ${claim.destinationId}
         and state = 'pending' and next_attempt_at <= now() and (lease_until is null or lease_until <= now())
         for update skip locked)
    update messages set lease_token = ${claim.token}, lease_until = now() + make_interval(secs => ${claim.leaseSeconds})
     where project_id = ${db.projectId} and id = any(${ids}::uuid[])
       and id = any(array(select c.id from unnest(${ids}::uuid[], ${heads}::uuid[]) c (id, head) join head on head.id = c.head))
       and destination_id = ${claim.destinationId} and state = 'pending' and (lease_until is null or lease_until <= now())
    returning id, payload, has_result, attempt, schedule_from, kind, event_type, installation_id as installation, object_name as object`.execute(
    db.sql,
  )
  const claimed = rows.map(
    ({ id, payload, has_result, attempt, schedule_from, kind, event_type, installation, object }) => ({
      ...{ id, payload, hasResult: has_result, kind, eventType: event_type ?? undefined, attempt },
      ...{ scheduleFrom: schedule_from, token: claim.token },
      lane: laneOf({ installation: installation ?? beforeAll.installation, object: object ?? ' ' }),
    }),
  )
  return claimed.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

function laneOf({ installation, object }: Lane): string {
  return `${installation} ${object}`
}
