import type { Flaw } from './file-checks.ts'
import type { ProviderObject } from './format/provider-file.ts'
import { lintRequest } from './lint-request.ts'

/** What the schema cannot say of how fields are made: which variables there are. */
export function lintMakeFields({ makeFields }: ProviderObject, shared: readonly string[]): Flaw[] {
  if (makeFields === undefined) return []
  const known = [...shared, 'field', 'type', 'item']
  const steps = (['before', 'after'] as const).flatMap((part) =>
    (makeFields[part] ?? []).map((request, at) => ({
      at: ['makeFields', part, at],
      request,
      known: part === 'before' ? shared : known,
    })),
  )
  const { create, find, update } = makeFields
  const requests = [
    ...steps,
    { at: ['makeFields', 'create'], request: create, known },
    ...(find ? [{ at: ['makeFields', 'find'], request: find, known }] : []),
    ...(update ? [{ at: ['makeFields', 'update'], request: update, known: find ? [...known, 'id'] : known }] : []),
  ]
  return requests.flatMap(({ at, request: { method: _, ...request }, known: allowed }) =>
    lintRequest(at, request, allowed),
  )
}
