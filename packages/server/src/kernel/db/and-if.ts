import { type RawBuilder, sql } from 'kysely'

/**
 * Returns `and` with a condition when there is a value, else an empty fragment. A list without a filter is then a
 * separate statement with a separate plan, which can be prepared. `($1 is null or …)` has one plan for both.
 */
export function andIf<T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>): RawBuilder<unknown> {
  return value === undefined ? sql`` : sql`and ${condition(value)}`
}
