import { isReadObject, type ProviderObject } from '../catalogue/format/provider-file.ts'
import type { Connector, ObjectMetadata } from '../connector.ts'
import { pathNames } from '../interpreter/path.ts'
import { reasonOf, type TriedFinding } from './finding.ts'
import type { Recording, TriedRequest } from './recording-http.ts'
import { type TriedRead, tryReads } from './try-reads.ts'
import { type TriedWrite, tryWrites } from './try-writes.ts'

/** What came of one object. */
export interface TriedObject {
  objectName: string
  /** What each kind of read sends. */
  reads: TriedRead[]
  /** Every request that was made for it, in order. */
  requests: TriedRequest[]
  /** Records of the first page. */
  records: number
  /** Names of the first record's fields, as a read delivers them. */
  recordFields: string[]
  /** Fields that the object is described with. */
  describedFields: number
  /** What came of writes that the provider must refuse. */
  writes: TriedWrite[]
  findings: TriedFinding[]
}

const namesMax = 10

/**
 * Describes an object and, unless it can only be written, reads it as Mortise does, two pages of one record each way.
 * What a step fails with is a finding, and the next step is made all the same.
 *
 * @param writes whether writes are sent that the application has to refuse; nothing is written otherwise
 * @throws what is neither the provider's nor the file's doing
 */
export async function tryObject(
  connector: Connector,
  objectName: string,
  object: ProviderObject | undefined,
  {
    recording,
    now,
    signal,
    writes = false,
  }: { recording: Recording; now: Date; signal: AbortSignal; writes?: boolean },
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
  recording.begin('describe')
  const metadata = await step('describe', () => connector.describeObject(objectName, { signal }))
  const tried = { ...untried(objectName), describedFields: countOf(metadata) }
  let recordId: string | undefined
  if (object === undefined || isReadObject(object)) {
    // Only a name that the file declares is tried, so what is missing here is missing in the module.
    const { first: page, reads } =
      object === undefined
        ? { first: undefined, reads: [] }
        : await tryReads({ connector, objectName, object, recording, findings, step, now, signal })
    const [record] = page?.records ?? []
    recordId = record?.id
    const recordFields = Object.keys(record?.fields ?? {})
    if (page && page.records.length === 0)
      findings.push({
        level: 'warning',
        message: 'read: no records. The account may have none, or `records` is not the path of the list.',
      })
    if (metadata && record) findings.push(...fieldFindings(metadata, recordFields))
    Object.assign(tried, { reads, records: page?.records.length ?? 0, recordFields })
  }
  if (writes && object !== undefined) {
    recording.begin('write')
    tried.writes = await tryWrites({ connector, objectName, object, recordId, recording, findings, signal })
  }
  return { ...tried, requests: recording.take(), findings }
}

/** An object that there was no time for. */
export function notReached(objectName: string): TriedObject {
  const findings: TriedFinding[] = [{ level: 'error', message: 'Timed out. Name the object to test it alone.' }]
  return { ...untried(objectName), findings }
}

function untried(objectName: string): Omit<TriedObject, 'findings'> {
  return { objectName, reads: [], requests: [], records: 0, recordFields: [], describedFields: 0, writes: [] }
}

function countOf(metadata: ObjectMetadata | undefined): number {
  return Object.keys(metadata?.fields ?? {}).length
}

function fieldFindings({ fields, incomplete }: ObjectMetadata, recordFields: readonly string[]): TriedFinding[] {
  const described = new Set(
    Object.keys(fields).map((name) =>
      ((name.startsWith('$[') ? pathNames(name)?.[0] : undefined) ?? name).toLowerCase(),
    ),
  )
  const unknown = recordFields.filter((name) => !described.has(name.toLowerCase()))
  const shown = unknown.slice(0, namesMax).join(', ')
  const more = unknown.length > namesMax ? ` and ${unknown.length - namesMax} more` : ''
  return [
    ...(incomplete
      ? [
          {
            level: 'warning' as const,
            message: 'describe: the fields come from a sample record, or a source was refused.',
          },
        ]
      : []),
    ...(unknown.length > 0
      ? [
          {
            level: 'warning' as const,
            message: `describe: the record has fields without a description: ${shown}${more}.`,
          },
        ]
      : []),
  ]
}
