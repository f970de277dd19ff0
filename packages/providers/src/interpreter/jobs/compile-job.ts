import type { Read } from '../../catalogue/format/read.ts'
import type { columnTypes, ReadJob } from '../../catalogue/format/read-job.ts'
import { ProviderError } from '../../provider-error.ts'
import { compileMatch, type Matcher } from '../match.ts'
import { compilePath, isObject, type PathReader, pathNames, scalarText } from '../path.ts'
import { compileId, idColumns, idPaths } from '../record-id.ts'
import { type CompiledRequest, compileRequest } from '../request.ts'
import { lower } from '../requested-names.ts'
import { namedPath, type Variables } from '../template.ts'
import { type ResultRows, withChildren } from './result-rows.ts'

type ColumnType = (typeof columnTypes)[number]

/** A job of a provider file, ready to be run. */
export interface CompiledJob {
  above: number | undefined
  /** Whether there is no list that could be read instead. */
  always: boolean
  /** Types of fields that it does not return. */
  exceptTypes: ReadonlySet<string>
  /** Whether it must know the types of fields. */
  needsTypes: boolean
  submit: CompiledRequest
  id: PathReader
  /** Undefined if `submit` starts the job. */
  start: CompiledRequest | undefined
  poll: {
    request: CompiledRequest
    state: PathReader
    done: ReadonlySet<string>
    failed: ReadonlySet<string>
    document: PathReader
    count: PathReader
    message: PathReader
    everyMs: number
    maxMs: number
  }
  results: {
    /** Undefined if the response to `poll` has the URL. */
    request: CompiledRequest | undefined
    url: PathReader | undefined
    hosts: readonly string[]
    hasCredential: boolean
    /** The request whose response has the URL; that of `poll` if undefined. */
    document: CompiledRequest | undefined
    /** Whether the result is compressed, by that response. */
    isGzip: Matcher | undefined
    format: 'csv' | 'tsv' | 'ndjson'
    nextHeader: string | undefined
    lastCursor: string | undefined
    pageSize: number
    /** Columns that a CSV result must have. */
    columns: readonly string[]
    types: Readonly<Record<string, ColumnType>>
    /** Text of a column without a value. */
    nullText: string | undefined
    /** Puts children into their records. */
    grouped: (rows: ResultRows) => ResultRows
  }
  abort: CompiledRequest | undefined
}

const secondsDefault = 10
const hoursDefault = 24
const pageSizeDefault = 10_000

/** @param text the variables of the object, which the id of the record may name */
export function compileJob(read: Read, text: Variables): CompiledJob | undefined {
  const { job } = read
  if (job === undefined) return undefined
  const { above, always = false, exceptTypes = [], submit, start, poll, results, abort } = job
  const { types = {} } = results
  const ids = idPaths(read.id).map((path) => namedPath(path, text))
  return {
    above,
    always,
    exceptTypes: new Set(exceptTypes),
    needsTypes: exceptTypes.length > 0 || Object.keys(types).length > 0,
    submit: compileRequest(submit),
    id: compilePath(submit.id),
    start: start && compileRequest({ method: 'POST', ...start } as ReadJob['submit']),
    poll: {
      request: compileRequest(poll),
      state: compilePath(poll.state),
      done: new Set(poll.done),
      failed: new Set(poll.failed),
      document: poll.document === undefined ? () => undefined : compilePath(poll.document),
      count: poll.count === undefined ? () => undefined : compilePath(poll.count),
      message: poll.message === undefined ? () => undefined : compilePath(poll.message),
      everyMs: (poll.everySeconds ?? secondsDefault) * 1000,
      maxMs: (poll.maxHours ?? hoursDefault) * 3_600_000,
    },
    results: {
      request:
        results.path === undefined
          ? undefined
          : compileRequest({ ...results, path: results.path, format: formatOf(results) }),
      url: results.url === undefined ? undefined : compilePath(results.url),
      hosts: results.hosts ?? [],
      hasCredential: results.credential === true,
      document: results.document && compileRequest(results.document),
      isGzip: results.gzip && compileMatch(results.gzip),
      format: results.format,
      nextHeader: results.nextHeader?.toLowerCase(),
      lastCursor: results.lastCursor,
      pageSize: results.pageSizeMax ?? pageSizeDefault,
      columns: idColumns(ids),
      types,
      nullText: results.nullText,
      grouped: compileChildren(results.children, compileId(ids)),
    },
    abort: abort && compileRequest({ method: 'POST', ...abort } as ReadJob['submit']),
  }
}

/** The format by which errors are recognized. */
function formatOf({ format }: ReadJob['results']): 'csv' | 'ndjson' {
  return format === 'ndjson' ? 'ndjson' : 'csv'
}

function compileChildren(
  children: ReadJob['results']['children'],
  id: (record: unknown) => unknown,
): (rows: ResultRows) => ResultRows {
  if (children === undefined) return (rows) => rows
  const parent = compilePath(children.parent)
  const into = pathNames(children.into) ?? []
  return (rows) =>
    withChildren(rows, {
      parentOf: (value) => scalarText(parent(value)),
      idOf: (value) => scalarText(id(value)),
      put: (record, list) => putAt(record, into, list),
    })
}

/** Stores a value in a record, and makes the objects on the way. */
function putAt(record: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): void {
  if (name === undefined) return
  if (rest.length === 0) {
    record[name] = value
    return
  }
  const inner = isObject(record[name]) ? record[name] : {}
  record[name] = inner
  putAt(inner, rest, value)
}

/**
 * Returns what makes of a row of texts the record that the list has.
 *
 * @param typeOf the `providerType` of a field, by its name in small letters
 */
export function rowConverter(
  { types, nullText }: CompiledJob['results'],
  typeOf: ReadonlyMap<string, string>,
): (row: Record<string, unknown>) => Record<string, unknown> {
  const converters = new Map<string, ColumnType | undefined>()
  const converterOf = (name: string) => {
    if (!converters.has(name)) {
      const type = typeOf.get(lower(name))
      converters.set(name, type !== undefined && Object.hasOwn(types, type) ? types[type] : undefined)
    }
    return converters.get(name)
  }
  return (row) => {
    for (const name in row) {
      if (nullText !== undefined && row[name] === nullText) row[name] = null
      const value = row[name]
      const type = typeof value === 'string' ? converterOf(name) : undefined
      if (type !== undefined) row[name] = converted(value as string, type, name)
    }
    return row
  }
}

function converted(text: string, type: ColumnType, name: string): unknown {
  const value = convert[type](text)
  if (value === undefined)
    throw new ProviderError(
      'unexpected_response',
      `The column "${name}" of the job’s result has a value that is no ${type}.`,
    )
  return value
}

/** Each returns undefined for a text that it does not understand. */
const convert: Record<ColumnType, (text: string) => unknown> = {
  number: (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  json(text) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      return undefined
    }
  },
  offsetTime: (text) => text.replace(/Z$/, '+0000'),
}
