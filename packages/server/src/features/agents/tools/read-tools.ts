import { type FieldFilter, FieldsNotSearchable, type ProviderRecord, type ReadPage } from '@mortise/providers'
import { askProvider } from '../../provider-calls/object-metadata/index.ts'
import { wantedFields } from '../../sync/reading/index.ts'
import { searchLive } from '../../sync/searching/index.ts'
import { type Position, readCursor, writeCursor } from './cursor.ts'
import { fits, type RecordFilter, toProviderFilters } from './record-filters.ts'
import { type ShownRecord, shortened, sizeOf } from './shown-record.ts'
import { dataNote, type PreparedCall, type ToolContext, type ToolOutcome } from './tool-call.ts'
import { ToolError } from './tool-error.ts'
import type { ToolField } from './tool-fields.ts'

/** Pages of the provider that one call reads until it finds a record that fits the filters. */
const pagesMax = 5
/** What a result has besides its records. */
const frameBytes = 1_000

interface PageArguments {
  limit?: number
  cursor?: string
}

export async function searchRecords(context: ToolContext, call: PreparedCall): Promise<ToolOutcome> {
  const { where = {}, ...paging } = call.request.arguments as PageArguments & { where?: Record<string, unknown> }
  const asked = conditionsOf(call.fields, where)
  if (contradicts(asked, call.filters)) return recordsOutcome(call, [], undefined)
  const ruled = toProviderFilters(call.filters.filter(({ field }) => !asked.some((one) => isSameField(one, field))))
  const search = async (page: string | undefined): Promise<ReadPage> => {
    const found = await ask([...asked, ...ruled], page)
    if (!(found instanceof FieldsNotSearchable)) return found
    const refused = found.at.filter((index) => index < asked.length)
    if (refused.length > 0) throw notSearchable(found, asked, refused, call.fields)
    // The provider cannot search by a field of a rule. Each record is compared with the rules in any case.
    const rest = ruled.filter((_, index) => !found.at.includes(asked.length + index))
    const again = await ask([...asked, ...rest], page)
    if (again instanceof FieldsNotSearchable) throw notSearchable(again, asked, [0], call.fields)
    return again
  }
  const ask = async (filters: FieldFilter[], page: string | undefined) => {
    const question = {
      objectName: call.tool.objectName,
      fields: fieldsToRead(call),
      filters,
      pageSize: call.limits.recordsPerCall,
      ...(page !== undefined && { page }),
    }
    const { installation } = call.target
    const { calls } = call
    const found = await searchLive(context.db, context.services, installation, question, context.signal, { calls })
    if (found === 'cannot search') throw impossible(call, 'searched')
    return found
  }
  return readPages(context, call, { ...paging, question: where }, search)
}

export async function listRecords(context: ToolContext, call: PreparedCall): Promise<ToolOutcome> {
  const paging = call.request.arguments as PageArguments
  const { connectionId, module } = call.target.installation
  const read = (page: string | undefined) =>
    askProvider(
      context.db,
      context.services,
      { connectionId, module },
      context.signal,
      (connector, signal) => {
        const { objectName } = call.tool
        if (!connector.canRead(objectName)) throw impossible(call, 'listed')
        const filters = connector.canFilter(objectName) ? toProviderFilters(call.filters) : []
        return connector.readPage({
          object: objectName,
          fields: fieldsToRead(call),
          pageSize: call.limits.recordsPerCall,
          signal,
          ...(filters.length > 0 && { filters }),
          ...(page !== undefined && { page }),
        })
      },
      { calls: call.calls },
    )
  return readPages(context, call, { ...paging, question: 'list' }, read)
}

export async function getRecord(context: ToolContext, call: PreparedCall): Promise<ToolOutcome> {
  const { id } = call.request.arguments as { id: string }
  const record = await fetchFitting(context, call, id)
  const shown = call.show(record)
  const bytesMax = call.limits.resultBytes - frameBytes
  const fitting = sizeOf(shown) > bytesMax ? shortened(shown, bytesMax) : shown
  const { provider } = call.target.installation
  return { content: { providerData: { provider, record: fitting }, note: dataNote }, summary: '1 record' }
}

/** Reads a record that the filters let the agent reach. @throws ToolError */
export async function fetchFitting(context: ToolContext, call: PreparedCall, id: string): Promise<ProviderRecord> {
  const { connectionId, module } = call.target.installation
  const { objectName } = call.tool
  const record = await askProvider(
    context.db,
    context.services,
    { connectionId, module },
    context.signal,
    async (connector, signal) => {
      if (!connector.canFetch(objectName)) throw impossible(call, 'read one by one')
      return connector.fetchRecord(objectName, id, fieldsToRead(call), { signal })
    },
    { calls: call.calls },
  )
  if (!record || !fits(record, call.filters))
    throw new ToolError({ code: 'not_found', message: 'There is no record of this id that you may use.' })
  return record
}

