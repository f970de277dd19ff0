/**
 * Arrays in the binary format of PostgreSQL (`array_send`), which the driver sends as they are. For many or long
 * values, this takes less time on both sides than text, where each character may need an escape. `$1::text[]` and the
 * like in the statement say the type again.
 */

/** Object ids of types, as the catalog of every PostgreSQL has them. */
const types = { bytea: 17, int: 23, text: 25 }
const headBytes = 20
const lengthBytes = 4
const intBytes = 4

export function textArray(values: readonly (string | null)[]): Buffer {
  return binaryArray(types.text, values, {
    sizeOf: (value) => Buffer.byteLength(value),
    write: (value, array, at) => array.write(value, at),
  })
}

/** @param values bytes as hex digits */
export function byteaArray(values: readonly (string | null)[]): Buffer {
  return binaryArray(types.bytea, values, {
    sizeOf: (value) => value.length / 2,
    write: (value, array, at) => array.write(value, at, 'hex'),
  })
}

export function intArray(values: readonly number[]): Buffer {
  return binaryArray(types.int, values, {
    sizeOf: () => intBytes,
    write: (value, array, at) => array.writeInt32BE(value, at),
  })
}

interface Format<T> {
  sizeOf(value: T): number
  write(value: T, array: Buffer, at: number): void
}

function binaryArray<T>(type: number, values: readonly (T | null)[], { sizeOf, write }: Format<T>): Buffer {
  const sizes = values.map((value) => (value === null ? -1 : sizeOf(value)))
  const size = sizes.reduce((sum, size) => sum + lengthBytes + Math.max(size, 0), headBytes)
  const array = Buffer.allocUnsafe(size)
  // Dimensions, whether there are nulls, type, length and lower bound.
  for (const [at, part] of [1, sizes.includes(-1) ? 1 : 0, type, values.length, 1].entries())
    array.writeInt32BE(part, at * intBytes)
  let at = headBytes
  for (const [index, value] of values.entries()) {
    const size = sizes[index] ?? -1
    array.writeInt32BE(size, at)
    at += lengthBytes
    if (value === null) continue
    write(value, array, at)
    at += size
  }
  return array
}
