/** Something that the search found, and the page that shows it. */
export interface Found {
  kind: string
  label: string
  to: string
  search?: Record<string, string>
}

/** Asks the service for anything with this name or id. */
export async function find(_project: string, _query: string): Promise<Found[]> {
  return []
}
