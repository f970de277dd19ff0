import type { Match } from '../catalogue/format/vocabulary.ts'
import { compileMatch } from './match.ts'
import type { Scope } from './scope.ts'

export interface Condition {
  variables: string[]
  holds(scope: Scope): boolean
}

/** Compiles `$when`: a variable that must have a value, or variables with the values that each must have. */
export function compileCondition(when: unknown): Condition {
  if (typeof when === 'string') return { variables: [when], holds: (scope) => scope(when) !== undefined }
  const tests = Object.entries((when ?? {}) as Match).map(([name, wanted]) => ({
    name,
    fits: compileMatch({ '': wanted }),
  }))
  return {
    variables: tests.map(({ name }) => name),
    holds: (scope) => tests.every(({ name, fits }) => fits(scope(name))),
  }
}
