import type { QueryValue, Request } from '../catalogue/format/request.ts'
import { compileCondition } from './condition.ts'
import { itemScopes, outerVariables, type Scope, textOf } from './scope.ts'
import { parseTemplate, render } from './template.ts'

export interface CompiledQuery {
  variables: string[]
  fill(scope: Scope): [string, string][]
}

/** A value of a parameter, and when it is sent. */
function compileValue(declared: QueryValue) {
  if (typeof declared !== 'object') return { template: parseTemplate(String(declared)), condition: undefined }
  return { template: parseTemplate(String(declared.is)), condition: compileCondition(declared.$when) }
}

/** Parameters in their order: one for each value of a list, and one for each item of `queryEach`. */
export function compileQuery({ query = {}, queryEach = [] }: Pick<Request, 'query' | 'queryEach'>): CompiledQuery {
  const pairs = Object.entries(query).flatMap(([name, declared]) =>
    (Array.isArray(declared) ? declared : [declared]).map((value) => ({ name, ...compileValue(value) })),
  )
  const repeated = queryEach.map(({ each, name, value }) => ({
    each,
    name: parseTemplate(name),
    value: parseTemplate(value),
  }))
  return {
    variables: [
      ...pairs.flatMap(({ template, condition }) => [...template.variables, ...(condition?.variables ?? [])]),
      ...repeated.flatMap(({ each, name, value }) => [
        each,
        ...outerVariables([...name.variables, ...value.variables]),
      ]),
    ],
    fill(scope) {
      const text = textOf(scope)
      const filled: [string, string | undefined][] = pairs.map(({ name, template, condition }) => [
        name,
        condition?.holds(scope) === false ? undefined : render(template, text),
      ])
      for (const { each, name, value } of repeated) {
        for (const itemScope of itemScopes(scope, each)) {
          const itemText = textOf(itemScope)
          const key = render(name, itemText)
          if (key !== undefined) filled.push([key, render(value, itemText)])
        }
      }
      return filled.filter((pair): pair is [string, string] => pair[1] !== undefined)
    },
  }
}
