import { defined, type Json } from './json-values.ts'
import { fixedValue } from './list-candidates.ts'
import type { Operation } from './operations.ts'
import { pagingOf } from './paging.ts'
import type { RecordList } from './record-lists.ts'

/** The request of a list, and where its records are. */
export function listingOf(operation: Operation, list: RecordList): { request: Json; unknown: string[] } {
  const { query, paging, pageSizeMax, total, unknown } = pagingOf(operation, list)
  const fixed = operation.query.flatMap((parameter) => {
    const value = parameter.required && query[parameter.name] === undefined ? fixedValue(parameter) : undefined
    return value === undefined ? [] : [[parameter.name, value] as const]
  })
  const headers = operation.headers.flatMap((parameter) => {
    if (!parameter.required || /^(accept|content-type|authorization|cookie)$/i.test(parameter.name)) return []
    const value = fixedValue(parameter)
    if (value === undefined) unknown.push(`the value of the required header ${parameter.name} is unknown`)
    return value === undefined ? [] : [[parameter.name, value] as const]
  })
  const all = { ...Object.fromEntries(fixed), ...query }
  const isEmpty = Object.keys(all).length === 0
  const request = defined({
    method: operation.inBody === true ? 'POST' : undefined,
    path: operation.path,
    query: isEmpty || operation.inBody === true ? undefined : all,
    body: operation.inBody === true ? bodyOf(all) : undefined,
    headers: headers.length === 0 ? undefined : Object.fromEntries(headers),
    pageSizeMax,
    records: list.records,
    total,
    paging,
  })
  return { request, unknown }
}

/** Variables keep their type in a body. */
function bodyOf(values: Record<string, string>): Json {
  const entries = Object.entries(values).map(([name, value]) => {
    const variable = /^\{\{(\w+)\}\}$/.exec(value)?.[1]
    return [name, variable === undefined ? value : { $value: variable }] as const
  })
  // A body that would be empty is sent as an object.
  return { $keep: true, ...Object.fromEntries(entries) }
}
