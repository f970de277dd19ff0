import { UsageError } from '../usage-error.ts'
import { variableName } from './base-url.ts'
import { keyOf, parametersOf } from './collections.ts'
import { type Json, plainText, shorten } from './json-values.ts'
import type { Operation } from './operations.ts'
import { recordListOf } from './record-lists.ts'
import type { References } from './schemas.ts'

/** Requests whose paths have values that customers enter. */
export interface WithInputs {
  operations: Operation[]
  inputs: Json[]
  unknown: string[]
}

/**
 * Makes parameters of paths inputs, which each customer enters.
 *
 * @param names parameters, without braces
 * @throws UsageError for names that no path has
 */
export function withInputs(operations: readonly Operation[], names: readonly string[]): WithInputs {
  const known = new Set(operations.flatMap(({ path }) => parametersOf(path)))
  const wrong = names.filter((name) => !known.has(name))
  if (wrong.length > 0) {
    const list = [...known].toSorted().map((name) => plainText(name, 60))
    throw new UsageError(
      `No path has the parameter ${shorten(wrong.map((name) => plainText(name, 60)))}. ${
        list.length === 0 ? 'The paths have none.' : `Choose from: ${shorten(list, 60)}.`
      }`,
    )
  }
  const unique = [...new Set(names)]
  return {
    operations: operations.map((operation) => ({
      ...operation,
      path: unique.reduce((path, name) => path.replaceAll(`{${name}}`, `{{${variableName(name)}}}`), operation.path),
    })),
    inputs: unique.map(inputOf),
    unknown: [],
  }
}

/**
 * Makes the first parameter of the paths an input, where most paths begin with it and no list has its values:
 * `/accounts/{account}/calls` in an API that cannot list accounts.
 */
export function withSharedParameter(operations: readonly Operation[], references: References): WithInputs {
  const none = { operations: [...operations], inputs: [], unknown: [] }
  const counts = new Map<string, number>()
  for (const { path } of operations) {
    const start = /^.*?(?<!\{)\{[^{}]+\}(?=\/)/.exec(path)?.[0]
    if (start !== undefined) counts.set(start, (counts.get(start) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a)
  const start = most?.[0]
  const [parameter] = start === undefined ? [] : parametersOf(start)
  if (start === undefined || parameter === undefined) return none
  if (most === undefined || most[1] < 3 || most[1] < operations.length * 0.6) return none
  const parentKey = keyOf(start).replace(/\/?\{\}$/, '')
  const parent = operations.find(({ method, path }) => method === 'GET' && keyOf(path) === parentKey)
  if (parent !== undefined && typeof recordListOf(parent.answer, '', references) === 'object') return none
  const filled = start.replace(/(?<!\{)\{[^{}]+\}$/, `{{${variableName(parameter)}}}`)
  return {
    operations: operations.map((operation) =>
      operation.path.startsWith(`${start}/`)
        ? { ...operation, path: `${filled}${operation.path.slice(start.length)}` }
        : operation,
    ),
    inputs: [inputOf(parameter)],
    unknown: [`{${plainText(parameter, 60)}} of the paths is an input: customers enter it`],
  }
}

function inputOf(parameter: string): Json {
  return { name: variableName(parameter), displayName: plainText(parameter, 60) }
}
