import type { Expressions } from '../catalogue/format/request.ts'
import { itemScopes, outerVariables, type Scope, textOf } from './scope.ts'
import { parseTemplate, render } from './template.ts'

/** The variables that a request composes of others, such as the condition of a query language. */
export interface CompiledExpressions {
  readonly names: readonly string[]
  /** What they need from outside. */
  readonly variables: readonly string[]
  over(scope: Scope): Scope
}

type Fill = (scope: Scope) => string[]

export function compileExpressions(declared: Expressions | undefined): CompiledExpressions {
  const entries = Object.entries(declared ?? {})
  const names = entries.map(([name]) => name)
  if (declared === undefined || names.length === 0) return { names, variables: [], over: (scope) => scope }
  const variables = new Set<string>()
  const compiled = new Map<string, (scope: Scope) => string | undefined>()
  for (const [name, { parts, join = '', before = '', after = '', otherwise }] of entries) {
    const fills = parts.map((part): Fill => {
      if (typeof part === 'string') {
        const template = parseTemplate(part)
        for (const variable of template.variables) if (!compiled.has(variable)) variables.add(variable)
        return (scope) => orNothing(render(template, textOf(scope)))
      }
      const template = parseTemplate(part.text)
      for (const variable of [part.each, ...outerVariables(template.variables)]) variables.add(variable)
      return (scope) => itemScopes(scope, part.each).flatMap((item) => orNothing(render(template, textOf(item))))
    })
    compiled.set(name, (scope) => {
      const texts = fills.flatMap((fill) => fill(scope))
      return texts.length === 0 ? otherwise : `${before}${texts.join(join)}${after}`
    })
  }
  return {
    names,
    variables: [...variables],
    over(scope) {
      // Each sees the ones before it only: `compiled` is in order, and a name that an expression uses within itself is
      // not yet present.
      let at = scope
      for (const [name, fill] of compiled) {
        const outer = at
        at = (asked) => (asked === name ? fill(outer) : outer(asked))
      }
      return at
    },
  }
}

function orNothing(text: string | undefined): string[] {
  return text === undefined ? [] : [text]
}
