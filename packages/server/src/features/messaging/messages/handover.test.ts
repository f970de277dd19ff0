import { expect, it, vi } from 'vitest'
import { Handover, type HandoverRun, type Reservation } from './index.ts'

const reservation: Reservation = { destinationId: 'id', token: 'token', leaseSeconds: 15, end: () => undefined }

/** A handover with a run that has no room until `makeRoom` is called. */
function fullRun() {
  const handover = new Handover()
  let room: Reservation | undefined
  const run: HandoverRun = { reserve: () => room, claimAgain: vi.fn() }
  const added = handover.add('project', 'hook', run)
  if (!added) throw new Error('there is a run already')
  const makeRoom = () => {
    room = reservation
    added.hasRoom()
  }
  return { handover, run, added, makeRoom }
}

it('a post waits until the run has room', async () => {
  const { handover, makeRoom } = fullRun()
  const posts = [handover.reserve('project', 'hook'), handover.reserve('project', 'hook')]
  makeRoom()
  expect(await Promise.all(posts)).toEqual([reservation, reservation])
})

it('a post waits only for a short time', async () => {
  const { handover } = fullRun()
  expect(await handover.reserve('project', 'hook')).toBeUndefined()
})

it('a post does not wait for a run that ended, or for one of another project or destination', async () => {
  const { handover, added } = fullRun()
  const post = handover.reserve('project', 'hook')
  added.remove()
  expect(await post).toBeUndefined()
  expect(await handover.reserve('other', 'hook')).toBeUndefined()
  expect(await handover.reserve('project', 'other')).toBeUndefined()
})

it('the first run of a destination keeps its place until it ends', () => {
  const { handover, run, added } = fullRun()
  const other: HandoverRun = { reserve: () => undefined, claimAgain: vi.fn() }
  expect(handover.add('project', 'hook', other)).toBeUndefined()
  expect(handover.claimAgain('project', 'hook')).toBe(true)
  expect(run.claimAgain).toHaveBeenCalledOnce()
  added.remove()
  expect(handover.claimAgain('project', 'hook')).toBe(false)
  expect(other.claimAgain).not.toHaveBeenCalled()
})
