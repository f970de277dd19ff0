import { isId, type ProjectDb } from '../../../kernel/db/index.ts'
import { resultKinds, resultsMax, type SearchResult } from './model.ts'
import { type FoundRow, findById, findByPart, findByPrefix } from './store.ts'

/** How many groups and consumers are examined for a part of their names. */
const examinedMax = 200_000

/** Finds resources by id or name, the best first. */
export async function search(db: ProjectDb, text: string): Promise<SearchResult[]> {
  const byId = isId(text) ? await findById(db, text) : []
  // An id names one thing; nobody looks for a part of a name with it.
  if (byId.length > 0) return best(byId).map(resultOf)
  const found = best([...byId, ...(await findByPrefix(db, text, resultsMax))])
  // The id of a resource is not a name of something else.
  if (byId.length > 0 || found.length === resultsMax) return found.map(resultOf)
  return best([...found, ...(await findByPart(db, text, { limit: resultsMax, examinedMax }))]).map(resultOf)
}

/** Sorts rows, without those of a resource that matches better in another way. */
function best(rows: readonly FoundRow[]): FoundRow[] {
  const sorted = rows.toSorted(
    (a, b) =>
      a.match - b.match || resultKinds.indexOf(a.kind) - resultKinds.indexOf(b.kind) || a.name.localeCompare(b.name),
  )
  const seen = new Set<string>()
  const unique = sorted.filter(({ kind, id }) => {
    const key = `${kind} ${id}`
    return !seen.has(key) && seen.add(key)
  })
  return unique.slice(0, resultsMax)
}

function resultOf(row: FoundRow): SearchResult {
  return {
    kind: row.kind,
    id: row.id,
    name: row.name,
    ...(row.integration_id !== null && { integrationId: row.integration_id }),
    ...(row.installation_id !== null && { installationId: row.installation_id }),
    ...(row.group_ref !== null && { groupRef: row.group_ref }),
    ...(row.destination_id !== null && { destinationId: row.destination_id }),
    ...(row.provider !== null && { provider: row.provider }),
  }
}
