import { isReadObject, type ProviderObject } from '../catalogue/format/provider-file.ts'
import type { Connector, ObjectMetadata, ReadPage, ReadPageRequest } from '../connector.ts'
import { pathNames } from '../interpreter/path.ts'
import { ProviderError } from '../provider-error.ts'
import type { Recording, TriedRequest } from './recording-http.ts'

export interface TriedFinding {
  level: 'error' | 'warning'
  message: string
}

/** What came of one object. */
export interface TriedObject {
  objectName: string
  /** Every request that was made for it, in order. */
  requests: TriedRequest[]
  /** Records of the first page. */
  records: number
  /** Names of the first record's fields, as a read delivers them. */
  recordFields: string[]
  /** Fields that the object is described with. */
  describedFields: number
  findings: TriedFinding[]
}

const dayMs = 86_400_000
const namesMost = 10

/**
 * Describes an object and, unless it can only be written, reads one record of it, the page after that, and what changed in the last day where its file says how. Nothing is
 * written. What a step fails with is a finding, and the next step is made all the same.
 *
 * @throws what is neither the provider's nor the file's doing
 */
export async function tryObject(
  connector: Connector,
  objectName: string,
  object: ProviderObject | undefined,
  { recording, now, signal }: { recording: Recording; now: Date; signal: AbortSignal },
): Promise<TriedObject> {
  const findings: TriedFinding[] = []
  const step = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      findings.push({ level: 'error', message: `${what}: ${reasonOf(error)}` })
      return undefined
    }
  }
  recording.take()
  const metadata = await step('describe', () => connector.describeObject(objectName, { signal }))
  if (object && !isReadObject(object))
    return { ...untried(objectName), requests: recording.take(), describedFields: countOf(metadata), findings }
  const request: ReadPageRequest = { object: objectName, fields: 'all', pageSize: 1, signal }
  const page = await step('read', () => connector.readPage(request))
  if (page) await step('next page', () => checkNextPage(connector, request, page, findings))
  if (object?.incremental) {
    const since = new Date(now.getTime() - dayMs)
    await step('read of the last day', () => connector.readPage({ ...request, since, until: now }))
  }
  const [record] = page?.records ?? []
  const recordFields = Object.keys(record?.fields ?? {})
  if (page && page.records.length === 0)
    findings.push({
      level: 'warning',
      message: 'read: no record came; the account may have none, or `records` names the wrong place.',
    })
  if (record && record.id === undefined)
    findings.push({ level: 'warning', message: 'read: the record has no id; name its place with `id`.' })
  if (metadata && record) findings.push(...fieldFindings(metadata, recordFields))
  return {
    objectName,
    requests: recording.take(),
    records: page?.records.length ?? 0,
    recordFields,
    describedFields: countOf(metadata),
    findings,
  }
}

/** An object that there was no time for. */
export function notReached(objectName: string): TriedObject {
  const findings: TriedFinding[] = [
    { level: 'error', message: 'There was no time left for it; name it to try it alone.' },
  ]
  return { ...untried(objectName), findings }
}

function untried(objectName: string): Omit<TriedObject, 'findings'> {
  return { objectName, requests: [], records: 0, recordFields: [], describedFields: 0 }
}

function countOf(metadata: ObjectMetadata | undefined): number {
  return Object.keys(metadata?.fields ?? {}).length
}

/** The page after the first has to bring something else. */
async function checkNextPage(
  connector: Connector,
  request: ReadPageRequest,
  first: ReadPage,
  findings: TriedFinding[],
): Promise<void> {
  const { nextPage, total, records } = first
  if (nextPage === undefined) {
    if (total !== undefined && total > records.length)
      findings.push({
        level: 'error',
        message: `next page: there are ${total} records, and the first page of ${records.length} leads to no other; look at \`paging\`.`,
      })
    return
  }
  const next = await connector.readPage({ ...request, page: nextPage })
  const [a, b] = [first.records[0], next.records[0]]
  if (a !== undefined && b !== undefined && JSON.stringify(a.raw) === JSON.stringify(b.raw))
    findings.push({
      level: 'error',
      message:
        'next page: it begins with the record of the first page; the provider does not know the parameter that `paging` moves.',
    })
}

function fieldFindings({ fields, incomplete }: ObjectMetadata, recordFields: readonly string[]): TriedFinding[] {
  const described = new Set(
    Object.keys(fields).map((name) =>
      ((name.startsWith('$[') ? pathNames(name)?.[0] : undefined) ?? name).toLowerCase(),
    ),
  )
  const unknown = recordFields.filter((name) => !described.has(name.toLowerCase()))
  const shown = unknown.slice(0, namesMost).join(', ')
  const more = unknown.length > namesMost ? ` and ${unknown.length - namesMost} more` : ''
  return [
    ...(incomplete
      ? [
          {
            level: 'warning' as const,
            message: 'describe: the fields are those of a sample record, or a source was refused.',
          },
        ]
      : []),
    ...(unknown.length > 0
      ? [{ level: 'warning' as const, message: `describe: fields of the record are not described: ${shown}${more}.` }]
      : []),
  ]
}

function reasonOf(error: unknown): string {
  if (error instanceof ProviderError) {
    // The message speaks of the whole, the single things name the parameter.
    const single = (error.errors ?? []).map(({ message }) => message).filter((text) => text !== error.providerMessage)
    return [`${error.message} (${error.class})`, error.providerMessage, single.join(' ')].filter(Boolean).join(' ')
  }
  if (error instanceof Error && error.name === 'OutboundError') return error.message
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return 'there was no time left for it.'
  throw error
}
