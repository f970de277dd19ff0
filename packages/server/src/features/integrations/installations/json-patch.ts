/**
 * JSON Patch (RFC 6902) with the operations add, replace and remove. Own code, because the available packages accept
 * pointers that the standard refuses, or leave half a patch applied. This code clones the document, reads only own
 * properties and refuses names that reach prototypes. It returns the whole result or the faults.
 */

/** One operation as a caller sent it, not validated yet. */
export interface PatchOperation {
  op: string
  path: string
  value?: unknown
}

export interface PatchFault {
  /** Index of the operation. Absent when the whole patch is at fault. */
  index?: number
  /** The part of the operation that is at fault. */
  part?: 'op' | 'path' | 'value'
  detail: string
}

export type PatchResult = { document: unknown } | { faults: PatchFault[] }

export const patchOperationsMax = 100
export const patchedBytesMax = 1_048_576
const pointerDepthMax = 64
const operations = new Set(['add', 'replace', 'remove'])
const deniedNames = new Set(['__proto__', 'constructor', 'prototype'])

type Container = Record<string, unknown> | unknown[]

/**
 * Applies a patch to a copy of `document`, completely or not at all.
 *
 * @returns the patched copy, or every malformed operation, or the first that does not fit the document
 */
export function applyPatch(document: unknown, patch: readonly PatchOperation[]): PatchResult {
  const faults = malformedOperations(patch)
  if (faults.length > 0) return { faults }

  const root = { document: structuredClone(document) }
  for (const [index, { op, path, value }] of patch.entries()) {
    const tokens = parsePointer(path) ?? []
    const fault = applyOperation(root, op, tokens, value)
    if (fault !== undefined) return { faults: [{ index, part: 'path', detail: fault }] }
  }
  if (Buffer.byteLength(JSON.stringify(root.document)) > patchedBytesMax)
    return { faults: [{ detail: `The result is larger than ${patchedBytesMax} bytes.` }] }
  return root
}

/** Returns every operation that cannot be applied to any document. */
export function malformedOperations(patch: readonly PatchOperation[]): PatchFault[] {
  if (patch.length > patchOperationsMax)
    return [{ detail: `A patch may hold ${patchOperationsMax} operations, this one holds ${patch.length}.` }]
  return patch.flatMap((operation, index) => {
    const fault = checkOperation(operation)
    return fault === undefined ? [] : [{ index, ...fault }]
  })
}

/** Returns the reference tokens of a JSON Pointer (RFC 6901, 3 and 4). Undefined if the text is not a pointer. */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function checkOperation(operation: PatchOperation): Omit<PatchFault, 'index'> | undefined {
  if (!operations.has(operation.op))
    return {
      part: 'op',
      detail: `The operation ${JSON.stringify(operation.op)} is not supported; use add, replace or remove.`,
    }
  const tokens = parsePointer(operation.path)
  if (tokens === undefined)
    return {
      part: 'path',
      detail: 'The path must begin with "/"; in a name "~" is written "~0", and "/" is written "~1".',
    }
  if (tokens.length > pointerDepthMax)
    return { part: 'path', detail: `The path has more than ${pointerDepthMax} parts.` }
  if (tokens.some((token) => deniedNames.has(token)))
    return { part: 'path', detail: 'The path holds a name that is not allowed.' }
  if (operation.op === 'remove')
    return tokens.length > 0 ? undefined : { part: 'path', detail: 'The whole document cannot be removed.' }
  if (operation.value === undefined) return { part: 'value', detail: `The operation ${operation.op} needs a value.` }
  if (hasDeniedName(operation.value)) return { part: 'value', detail: 'The value holds a name that is not allowed.' }
  return undefined
}

function hasDeniedName(value: unknown): boolean {
  const stack = [value]
  while (stack.length > 0) {
    const item = stack.pop()
    if (typeof item !== 'object' || item === null) continue
    if (!Array.isArray(item) && Object.keys(item).some((name) => deniedNames.has(name))) return true
    stack.push(...Object.values(item))
  }
  return false
}

/** Applies one operation to `root`. Returns the reason when it cannot be applied. */
function applyOperation(root: { document: unknown }, op: string, tokens: string[], value: unknown): string | undefined {
  const path = ['document', ...tokens]
  const name = path.pop() ?? ''
  let container: unknown = root
  for (const token of path) {
    container = memberOf(container, token)
    if (container === undefined) return `There is no value at ${JSON.stringify(token)}.`
  }
  // Cloned, because the value may be added in two locations or belong to the caller.
  const own = op === 'remove' ? undefined : structuredClone(value)
  if (Array.isArray(container)) return changeElement(container, op, name, own)
  if (typeof container !== 'object' || container === null)
    return 'The path leads into a value that is neither an object nor an array.'
  const object = container as Record<string, unknown>
  if (op !== 'add' && !Object.hasOwn(object, name)) return `There is no ${JSON.stringify(name)} here to ${op}.`
  if (op === 'remove') delete object[name]
  else object[name] = own
  return undefined
}

function changeElement(list: unknown[], op: string, name: string, value: unknown): string | undefined {
  const index = op === 'add' && name === '-' ? list.length : indexOf(name)
  if (index === undefined) return `${JSON.stringify(name)} is not an index of an array.`
  if (index >= (op === 'add' ? list.length + 1 : list.length))
    return `The index ${index} is beyond the end of the array.`
  if (op === 'add') list.splice(index, 0, value)
  else if (op === 'replace') list[index] = value
  else list.splice(index, 1)
  return undefined
}

function memberOf(container: unknown, name: string): unknown {
  if (Array.isArray(container)) {
    const index = indexOf(name)
    return index === undefined ? undefined : container[index]
  }
  const isObject = typeof container === 'object' && container !== null
  return isObject && Object.hasOwn(container, name) ? (container as Exclude<Container, unknown[]>)[name] : undefined
}

/** Parses an array index (RFC 6901, 4): digits without leading zeros. */
function indexOf(token: string): number | undefined {
  return /^(0|[1-9]\d{0,9})$/.test(token) ? Number(token) : undefined
}
