import type { Flaw } from './flaw.ts'
import type { Finding, Preparation } from './format/make-fields.ts'
import type { ProviderObject } from './format/provider-file.ts'
import { lintRequest } from './lint-request.ts'

/** What the schema cannot say of how fields are made: which variables there are. */
export function lintMakeFields({ makeFields }: ProviderObject, shared: readonly string[]): Flaw[] {
  if (makeFields === undefined) return []
  const { before = [], create, find = [], update, after = [] } = makeFields
  const ofField = ['field', 'type', 'item']
  const prepared = [...shared, ...takenBy(before)]
  const found = [...shared, ...ofField, 'added', ...takenBy(find)]
  return [
    ...lintSteps('before', before, shared),
    ...lintSteps('find', find, [...shared, ...ofField]),
    ...lintSteps('after', after, [...prepared, ...ofField]),
    ...lint(['makeFields', 'create'], create, [...prepared, ...ofField]),
    ...(update === undefined ? [] : lint(['makeFields', 'update'], update, found)),
  ]
}

type Step = Preparation | Finding

/** Each step knows what the ones before it took. */
function lintSteps(part: string, steps: readonly Step[], known: readonly string[]): Flaw[] {
  return steps.flatMap((step, at) => lint(['makeFields', part, at], step, [...known, ...takenBy(steps.slice(0, at))]))
}

function takenBy(steps: readonly Step[]): string[] {
  return steps.flatMap(({ take = {} }) => Object.keys(take))
}

function lint(at: Flaw['path'], { method: _, ...request }: Step, known: readonly string[]): Flaw[] {
  return lintRequest(at, request, known)
}
