import { pagingPaths } from '../interpreter/paging/create-pager.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { Child } from './format/read.ts'

/** Paths into a response are compiled once for an object, before any request: they can use only values known then. */
export function lintPaths(path: Flaw['path'], { records, unwrap, paging }: Child, allowed: readonly string[]): Flaw[] {
  const declared: Record<string, unknown> = paging ?? {}
  const texts: [Flaw['path'], unknown][] = [
    [['records'], records],
    [['unwrap'], unwrap],
    ...pagingPaths.map((key): [Flaw['path'], unknown] => [['paging', key], declared[key]]),
  ]
  return texts.flatMap(([at, text]) => lintPath([...path, ...at], text, allowed))
}

/** The variables that one such path names. */
export function lintPath(path: Flaw['path'], text: unknown, allowed: readonly string[]): Flaw[] {
  return variablesOf(text)
    .filter((name) => !allowed.includes(name))
    .map((name) => ({ path, message: `uses the variable "${name}"; a path can only use the object and its "set"` }))
}

function variablesOf(text: unknown): readonly string[] {
  return typeof text === 'string' && text.includes('{{') ? parseTemplate(text).variables : []
}
