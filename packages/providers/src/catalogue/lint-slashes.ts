import { isObject } from '../interpreter/path.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { ProviderObject } from './format/provider-file.ts'

/**
 * Paths with a value of several segments that would be sent as one: `a/b` as `a%2Fb`. The values are the name of the
 * object and those of its `set`.
 */
export function lintSlashes(object: ProviderObject, name: string | undefined): Flaw[] {
  const values = new Map(Object.entries({ ...object.set, ...(name !== undefined && { object: name }) }))
  const flaws: Flaw[] = []
  const walk = (value: unknown, at: Flaw['path']): void => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, [...at, index])
    if (!isObject(value)) return
    for (const [key, item] of Object.entries(value)) {
      if (key === 'body' || key === 'fields') continue
      if (key === 'path' && typeof item === 'string' && item.startsWith('/'))
        flaws.push(...slashesIn(item, values).map((message) => ({ path: [...at, key], message })))
      else walk(item, [...at, key])
    }
  }
  walk(object, [])
  return flaws
}

function slashesIn(path: string, values: ReadonlyMap<string, string>): string[] {
  return parseTemplate(path).parts.flatMap((part) => {
    if (typeof part === 'string' || part.filter === 'path' || values.get(part.name)?.includes('/') !== true) return []
    return [`sends the slash of "${values.get(part.name)}" as %2F; write {{${part.name}|path}}`]
  })
}
