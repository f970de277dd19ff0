import { own, pathNames } from './path.ts'
import { type Scope, textOf } from './scope.ts'
import { parseTemplate, render } from './template.ts'

/** A path whose names may contain variables of the object: `{{one}}.id`. */
export function scopedPath(path: string): (value: unknown, scope: Scope) => unknown {
  const names = (pathNames(path) ?? []).map(parseTemplate)
  return (value, scope) => {
    const text = textOf(scope)
    let at = value
    for (const name of names) at = own(at, render(name, text) ?? '')
    return at
  }
}
