import type { Names } from './name-resolver.ts'

/**
 * How to resolve a host before a connection is asked for; undefined when its addresses are known. A slow name then
 * holds no slot of a pool of connections, and counts against the limit of the project that asked.
 */
export function unresolved(names: Names, host: string, project?: string): (() => Promise<unknown>) | undefined {
  try {
    if (names.known(host)) return undefined
  } catch (error) {
    return () => Promise.reject(error)
  }
  return () => names.resolve(host, project)
}
