import { parse as parseCsv } from 'csv-parse/sync'
import { XMLParser } from 'fast-xml-parser'

/** A format of responses. */
export type ResponseFormat = 'json' | 'ndjson' | 'csv' | 'xml'

/** One row or tag must not take the memory of all. */
export const csvRecordBytesMax = 4 * 1024 * 1024
const xmlDepthMax = 100

/** Returns the values in a body; `undefined` if it has another format. */
export function parseBody(body: string, format: ResponseFormat = 'json'): unknown {
  try {
    return parsers[format](body)
  } catch {
    return undefined
  }
}

/** Returns the names in the first line of a CSV document. */
export function csvColumns(body: string): string[] {
  const [names = []] = parseCsv(body, { bom: true, to: 1, max_record_size: csvRecordBytesMax }) as string[][]
  return names
}

const parsers: Record<ResponseFormat, (body: string) => unknown> = {
  json: (body) => (body === '' ? undefined : (JSON.parse(body) as unknown)),
  ndjson: lines,
  csv: (body) =>
    parseCsv(body, { bom: true, columns: true, skip_empty_lines: true, max_record_size: csvRecordBytesMax }),
  xml: parseXml,
}

function lines(body: string): unknown[] {
  const values: unknown[] = []
  for (const line of body.split('\n')) if (line.trim() !== '') values.push(JSON.parse(line) as unknown)
  return values
}

const xml = new XMLParser({
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  removeNSPrefix: true,
  parseTagValue: false,
  maxNestedTags: xmlDepthMax,
  htmlEntities: true,
  // Documents cannot define entities: those that are left are single characters.
  processEntities: {
    enabled: true,
    maxTotalExpansions: Number.POSITIVE_INFINITY,
    maxExpandedLength: Number.POSITIVE_INFINITY,
  },
})

/** Elements by name, attributes as `@name`, all values as texts. A document with a type definition is refused. */
function parseXml(body: string): unknown {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(body)) throw new SyntaxError('The document has a type definition.')
  if (!/^[\s\uFEFF]*</.test(body)) throw new SyntaxError('The body is not XML.')
  return xml.parse(body, true) as unknown
}
