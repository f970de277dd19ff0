import type { Static } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type PageInput, pageOf } from '../../../kernel/http/index.ts'
import { type AuditEntry, type AuditQuery, entryResource } from './model.ts'
import { listEntries } from './store.ts'

export const entriesOfPage = 100

/** Returns the requested page of a log, with the headers of the response. */
export async function entryPage(
  db: ProjectDb,
  input: PageInput & { query: Static<typeof AuditQuery> },
): Promise<{ entries: AuditEntry[]; headers: Record<string, string> }> {
  const { startTime, endTime, actorId, action, resourceKind, resourceId } = input.query
  const filter = {
    ...(startTime !== undefined && { from: new Date(startTime) }),
    ...(endTime !== undefined && { to: new Date(endTime) }),
    actorId,
    action,
    resourceKind,
    resourceId,
  }
  const { items, headers } = await pageOf(input, {
    list: (page) => listEntries(db, filter, page),
    keyOf: ({ id }) => id,
    pageSizeDefault: entriesOfPage,
  })
  return { entries: items.map(entryResource), headers }
}
