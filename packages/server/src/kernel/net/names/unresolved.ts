import type { Names } from './name-resolver.ts'

/**
 * Returns a function that resolves a host before a connection is requested; undefined when its addresses are cached. A
 * slow name then occupies no slot of a connection pool, and counts against the limit of its project.
 */
export function unresolved(names: Names, host: string, project?: string): (() => Promise<unknown>) | undefined {
  try {
    if (names.known(host)) return undefined
  } catch (error) {
    return () => Promise.reject(error)
  }
  return () => names.resolve(host, project)
}
