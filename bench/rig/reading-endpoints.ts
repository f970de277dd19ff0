import { apiEndpoints } from '../../packages/server/src/features/index.ts'
import { pathParameters, publicPath } from '../../packages/server/src/kernel/http/routes.ts'
import type { AppBeside, Recorded } from './app-beside.ts'
import type { FullProject } from './full-project.ts'

/** One way to ask an endpoint, and what it does then. */
export interface ReadingEndpoint extends Recorded {
  id: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
}

export interface ReadingEndpoints {
  asked: ReadingEndpoint[]
  /** Why the others are not: by endpoint. */
  left: Record<string, string>
}

/**
 * Every `list…` and `get…` endpoint that answers JSON from the database, each asked once as the caller whom it is for:
 * an API key, or an owner where no key may.
 */
export async function readingEndpoints(
  app: AppBeside,
  { ids, query, ownerToken }: FullProject,
  apiKey: string,
): Promise<ReadingEndpoints> {
  const asked: ReadingEndpoint[] = []
  const left: Record<string, string> = {}
  for (const { declaration } of apiEndpoints) {
    const { id, method, access, produces, path: declared } = declaration
    if (method !== 'GET' || !/^(list|get)[A-Z]/.test(id)) continue
    if (produces !== undefined && produces !== 'application/json') {
      left[id] = `answers ${produces}`
      continue
    }
    // What has a default is required too, but not known here.
    const required = (declaration.query as { required?: string[] } | undefined)?.required ?? []
    const known = required.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]]))
    const search = new URLSearchParams(Object.fromEntries(known)).toString()
    const path = pathParameters(declared).reduce(
      (text, name) => text.replace(`{${name}}`, encodeURIComponent(ids[name] ?? 'missing')),
      publicPath(declared) + (search === '' ? '' : `?${search}`),
    )
    const isForPeople = access === 'member' || access === 'owner' || access === 'builder'
    const headers: Record<string, string> = isForPeople
      ? { authorization: `Bearer ${ownerToken}` }
      : { 'x-api-key': apiKey }
    const recorded = await app.record(path, headers)
    if (recorded.status !== 200 && access !== 'public')
      throw new Error(`${id}: ${path} answered ${recorded.status} ${JSON.stringify(recorded.body)}`)
    if (recorded.statements.length === 0) left[id] = 'asks the database nothing'
    else asked.push({ id, path, headers, ...recorded })
  }
  return { asked, left }
}
