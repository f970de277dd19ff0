import type { ReadObject } from '../catalogue/format/provider-file.ts'
import { type ObjectPlan, planOf } from './object-plan.ts'

/** What a read asks for, as far as it decides which request is sent. */
export interface AskedRead {
  since?: Date | undefined
  until?: Date | undefined
  /** Whether only some of the records are wanted. */
  hasFilters?: boolean
  /** Length of the first URL of `read` with the wanted fields, in bytes; asked only where the file sets a limit. */
  urlBytes?: () => number
}

export interface ChosenRequest {
  /** The key of the provider file that declares the request. */
  request: 'read' | 'incremental.read'
  /** Says why, in a few words for people. */
  because: string
}

const dayMs = 86_400_000

/**
 * Chooses the request of a read. `read` lists every record, and `incremental.read` what changed in a window: a list of
 * recent changes must never stand in for the full history. `incremental.reach` says where a file differs.
 *
 * @param now milliseconds since 1970
 */
export function chooseRequest(object: ReadObject, name: string, asked: AskedRead, now: number): ChosenRequest {
  const { incremental, read } = object
  if (incremental?.read === undefined) return { request: 'read', because: 'the file declares no other request' }
  const { reach } = incremental
  if (asked.since !== undefined) {
    const isTooOld = typeof reach === 'number' && asked.since.getTime() < now - reach * dayMs
    return isTooOld
      ? { request: 'read', because: `the window begins more than ${reach} days ago` }
      : { request: 'incremental.read', because: 'the window has a beginning' }
  }
  if (reach !== 'everything') return { request: 'read', because: 'the full history is read' }
  if (asked.until !== undefined) return { request: 'incremental.read', because: 'the window has an end' }
  if (asked.hasFilters === true && !namesFilters(planOf(object, name).full))
    return { request: 'incremental.read', because: 'it takes the filters' }
  if (read.urlBytesMax !== undefined && asked.urlBytes !== undefined && asked.urlBytes() > read.urlBytesMax)
    return { request: 'incremental.read', because: 'the URL of the other would be too long' }
  return { request: 'read', because: 'the full history is read' }
}

/** Whether every read of the object takes filters: one of the full history, too. */
export function takesFilters(object: ReadObject, name: string): boolean {
  const { full, window } = planOf(object, name)
  return namesFilters(window) && (namesFilters(full) || object.incremental?.reach === 'everything')
}

function namesFilters({ request }: ObjectPlan['full']): boolean {
  return request.variables.has('filters')
}
