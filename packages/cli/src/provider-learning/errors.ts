import type { Json } from './json-values.ts'
import type { Operation } from './operations.ts'
import type { References } from './schemas.ts'

/** Where error responses have their message, the clearest first. */
const messages = ['error.message', 'message', 'error_description', 'error.description', 'detail', 'title', 'error']
/** Paths of messages in one file. */
const pathsMax = 3

/** Learns where error responses have their message: `errors` of the file; undefined if no response shows it. */
export function errorsOf(operations: readonly Operation[], references: References): Json | undefined {
  const counts = new Map<string, number>()
  for (const { refusal } of operations) {
    const { properties } = references.shape(refusal)
    const isText = (path: string) => {
      const [name = '', inner] = path.split('.')
      const shape = references.shape(properties.get(name))
      const type = inner === undefined ? shape.type : references.shape(shape.properties.get(inner)).type
      return type === 'string'
    }
    const path = messages.find(isText)
    if (path !== undefined) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  const paths = [...counts].toSorted(([, a], [, b]) => b - a).map(([path]) => path)
  return paths.length === 0 ? undefined : { message: paths.slice(0, pathsMax) }
}
