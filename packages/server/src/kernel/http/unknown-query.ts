import type { TObject } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import { inputName } from './hostile-input.ts'
import type { Issue } from './problem.ts'

/**
 * Returns a function that finds the query parameters that an endpoint does not have. A misspelled filter would
 * otherwise return everything. Public pages are exempt, because identity providers and mail clients add others. So are
 * MCP endpoints: users type their address.
 */
export function unknownQueryFinder({
  access,
  agentSignIn,
  query,
}: Pick<Endpoint['declaration'], 'access' | 'agentSignIn'> & { query?: TObject | undefined }): (
  given: unknown,
) => Issue[] {
  if (access === 'public' || agentSignIn !== undefined) return () => []
  const names = Object.keys(query?.properties ?? {})
  const known = new Set(names)
  const remedy =
    names.length === 0 ? 'Leave it out: this request has no parameters.' : `Use one of: ${names.join(', ')}.`
  return (given) =>
    Object.keys((given ?? {}) as object).flatMap((key) => {
      if (known.has(key)) return []
      const name = inputName([key])
      // Without the value: it may be a credential.
      return [{ in: 'query', name, detail: `${name} is not a parameter of this request.`, remedy }]
    })
}
