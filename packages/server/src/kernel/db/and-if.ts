import { type RawBuilder, sql } from 'kysely'

/**
 * A condition behind `and` where there is a value for it, else nothing: a list without a filter is then a statement of
 * its own, with a plan of its own, which can be prepared. `($1 is null or …)` has one plan for both.
 */
export function andIf<T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>): RawBuilder<unknown> {
  return value === undefined ? sql`` : sql`and ${condition(value)}`
}
