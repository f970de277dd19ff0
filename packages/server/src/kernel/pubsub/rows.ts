import type { RawBuilder } from 'kysely'
import { publish } from './publish.ts'
import { type Topic, topic } from './topic.ts'

/** Rows that a statement created or changed. */
export interface ChangedRows {
  what: 'created' | 'changed'
  /** Absent when there were too many to name. */
  ids: readonly string[] | undefined
}

/** A payload holds this many UUIDs. Subscribers look for themselves where one statement changed more than `idsMax`. */
const idsOfPayload = 200
const idsMax = 1_000

/**
 * Declares a topic for rows of one project. It is published on demand: rows change in hot statements, and most
 * projects have no open stream.
 */
export function rowsTopic(name: string, projectId: string): Topic<ChangedRows> {
  return topic<ChangedRows>(name, { format, parse }, { key: projectId, isOnDemand: true })
}

/** Returns the query that publishes rows; see `publish`. */
export function publishRows(
  of: Topic<ChangedRows>,
  what: ChangedRows['what'],
  ids: readonly string[],
): RawBuilder<{ published: string }> {
  if (ids.length > idsMax) return publish(of, [{ what, ids: undefined }])
  const payloads: ChangedRows[] = []
  for (let from = 0; from < ids.length; from += idsOfPayload)
    payloads.push({ what, ids: ids.slice(from, from + idsOfPayload) })
  return publish(of, payloads)
}

function format({ what, ids }: ChangedRows): string {
  return `${what} ${ids?.join(',') ?? '*'}`
}

function parse(text: string): ChangedRows | undefined {
  const [what, ids] = text.split(' ')
  if ((what !== 'created' && what !== 'changed') || ids === undefined) return undefined
  return { what, ids: ids === '*' ? undefined : ids.split(',') }
}
