import { client } from '../session/session.ts'
import { type Found, found } from './found.ts'

/** Asks the service for anything with this name or id. */
export async function find(project: string, query: string): Promise<Found[]> {
  const { results } = await client.searchProject({ projectIdOrName: project, query: { query: query.slice(0, 200) } })
  return results.map((result) => found(project, result))
}
