import type { ReadObject } from '../catalogue/format/provider-file.ts'
import type { Connector, ProviderRecord, ReadPage, ReadPageRequest } from '../connector.ts'
import type { ReadListing } from '../interpreter/object-plan.ts'
import type { TriedFinding } from './finding.ts'

/** Pages without records are passed over, but not for ever. */
const pagesMax = 6

export interface Following {
  object: ReadObject
  /** What sends the request. */
  listing: ReadListing
  /** Names the pages in findings. */
  what: string
  findings: TriedFinding[]
}

/**
 * Reads until two pages have brought records, and finds what would lose or repeat records: a page that comes again, a
 * full page that leads to no other, records without an id, and ids that come twice.
 *
 * @throws ProviderError
 */
export async function followPages(
  connector: Connector,
  request: ReadPageRequest,
  following: Following,
): Promise<ReadPage[]> {
  const { findings, what, listing } = following
  const pages: ReadPage[] = []
  let page: string | undefined
  do {
    const read = await connector.readPage({ ...request, ...(page !== undefined && { page }) })
    pages.push(read)
    page = read.nextPage
  } while (page !== undefined && pages.length < pagesMax && withRecords(pages).length < 2)
  const overlaps = listing.periods?.overlapDays !== undefined
  const [first, second] = overlaps ? [] : withRecords(pages)
  if (first?.records[0] && second?.records[0] && isSame(first.records[0], second.records[0])) {
    findings.push({
      level: 'error',
      message: `${what}: it starts with the record of the first page. The provider ignores the parameter that \`paging\` changes.`,
    })
  } else if (!overlaps) findings.push(...repeatedIds(pages, what))
  if (pages.length === 1 && page === undefined) await checkOnlyPage(connector, request, pages[0] as ReadPage, following)
  return pages
}

/** A page that leads to no other has to be the whole list. */
async function checkOnlyPage(
  connector: Connector,
  request: ReadPageRequest,
  { total, records }: ReadPage,
  { object, listing, what, findings }: Following,
): Promise<void> {
  if (total !== undefined && total > records.length) {
    findings.push({
      level: 'error',
      message: `${what}: there are ${total} records, but no page follows the first page of ${records.length}. Check \`paging\`.`,
    })
    return
  }
  // Without a size in the request, nobody knows when a page is full; lists of other records have separate pages.
  const isWhole = object.incremental?.filter !== undefined && request.since !== undefined
  if (!listing.request.variables.has('pageSize') || object.read.each !== undefined || isWhole) return
  const asked = Math.max(request.pageSize ?? 1, listing.pager.pageSizeMin ?? 1)
  if (records.length < asked) return
  const larger = records.length + 1
  const isLimit = larger > listing.pageSizeMax
  const more = isLimit ? records : (await connector.readPage({ ...request, pageSize: larger })).records
  if (more.length > records.length)
    findings.push({
      level: 'error',
      message: `${what}: no page follows a page of ${countText(records.length)}, but there are at least ${more.length}. Check \`paging\`.`,
    })
  else if (isLimit || records.length > asked)
    findings.push({
      level: 'warning',
      message: `${what}: the page is full (${countText(records.length)}, ${asked} requested), and no page follows. If the account has more, \`paging\` does not find them.`,
    })
}

/** A finding where records have no id. */
export function missingIds(pages: readonly ReadPage[]): TriedFinding[] {
  const has = pages.every(({ records }) => records.every(({ id }) => id !== undefined && id !== ''))
  return has ? [] : [{ level: 'error', message: 'read: the record has no id; set `id` to its path.' }]
}

function repeatedIds(pages: readonly ReadPage[], what: string): TriedFinding[] {
  const seen = new Set<string>()
  for (const { records } of pages)
    for (const { id } of records) {
      if (id !== undefined && seen.has(id)) {
        return [
          {
            level: 'warning',
            message: `${what}: the id ${JSON.stringify(id.slice(0, 100))} appears more than once. Pages overlap, or several records share the value of \`id\`.`,
          },
        ]
      }
      if (id !== undefined) seen.add(id)
    }
  return []
}

function withRecords(pages: readonly ReadPage[]): ReadPage[] {
  return pages.filter(({ records }) => records.length > 0)
}

function isSame(one: ProviderRecord, other: ProviderRecord): boolean {
  return JSON.stringify(one.raw) === JSON.stringify(other.raw)
}

function countText(records: number): string {
  return records === 1 ? '1 record' : `${records} records`
}
