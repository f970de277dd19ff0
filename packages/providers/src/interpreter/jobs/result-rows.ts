import { pipeline, type Readable } from 'node:stream'
import { CsvError, parse as parseCsv } from 'csv-parse'
import { ProviderError } from '../../provider-error.ts'
import { isObject } from '../path.ts'
import { csvRecordBytesMax } from '../response-format.ts'

/** A record of a result, and how much of the result ends with it. */
export interface ResultRow {
  value: Record<string, unknown>
  /** Bytes of the decoded result up to the end of the record. */
  end: number
}

export type ResultRows = AsyncGenerator<ResultRow, void, undefined>

/** A result that is not what its file declares: HTML, half a line, a line of another length. Sent again later. */
export function malformed(why: string, cause?: unknown): ProviderError {
  return new ProviderError('unexpected_response', `The result of the provider’s job cannot be read: ${why}`, { cause })
}

/**
 * Rows of a CSV document as it arrives, each by the names of the first line, an empty text as null. Ending the
 * iteration closes the body.
 *
 * @param needed names that the first line must have
 * @param options.mayBeEmpty whether a document without a first line has no rows
 * @throws ProviderError `unexpected_response`; what the body fails with passes through
 */
export async function* csvRows(
  body: Readable,
  needed: readonly string[],
  { mayBeEmpty = false, ...format }: { mayBeEmpty?: boolean; delimiter?: string; quote?: null } = {},
): ResultRows {
  let hasHeader = false
  const parser = parseCsv({
    ...format,
    bom: true,
    info: true,
    skip_empty_lines: true,
    max_record_size: csvRecordBytesMax,
    cast: (text, { header }) => (text === '' && !header ? null : text),
    columns(names: string[]) {
      hasHeader = true
      const missing = needed.find((name) => !names.includes(name))
      if (missing !== undefined) throw malformed(`its first line has no column "${missing}".`)
      const twice = names.find((name, at) => names.indexOf(name) !== at)
      if (twice !== undefined) throw malformed(`its first line has a column twice.`)
      return names
    },
  })
  // The parser carries the outcome to its reader; the callback has nothing to add.
  pipeline(body, parser, () => undefined)
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) yield { value: record, end: info.bytes }
  } catch (error) {
    throw error instanceof CsvError ? malformed(`it is not valid ${nameOf(format)} (${error.code}).`) : error
  } finally {
    body.destroy()
  }
  if (!hasHeader && !mayBeEmpty) throw malformed('it is empty.')
}

/** The same for a document with tabs between the values. Quotation marks are a part of them. */
export function tsvRows(body: Readable, needed: readonly string[]): ResultRows {
  return csvRows(body, needed, { delimiter: '\t', quote: null })
}

function nameOf({ delimiter = ',' }: { delimiter?: string }): string {
  return delimiter === ',' ? 'CSV' : 'TSV'
}

interface ParsedRow {
  record: Record<string, unknown>
  info: { bytes: number }
}

/**
 * Objects of a document with a JSON object in each line, as it arrives. Ending the iteration closes the body.
 *
 * @param from bytes of the document before the body
 * @throws ProviderError `unexpected_response`; what the body fails with passes through
 */
export async function* ndjsonRows(body: Readable, from = 0): ResultRows {
  let end = from
  let rest: Buffer[] = []
  let restLength = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      let at = 0
      for (let stop = chunk.indexOf(0x0a); stop >= 0; stop = chunk.indexOf(0x0a, at)) {
        const line = Buffer.concat([...rest, chunk.subarray(at, stop)])
        rest = []
        restLength = 0
        at = stop + 1
        end += line.length + 1
        const value = lineValue(line, end === line.length + 1)
        if (value !== undefined) yield { value, end }
      }
      if (at === chunk.length) continue
      rest.push(chunk.subarray(at))
      restLength += chunk.length - at
      if (restLength > csvRecordBytesMax) throw malformed('one of its lines is too long.')
    }
    const line = Buffer.concat(rest)
    const value = lineValue(line, end === 0)
    if (value !== undefined) yield { value, end: end + line.length }
  } finally {
    body.destroy()
  }
}

function lineValue(line: Buffer, isFirst: boolean): Record<string, unknown> | undefined {
  const text = line.toString('utf8')
  const json = isFirst ? text.replace(/^\uFEFF/, '') : text
  if (json.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw malformed('one of its lines is not JSON, or is cut.')
  }
  if (!isObject(value)) throw malformed('one of its lines is not a JSON object.')
  return value
}

/** Most children of one record: they are in memory together. */
const childrenMax = 50_000

/**
 * Puts lines that belong to the record before them into that record.
 *
 * @param parentOf the id, in a child, of its record
 * @param idOf the id of a record
 * @param put stores the children in the record
 */
export async function* withChildren(
  rows: ResultRows,
  {
    parentOf,
    idOf,
    put,
  }: {
    parentOf: (value: unknown) => string | undefined
    idOf: (value: unknown) => string | undefined
    put: (record: Record<string, unknown>, children: unknown[]) => void
  },
): ResultRows {
  let open: (ResultRow & { children: unknown[] }) | undefined
  for await (const row of rows) {
    const parent = parentOf(row.value)
    if (parent === undefined) {
      if (open !== undefined) yield completed(open)
      open = { ...row, children: [] }
    } else {
      if (open === undefined || idOf(open.value) !== parent) throw malformed('a child does not follow its record.')
      if (open.children.length >= childrenMax) throw malformed('a record has too many children.')
      open.children.push(row.value)
      open.end = row.end
    }
  }
  if (open !== undefined) yield completed(open)

  function completed({ value, end, children }: NonNullable<typeof open>): ResultRow {
    put(value, children)
    return { value, end }
  }
}
