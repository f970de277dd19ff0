import type { ProjectDb } from '../../../kernel/db/index.ts'
import { auditedRef } from '../../../kernel/http/index.ts'
import { listEntriesOf } from '../audit/index.ts'
import { searchOperationsOf } from '../operations/index.ts'
import {
  entryOfAudit,
  entryOfConfig,
  entryOfConnection,
  entryOfEvent,
  entryOfOperation,
  entryOfSchema,
} from './entries.ts'
import { type IdRange, listEvents } from './event-store.ts'
import { listConfigEvents, listConnectedEvents, listSchemaEvents } from './history-store.ts'
import { selects, storedKinds, type TimelineEntry, type TimelineKind } from './model.ts'
import type { Target } from './target.ts'

export interface TimelineRequest extends IdRange {
  /** A kind or a family of kinds. */
  kind: string | undefined
  limit: number
}

export interface FoundEntries {
  /** Newest first. */
  entries: TimelineEntry[]
  /** The page is complete down to this id, although it has fewer entries than the limit. */
  examinedTo: string | undefined
}

/**
 * Merges what several tables know of a target, by ids that are ordered by time. Each table returns at most one page, by
 * an index, so the cost of a page does not grow with the history.
 */
export async function listTimeline(db: ProjectDb, target: Target, request: TimelineRequest): Promise<FoundEntries> {
  const { kind, limit, from, below } = request
  const page = { from, below, limit }
  const wants = (...kinds: TimelineKind[]) => kinds.some((one) => selects(kind, one))
  const { installationIds, connectionIds } = target
  const entries: TimelineEntry[] = []

  const kinds = storedKinds.filter((one) => selects(kind, one))
  if (kinds.length > 0) entries.push(...(await listEvents(db, target, { ...page, kinds })).map(entryOfEvent))
  if (wants('installation.created', 'installation.config')) {
    const found = await listConfigEvents(db, installationIds, page)
    entries.push(...found.map((event) => entryOfConfig(event, target)).filter((entry) => selects(kind, entry.kind)))
  }
  if (wants('connection.created'))
    entries.push(...(await listConnectedEvents(db, connectionIds, page)).map(entryOfConnection))
  if (wants('schema.changed'))
    entries.push(...(await listSchemaEvents(db, installationIds, page)).map((event) => entryOfSchema(event, target)))
  if (wants('audit'))
    entries.push(
      ...(await listEntriesOf(db, auditedResources(target), page)).map((entry) => entryOfAudit(entry, target)),
    )
  let examinedTo: string | undefined
  if (wants('operation.read', 'operation.write', 'operation.subscribe', 'operation.proxy')) {
    const actionType = kind?.startsWith('operation.') ? kind.slice('operation.'.length) : undefined
    const found = await searchOperationsOf(db, installationIds, { actionType, isShown: true, from, below }, limit)
    entries.push(...found.operations.map((operation) => entryOfOperation(operation, target)))
    examinedTo = found.operations.length < limit ? found.examinedTo : undefined
  }
  return firstOf(entries, limit, examinedTo)
}

/** Entries below `examinedTo` are left out: operations between them were not examined. */
function firstOf(entries: TimelineEntry[], limit: number, examinedTo: string | undefined): FoundEntries {
  const known = entries.filter(({ id }) => examinedTo === undefined || id >= examinedTo)
  const sorted = known.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
  return { entries: sorted, examinedTo: sorted.length < limit ? examinedTo : undefined }
}

function auditedResources({ groupRef, installationIds, connectionIds }: Target): { kind: string; id: string }[] {
  return [
    ...(groupRef === undefined ? [] : [{ kind: 'group', id: auditedRef(groupRef) }]),
    ...installationIds.map((id) => ({ kind: 'installation', id })),
    ...connectionIds.map((id) => ({ kind: 'connection', id })),
  ]
}
