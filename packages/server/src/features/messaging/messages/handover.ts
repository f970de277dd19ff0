import type { ClaimedMessage } from './lease-store.ts'

/** How long a post waits until a run has room. It slows reads down whose destination is slower than their provider. */
const roomWithinMs = 100

/** Messages that a delivery run will take over as soon as they are stored. */
export interface Reservation {
  destinationId: string
  /** Token and duration of their lease. */
  token: string
  leaseSeconds: number
  /** Ends the reservation with the stored messages; with none if they were not stored, or not under the lease. */
  end(messages: ClaimedMessage[]): void
}

/** A delivery run of this node that may take over messages. */
export interface HandoverRun {
  /** Returns a reservation, or undefined if the run has enough to send or must claim first. */
  reserve(): Reservation | undefined
  /** Makes the run claim again, before it ends or in its next run. */
  claimAgain(): void
}

interface OpenRun {
  run: HandoverRun
  /** Posts that wait for room. */
  waiting: Set<() => void>
}

/**
 * Connects posting with delivery on one node. A message that is posted while its destination has a delivery run here is
 * stored under the lease of that run and sent from memory. Neither a claim nor a job is needed, and the database does
 * not have to send the payload back.
 */
export class Handover {
  readonly #runs = new Map<string, OpenRun>()

  /** Adds the run of a destination. Returns undefined if there is one already. */
  add(projectId: string, destinationName: string, run: HandoverRun): AddedRun | undefined {
    const key = keyOf(projectId, destinationName)
    if (this.#runs.has(key)) return undefined
    const open: OpenRun = { run, waiting: new Set() }
    this.#runs.set(key, open)
    const hasRoom = () => {
      for (const look of open.waiting) look()
    }
    return {
      hasRoom,
      remove: () => {
        this.#runs.delete(key)
        hasRoom()
      },
    }
  }

  /** Returns a reservation of the run of a destination. Waits for a short time until it has room. */
  async reserve(projectId: string, destinationName: string): Promise<Reservation | undefined> {
    const key = keyOf(projectId, destinationName)
    const open = this.#runs.get(key)
    const reservation = open?.run.reserve()
    if (!open || reservation) return reservation
    return new Promise((resolve) => {
      const look = () => {
        const isOver = this.#runs.get(key) !== open
        const reservation = isOver ? undefined : open.run.reserve()
        if (isOver || reservation) settle(reservation)
      }
      const settle = (reservation?: Reservation) => {
        clearTimeout(timer)
        open.waiting.delete(look)
        resolve(reservation)
      }
      const timer = setTimeout(settle, roomWithinMs)
      open.waiting.add(look)
    })
  }

  /** Makes the run of a destination claim again. Returns false if there is no run here. */
  claimAgain(projectId: string, destinationName: string): boolean {
    const open = this.#runs.get(keyOf(projectId, destinationName))
    open?.run.claimAgain()
    return open !== undefined
  }
}

/** What the run itself does with the handover. */
export interface AddedRun {
  /** Notifies posts that wait for room that there may be some. */
  hasRoom(): void
  remove(): void
}

/** The length of a project id is fixed. */
function keyOf(projectId: string, destinationName: string): string {
  return `${projectId} ${destinationName}`
}
