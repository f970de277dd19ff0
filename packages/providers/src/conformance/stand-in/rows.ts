import { filledText, type Values } from './fill.ts'
import { isJson, type Json, valueAt, withValue } from './json-paths.ts'

/** A body whose list has the records as rows, with the columns where the file says. */
export function withRows(
  body: unknown,
  { listing, values, records }: { listing: Json; values: Values; records: readonly unknown[] },
  items: readonly unknown[],
  isWithoutColumns: boolean,
): unknown {
  const { columns, name, value, number } = listing['rows'] as Record<string, string | undefined>
  const unwrap = listing['unwrap'] as string | undefined
  const inner = (item: unknown) => (unwrap === undefined ? item : valueAt(item, unwrap)) as Json
  const keys = new Set(records.flatMap((record) => Object.keys(isJson(record) ? inner(record) : {})))
  const names = [...keys].filter((key) => key !== number)
  const rows = items.map((item) => {
    const cells = names.map((key) => {
      const cell = inner(item)[key] ?? null
      return value === undefined ? cell : withValue({}, value, cell)
    })
    return unwrap === undefined ? cells : withValue({}, unwrap, cells)
  })
  const path = filledText(String(listing['records'] ?? ''), values) ?? ''
  if (columns === undefined) return withValue(body, path, [names, ...rows])
  const made = withValue(body, path, rows)
  if (isWithoutColumns) return made
  return withValue(
    made,
    columns,
    names.map((key) => (name === undefined ? key : withValue({}, name, key))),
  )
}

/** The number of a row, where it is a field. @param at its place in the list */
export function withNumber(record: unknown, { rows, paging, unwrap }: Json, at: number): unknown {
  const { number, columns } = (rows ?? {}) as Record<string, string | undefined>
  if (number === undefined) return record
  const { kind, first = 0 } = (paging ?? {}) as Json
  const from = kind === 'offset' ? Number(first) : columns === undefined ? 2 : 1
  const path = unwrap === undefined ? '' : String(unwrap)
  return withValue(record, path, withValue(valueAt(record, path), number, String(from + at)))
}