/** The fields that agents see, and those that decide whether they see a record. */
function fieldsToRead({ target: { read }, filters }: PreparedCall): 'all' | string[] {
  const wanted = read ? wantedFields(read) : []
  return wanted === 'all' ? 'all' : [...new Set([...wanted, ...filters.map(({ field }) => field)])]
}

async function readPages(
  { db, services }: ToolContext,
  call: PreparedCall,
  { limit = call.limits.recordsPerCall, cursor, question }: PageArguments & { question: unknown },
  read: (page: string | undefined) => Promise<ReadPage>,
): Promise<ToolOutcome> {
  const filterValues = call.filters.map(({ field, value }) => [field, value])
  const owner = {
    installationId: call.target.installation.id,
    toolName: call.tool.name,
    question: [question, filterValues, call.limits.recordsPerCall],
  }
  let position: Position | undefined =
    cursor === undefined ? { skip: 0 } : readCursor(db, services.keyring, owner, cursor)
  const { show } = call
  const bytesMax = call.limits.resultBytes - frameBytes
  const shown: ShownRecord[] = []
  for (let pages = 0; position && pages < pagesMax && shown.length === 0; pages++) {
    const page = await read(position.page)
    position = takeRecords(page, position, { limit, bytesMax, filters: call.filters, show, shown })
  }
  return recordsOutcome(call, shown, position && writeCursor(db, services.keyring, owner, position))
}

interface Taking {
  limit: number
  bytesMax: number
  filters: readonly RecordFilter[]
  show: (record: ProviderRecord) => ShownRecord
  /** Gets the records. */
  shown: ShownRecord[]
}

/** Takes records of a page, as many as fit. Returns where the next result continues. */
function takeRecords(
  { records, nextPage }: ReadPage,
  { page, skip }: Position,
  { limit, bytesMax, filters, show, shown }: Taking,
): Position | undefined {
  let bytes = 0
  for (let index = skip; index < records.length; index++) {
    const record = records[index]
    if (!record || !fits(record, filters)) continue
    const visible = show(record)
    const size = sizeOf(visible)
    const isFirst = shown.length === 0
    if (shown.length >= limit || (!isFirst && bytes + size > bytesMax))
      return { ...(page !== undefined && { page }), skip: index }
    shown.push(isFirst && size > bytesMax ? shortened(visible, bytesMax) : visible)
    bytes += size
  }
  return nextPage === undefined ? undefined : { page: nextPage, skip: 0 }
}

function recordsOutcome(call: PreparedCall, records: ShownRecord[], nextCursor: string | undefined): ToolOutcome {
  const { provider } = call.target.installation
  return {
    content: {
      providerData: { provider, records },
      ...(nextCursor !== undefined && { nextCursor }),
      note: dataNote,
    },
    summary: records.length === 1 ? '1 record' : `${records.length} records`,
    details: { records: `${records.length}` },
  }
}

function conditionsOf(fields: readonly ToolField[], where: Record<string, unknown>): FieldFilter[] {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return Object.entries(where).map(([name, value]) => {
    const field = byName.get(name)
    if (!field?.isCondition || (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean'))
      throw new ToolError({ code: 'arguments_refused', message: `${name} must be text, a number, true or false.` })
    const provided =
      field.values && Object.hasOwn(field.values, String(value)) ? field.values[String(value)] : undefined
    return { field: field.source, operator: 'eq', value: (provided ?? value) as FieldFilter['value'] }
  })
}

function isSameField({ field }: { field: string }, other: string): boolean {
  return field.toLowerCase() === other.toLowerCase()
}

/** Whether no record can fit both the question and the filters. */
function contradicts(asked: readonly FieldFilter[], filters: readonly RecordFilter[]): boolean {
  return asked.some((one) =>
    filters.some(({ field, value }) => isSameField(one, field) && String(value) !== String(one.value)),
  )
}

/** Names only fields that the agent may use: the provider's list has hidden ones, too. */
function notSearchable(
  { searchable }: FieldsNotSearchable,
  asked: readonly FieldFilter[],
  refused: readonly number[],
  fields: readonly ToolField[],
): ToolError {
  const nameOf = (source: string) => fields.find((field) => isSameField({ field: field.source }, source))
  const usable = searchable.flatMap((source) => {
    const field = nameOf(source)
    return field?.isCondition ? [field.name] : []
  })
  const wrong = refused.flatMap((index) => nameOf(asked[index]?.field ?? '')?.name ?? [])
  return new ToolError({
    code: 'arguments_refused',
    message: `Records cannot be searched by ${wrong.join(', ')}. Search by: ${usable.slice(0, 50).join(', ') || 'no field; list them'}.`,
  })
}

function impossible({ tool, target }: PreparedCall, how: string): ToolError {
  const { provider } = target.installation
  return new ToolError({ code: 'not_possible', message: `${tool.label} of ${provider} cannot be ${how}.` })
}
