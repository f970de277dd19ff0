import { XMLBuilder } from 'fast-xml-parser'
import { StandInLimit } from '../tried.ts'
import { fitted, isJson, type Json } from './json-paths.ts'

const xml = new XMLBuilder({ attributeNamePrefix: '@', ignoreAttributes: false, suppressEmptyNode: true })

/** A body in the format that the file declares. @param isEmpty whether it is a list of no records */
export function written(body: unknown, { format = 'json', none, id = 'id' }: Json, isEmpty = false): unknown {
  switch (format) {
    case 'ndjson':
      return (body as unknown[]).map((one) => JSON.stringify(one)).join('\n')
    case 'csv':
      return csv(body as Json[], [id].flat() as string[])
    case 'xml':
      // XML has no element for an empty list: what else the document has says so.
      return `<?xml version="1.0" encoding="UTF-8"?>\n${xml.build(isEmpty ? fitted(body, (none as Json)?.['when'] as Json) : body)}`
    default:
      return body
  }
}

/** RFC 4180, with a byte order mark. The first line has the names, also if no line follows. */
function csv(records: readonly Json[], ids: readonly string[]): string {
  const names = [...new Set([...ids, ...records.flatMap((record) => Object.keys(record))])]
  const rows = records.map((record) => names.map((name) => record[name]))
  return `\uFEFF${[names, ...rows].map((row) => row.map(quoted).join(',')).join('\r\n')}\r\n`
}

function quoted(value: unknown): string {
  if (isJson(value)) throw new StandInLimit('a value of CSV has no parts')
  return `"${String(value ?? '').replaceAll('"', '""')}"`
}
