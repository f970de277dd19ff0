import { isCompared } from './evidence.ts'
import type { Authentication } from './format/authentication.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'
import { schemeName } from './scheme-names.ts'

/** The parts of a file about objects and about itself; everything else is about the provider. */
const ofObjects = ['templates', 'objects', 'otherObjects', 'anyCase', 'objectsOf', 'documented', 'connected'] as const

/**
 * A user's file over the built-in one of that name: what it leaves out, the built-in one completes. Authentication is
 * completed scheme by scheme, modules key by key. Objects are never completed: a file that has some has
 * all.
 */
export function completeFile(file: ProviderFileOutline, base: ProviderFileOutline | undefined): ProviderFileOutline {
  if (base === undefined) return file
  const { authentication, modules } = file
  const { confidence, ...known } = withoutObjects(base)
  return {
    ...known,
    // A file that was tested or compared needs no word on how sure the base is.
    ...(confidence &&
      file.connected === undefined &&
      !(file.documented && isCompared(file.documented)) && { confidence }),
    ...file,
    ...(authentication && { authentication: completeSchemes(authentication, base.authentication ?? []) }),
    ...((modules ?? base.modules) && { modules: completeModules(modules ?? {}, base.modules ?? {}) }),
    // The base's own placeholders are values that this file may have replaced.
    ...(base.placeholders && { placeholders: placeholdersLeft(file, base.placeholders) }),
  }
}

/** A scheme with the base's scheme of the same name beneath it; one without a name, with the first of its kind. */
function completeSchemes(declared: readonly Authentication[], base: readonly Authentication[]): Authentication[] {
  return declared.map((scheme) => {
    const sameKind = base.filter((one) => one.scheme === scheme.scheme)
    const known =
      scheme.schemeName === undefined ? sameKind[0] : sameKind.find((one) => schemeName(one) === scheme.schemeName)
    return { ...known, ...scheme } as Authentication
  })
}

type Modules = NonNullable<ProviderFileOutline['modules']>

function completeModules(declared: Modules, base: Modules): Modules {
  const completed: Modules = {}
  for (const id of new Set([...Object.keys(base), ...Object.keys(declared)])) {
    const { objects: _, otherObjects: __, apiUrl: ___, anyCase: ____, ...known } = base[id] ?? {}
    completed[id] = { ...known, ...declared[id] }
  }
  return completed
}

function withoutObjects(file: ProviderFileOutline): Partial<ProviderFileOutline> {
  const left = { ...file }
  for (const key of ofObjects) delete left[key]
  return left
}

function placeholdersLeft(file: ProviderFileOutline, placeholders: readonly string[]): string[] {
  const replaced = (path: string) => {
    let value: unknown = file
    for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key]
    return value !== undefined
  }
  return [...(file.placeholders ?? []), ...placeholders.filter((path) => !replaced(path))]
}
