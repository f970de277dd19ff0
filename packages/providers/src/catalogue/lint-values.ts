import type { Flaw } from './flaw.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'
import { type ValueForm, valueFault } from './value-fault.ts'

interface Input extends ValueForm {
  default?: string
  kind?: string
  fieldType?: string
}

/** What the schema cannot say of examples and patterns: that they fit each other, and the kind of the value. */
export function lintValues({ inputs = [], authentication = [] }: ProviderFileOutline): Flaw[] {
  return [
    ...inputs.flatMap((input, at) => lintValue(['inputs', at], input)),
    ...authentication.flatMap((scheme, at) => {
      const path = ['authentication', at]
      if (scheme.scheme === 'apiKey') return lintValue(path, scheme)
      if (scheme.scheme !== 'custom') return []
      return (['inputs', 'appInputs'] as const).flatMap((key) =>
        (scheme[key] ?? []).flatMap((input, index) => lintValue([...path, key, index], input)),
      )
    }),
  ]
}

function lintValue(path: Flaw['path'], { pattern, example, default: preset, kind, fieldType }: Input): Flaw[] {
  if (pattern === undefined) return []
  const flaws: Flaw[] = []
  if (kind === 'json' || kind === 'list' || fieldType === 'select')
    flaws.push({ path: [...path, 'pattern'], message: 'has no effect: only texts have a pattern' })
  for (const [key, value] of Object.entries({ example, default: preset }))
    if (value !== undefined && valueFault({ pattern }, value) !== undefined)
      flaws.push({ path: [...path, key], message: 'does not match the pattern' })
  return flaws
}
