import type { ColumnType } from 'kysely'

/** A time that the database sets on insert. */
export type CreateTime = ColumnType<Date, Date | undefined, Date>
/** A JSON document: objects on the way out, text on the way in (so that arrays are not taken for SQL arrays). */
export type Json<T = unknown> = ColumnType<T, string, string>
export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
/** Rows that are work: see `kernel/work`. */
export type Leased = { fence: Nullable<string>; lease_until: Nullable<Date> }
