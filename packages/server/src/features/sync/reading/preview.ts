import type { Connector } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { PlannedRead } from '../../integrations/installations/index.ts'
import { askProvider, type DescribeServices } from '../../provider-calls/object-metadata/index.ts'
import { readFilters } from './read-filters.ts'
import { recordEntry, wantedFields } from './record-entry.ts'

const recordsMax = 5
/** Some providers return empty pages before one with records. */
const pagesMax = 5
const mostMs = 20_000

/** Records of an account as messages would deliver them. */
export interface Preview {
  /** Each a ResultEntry as JSON text. */
  entries: string[]
  /** Whether the account has no other records of the object. */
  isComplete: boolean
}

/**
 * Reads the first records of an object while a caller waits, and stores nothing. The status of the connection follows
 * what the provider says of its credential.
 *
 * @throws the problem of the provider's failure
 */
export async function previewRead(
  db: ProjectDb,
  services: DescribeServices,
  { object, connectionId, module }: PlannedRead,
  signal: AbortSignal,
): Promise<Preview> {
  const ask = (connector: Connector, deadline: AbortSignal) => firstRecords(connector, object, deadline)
  return await askProvider(db, services, { connectionId, module }, signal, ask, { mostMs })
}

/** Requests one record more than it returns: so the first page says whether there are more. */
async function firstRecords(
  connector: Pick<Connector, 'readPage'>,
  object: PlannedRead['object'],
  signal: AbortSignal,
): Promise<Preview> {
  const filters = readFilters(object, 'scheduled')
  const request = {
    object: object.objectName,
    fields: wantedFields(object),
    pageSize: recordsMax + 1,
    signal,
    ...(filters.length > 0 && { filters }),
  }
  const entry = recordEntry(object, { withIds: true })
  const entries: string[] = []
  let page: string | undefined
  for (let pages = 0; pages < pagesMax && entries.length <= recordsMax; pages++) {
    const read = await connector.readPage({ ...request, ...(page !== undefined && { page }) })
    entries.push(...read.records.slice(0, recordsMax + 1 - entries.length).map(entry))
    page = read.nextPage
    if (page === undefined) break
  }
  return { entries: entries.slice(0, recordsMax), isComplete: page === undefined && entries.length <= recordsMax }
}
