import { isCustomComplete, takenNames } from '../custom/custom-scheme.ts'
import { isObject } from '../interpreter/path.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { CustomAuthentication } from './format/custom-authentication.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'

/** Something that no single line is wrong about: files of this package have none of it, a user's file may. */
export interface CatalogueFlaw extends Flaw {
  provider: string
}

/**
 * What the checks of a file alone leave: variables that nothing names, and providers that people would take for one
 * another.
 *
 * @param sameLabel labels that several providers are known to have
 */
export function lintCatalogue(
  files: readonly ProviderFileOutline[],
  sameLabel: ReadonlySet<string> = new Set(),
): CatalogueFlaw[] {
  return [
    ...twins(files, 'name', ({ name }) => name),
    ...twins(
      files.filter(({ displayName }) => !sameLabel.has(displayName ?? '')),
      'displayName',
      ({ displayName }) => displayName ?? '',
    ),
    ...files.flatMap((file) => [...deadVariables(file), ...keyTwins(file, [])].map((flaw) => at(file, flaw))),
  ]
}

function at({ name }: ProviderFileOutline, flaw: Flaw): CatalogueFlaw {
  return { provider: name, ...flaw }
}

/** Files that say the same in other letters. */
function twins(
  files: readonly ProviderFileOutline[],
  key: string,
  textOf: (file: ProviderFileOutline) => string,
): CatalogueFlaw[] {
  const seen = new Map<string, string>()
  return files.flatMap((file) => {
    const plain = simplify(textOf(file))
    const other = seen.get(plain)
    seen.set(plain, file.name)
    return other === undefined ? [] : [at(file, { path: [key], message: `is also the name of ${other}` })]
  })
}

/** Keys of one map that differ only in case. */
function keyTwins(value: unknown, path: Flaw['path']): Flaw[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => keyTwins(item, [...path, index]))
  if (!isObject(value)) return []
  const seen = new Map<string, string>()
  return Object.entries(value).flatMap(([key, item]) => {
    const other = seen.get(key.toLowerCase())
    seen.set(key.toLowerCase(), key)
    const flaw: Flaw = { path: [...path, key], message: `differs from "${other}" only in case` }
    return [...(other === undefined ? [] : [flaw]), ...keyTwins(item, [...path, key])]
  })
}

function deadVariables(file: ProviderFileOutline): Flaw[] {
  const { inputs = [], variables = [], authentication = [] } = file
  const { inputs: _, variables: __, postAuthentication: ___, appMetadata: ____, ...rest } = file
  const used = namedIn(rest, new Set(sendersOf(file)))
  const usedByAll = namedIn(withoutObjects(rest), new Set(sendersOf(file)))
  const flaws: Flaw[] = []
  inputs.forEach(({ name, use }, index) => {
    const path = ['inputs', index]
    if (use === 'kept' && used.has(name)) flaws.push({ path, message: `is used by a template; remove "use: kept"` })
    if ((use === 'objects' || use === 'optional') && usedByAll.has(name))
      flaws.push({ path, message: `is used outside of objects, so every connection needs it; remove "use: ${use}"` })
    if (use !== 'kept' && !used.has(name)) {
      flaws.push({
        path,
        message: `is not used by any template; set "use: kept" if only your own requests need it`,
      })
    }
  })
  variables.forEach(({ name }, index) => {
    if (!used.has(name)) flaws.push({ path: ['variables', index], message: 'is not used by any template' })
  })
  authentication.forEach((scheme, index) => {
    if (scheme.scheme === 'custom') flaws.push(...deadInputs(scheme, ['authentication', index]))
  })
  return flaws
}

/** What a file says of each connection, whether it reads objects or not. */
function withoutObjects({ templates: _, modules = {}, ...file }: Partial<ProviderFileOutline>): unknown[] {
  return [file, ...Object.values(modules)].map(({ objects: __, otherObjects: ___, ...rest }) => rest)
}

/** Names of the inputs that events must name as their sender. */
function sendersOf({ webhooks, modules = {} }: ProviderFileOutline): string[] {
  const all = [webhooks, ...Object.values(modules).map((module) => module.webhooks)]
  return all.flatMap((one) => (one?.verify.by === 'publicKey' ? (one.verify.sender?.name ?? []) : []))
}

/**
 * Reports inputs and values of custom authentication that nothing uses. Skips files that do not describe how they are
 * used.
 */
function deadInputs(scheme: CustomAuthentication, path: Flaw['path']): Flaw[] {
  if (!isCustomComplete(scheme)) return []
  const { inputs = [], appInputs = [], ...rest } = scheme
  const used = namedIn(rest)
  const names = [...inputs.map(({ name }) => name), ...appInputs.map(({ name }) => name), ...takenNames(scheme)]
  return names.filter((name) => !used.has(name)).map((name) => ({ path, message: `does not use "${name}"` }))
}

/** Names of all variables in all texts of a value. */
function namedIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') for (const name of variablesOf(value)) found.add(name.split('.', 1)[0] ?? name)
  else if (Array.isArray(value)) for (const item of value) namedIn(item, found)
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if ((key === '$value' || key === '$when') && typeof item === 'string') found.add(item)
      else if (key === '$when' && isObject(item)) for (const name of Object.keys(item)) found.add(name)
      else namedIn(item, found)
    }
  }
  return found
}

function variablesOf(text: string): readonly string[] {
  try {
    return parseTemplate(text).variables
  } catch {
    return []
  }
}

function simplify(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}
