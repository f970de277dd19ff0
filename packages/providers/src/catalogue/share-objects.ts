import type { ProviderFileOutline } from './format/provider-file.ts'

/**
 * The file with the objects of another one: another way into the same API. A module has those of the module of its
 * name. What the file says itself goes before.
 */
export function shareObjects(file: ProviderFileOutline, other: ProviderFileOutline): ProviderFileOutline {
  const { objectsOf: _, ...own } = file
  const { templates, errors } = other
  const modules = Object.entries(own.modules ?? {}).map(
    ([id, module]) => [id, { ...objectsIn(other.modules?.[id]), ...module }] as const,
  )
  return {
    ...(templates && { templates }),
    ...(errors && { errors }),
    ...(own.modules === undefined && objectsIn(other)),
    ...own,
    ...(own.modules && { modules: Object.fromEntries(modules) }),
  }
}

type Objects = Pick<ProviderFileOutline, 'objects' | 'otherObjects' | 'anyCase'> & { apiUrl?: string }

function objectsIn({ objects, otherObjects, anyCase, apiUrl }: Objects = {}): Objects {
  return {
    ...(objects && { objects }),
    ...(otherObjects && { otherObjects }),
    ...(anyCase !== undefined && { anyCase }),
    ...(apiUrl !== undefined && { apiUrl }),
  }
}
