import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type ClaimedMessage, type ClaimedRow, claimedColumns, messageOfRow } from './lease-store.ts'

/**
 * A sequence of messages of a destination: those of one object of an installation. A destination in order gets them one
 * after the other.
 */
export interface Sequence {
  /** Id of the installation; zeros without one. */
  installation: string
  /** Name of the object; a space without one. */
  object: string
}

export interface SequencesClaim {
  destinationId: string
  token: string
  /** Maximum number of messages, and of messages in one sequence. */
  limit: number
  limitOfSequence: number
  /** Stops after the message that exceeds this sum. */
  bytesMax: number
  leaseSeconds: number
  /** The sequence after which the claim begins. From the first one on, if undefined. */
  after: Sequence | undefined
}

/**
 * How much one claim reads, so that many sequences that wait for a retry do not make it long: rows, times this often.
 */
const stretchRows = 500
const stretchesMax = 20

const beforeFirst: Sequence = { installation: '00000000-0000-0000-0000-000000000000', object: '' }
const afterLast: Sequence = { installation: 'ffffffff-ffff-ffff-ffff-ffffffffffff', object: '' }

/**
 * Claims messages of a destination in order: of each sequence the oldest ones that wait, up to the first that is not
 * due or that a worker is sending. So nothing of a sequence is claimed while an older message of it waits for a retry,
 * however many wait behind it. Goes around the sequences, so that each gets the same share.
 *
 * @returns `last`: the sequence that the next claim begins after. `isDrained`: the claim went around all sequences
 */
export async function claimInOrder(
  db: ProjectDb,
  claim: SequencesClaim,
): Promise<{ claimed: ClaimedMessage[]; last: Sequence; isDrained: boolean }> {
  const begin = claim.after ?? beforeFirst
  const chosen = new Choice(claim)
  let isSecondHalf = claim.after === undefined
  let last = begin
  let isDrained = false
  for (let count = 0; count < stretchesMax && !chosen.isFull && !isDrained; count++) {
    const until = isSecondHalf && claim.after ? begin : afterLast
    const rows = await findWaiting(db, claim.destinationId, { after: last, until })
    last = chosen.add(rows) ?? last
    if (rows.length === stretchRows || chosen.isFull) continue
    // The end of the sequences: the claim continues with the first one, up to where it began.
    isDrained = isSecondHalf
    isSecondHalf = true
    if (!isDrained) last = beforeFirst
  }
  const claimed = chosen.ids.length === 0 ? [] : await leaseChosen(db, claim, chosen)
  return { claimed, last, isDrained }
}

interface WaitingRow extends Sequence {
  id: string
  bytes: number
  due: boolean
}

/** What a claim chose: messages, and for each the oldest that waits in its sequence. */
class Choice {
  readonly ids: string[] = []
  readonly heads: string[] = []
  isFull = false
  #bytes = 0
  readonly #limits: SequencesClaim

  constructor(limits: SequencesClaim) {
    this.#limits = limits
  }

  /** Chooses from whole sequences. Returns the last sequence of the rows; undefined without any. */
  add(rows: readonly WaitingRow[]): Sequence | undefined {
    const { limit, limitOfSequence, bytesMax } = this.#limits
    let head: WaitingRow | undefined
    let free = 0
    for (const row of rows) {
      if (!head || sequenceOf(head) !== sequenceOf(row)) {
        if (this.isFull) return head
        head = row
        free = limitOfSequence
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
  { after, until }: { after: Sequence; until: Sequence },
): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select id, installation, object, bytes, due
      from waiting_in_sequences(${db.projectId}, ${destinationId}, ${after.installation}, ${after.object},
                            ${until.installation}, ${until.object}, ${stretchRows})`.execute(db.sql)
  return rows
}

/**
 * Leases messages. Who locks the oldest one of a sequence claims in the sequence: of two workers, the other one leaves
 * it out. So does one that found what has been sent since.
 */
async function leaseChosen(db: ProjectDb, claim: SequencesClaim, { ids, heads }: Choice): Promise<ClaimedMessage[]> {
  const { rows } = await sql<ClaimedRow & { installation: string | null; object: string | null }>`
    with head as materialized (
      select id from messages
       where project_id = ${db.projectId} and id = any(${heads}::uuid[]) and destination_id = ${claim.destinationId}
         and state = 'pending' and next_attempt_at <= now() and (lease_until is null or lease_until <= now())
         for update skip locked)
    update messages set lease_token = ${claim.token}, lease_until = now() + make_interval(secs => ${claim.leaseSeconds})
     where project_id = ${db.projectId} and id = any(${ids}::uuid[])
       and id = any(array(select c.id from unnest(${ids}::uuid[], ${heads}::uuid[]) c (id, head) join head on head.id = c.head))
       and destination_id = ${claim.destinationId} and state = 'pending' and (lease_until is null or lease_until <= now())
    returning ${claimedColumns}, installation_id as installation, object_name as object`.execute(db.sql)
  const claimed = rows.map(({ installation, object, ...row }) => ({
    ...messageOfRow(row, claim.token),
    sequence: sequenceOf({ installation: installation ?? beforeFirst.installation, object: object ?? ' ' }),
  }))
  return claimed.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

function sequenceOf({ installation, object }: Sequence): string {
  return `${installation} ${object}`
}
