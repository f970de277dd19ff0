import { type RawBuilder, sql } from 'kysely'

export const channel = 'mortise_signals'

/** A notification of PostgreSQL holds 8,000 bytes; above this many ids at once, whoever follows looks for itself. */
const idsOfOne = 200
const idsMax = 1_000

/**
 * A query that tells whoever follows a topic which rows a statement made or changed, once its transaction commits.
 * While nobody does, it costs one look into a table that is nearly empty: a notification itself is not free, since
 * transactions that notify commit one after the other. It has one column, `told`; make it a part of the statement that
 * makes the rows.
 */
export function told(topic: string, what: 'made' | 'changed', ids: readonly string[]): RawBuilder<{ told: string }> {
  const payloads: string[] = []
  if (ids.length > idsMax) payloads.push(`${topic} ${what} *`)
  else
    for (let from = 0; from < ids.length; from += idsOfOne)
      payloads.push(`${topic} ${what} ${ids.slice(from, from + idsOfOne).join(',')}`)
  return sql<{ told: string }>`
    select pg_notify(${channel}, payload)::text as told from unnest(${payloads}::text[]) payload
     where exists (select from watches where topic = ${topic} and until > now())`
}

/**
 * What a notification says; undefined where it is none of ours. `ids` is undefined when there were too many to name.
 */
export function readTold(
  payload: string,
): { topic: string; what: 'made' | 'changed'; ids: string[] | undefined } | undefined {
  const [topic, what, ids] = payload.split(' ')
  if (topic === undefined || ids === undefined || (what !== 'made' && what !== 'changed')) return undefined
  return { topic, what, ids: ids === '*' ? undefined : ids.split(',') }
}
