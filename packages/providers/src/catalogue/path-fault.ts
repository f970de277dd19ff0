import { pathNames } from '../interpreter/path.ts'
import { templateFault } from '../interpreter/template.ts'

const variable = /\{\{[^{}]*\}\}/g

/** Says what is wrong with a text as a path, and what to write instead; `undefined` for a good path. */
export function pathFault(text: string): string | undefined {
  if (text.includes('{{')) return 'cannot contain {{ }}: write a path with fixed names'
  if (isPath(text)) return undefined
  const meant = plainPath(text)
  const form = "is not a path; join names with dots, or $['a']['b']"
  if (meant === undefined) return form
  return meant === '' ? `${form}; '' is the whole value` : `${form}: ${meant}`
}

/** The same for a path whose names may contain variables of the object. */
export function namedPathFault(text: string): string | undefined {
  return templateFault(text) ?? pathFault(text.replace(variable, 'x'))
}

/** JSONPath and JSON Pointer parse as names that no answer has, so they would silently lead to nothing. */
function isPath(text: string): boolean {
  const names = pathNames(text)
  if (names === undefined) return false
  if (text.startsWith('$[')) return true
  return names[0] !== '$' && !text.startsWith('/') && !names.some((name) => name === '*' || /[[\]]/.test(name))
}

/** The path that a JSONPath or JSON Pointer means; `undefined` where our paths have no such thing. */
function plainPath(text: string): string | undefined {
  if (text.startsWith('/')) return text.slice(1).replaceAll('/', '.')
  // A list is taken whole: a wildcard at its end adds nothing, one before that has no equivalent.
  const rest = text.replace(/^\$/, '').replace(/(?<!\[\*?\]|\.\*)(?:\[\*?\]|\.\*)+$/, '')
  const steps = [...rest.matchAll(/(?:^|\.)([^.[\]*]+)|\[(?:'([^']*)'|"([^"]*)"|(\d+))\]/g)]
  if (steps.map(([step]) => step).join('') !== rest) return undefined
  const names = steps.map(([, word, single, double, index]) => word ?? single ?? double ?? index ?? '')
  const path = names.join('.')
  return isPath(path) ? path : `$${names.map((name) => `['${name}']`).join('')}`
}
