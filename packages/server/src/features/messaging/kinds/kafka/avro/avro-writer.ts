const firstBytes = 1_024
/** Numbers below it are zigzag in 32 bits. */
const smallMax = 2 ** 30

/** Writes values in the binary encoding of Avro (specification 1.11, "Binary Encoding"). */
export class AvroWriter {
  #buffer = Buffer.allocUnsafe(firstBytes)
  #length = 0

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  raw(bytes: Buffer): void {
    this.#grow(bytes.length)
    bytes.copy(this.#buffer, this.#length)
    this.#length += bytes.length
  }

  boolean(value: boolean): void {
    this.#byte(value ? 1 : 0)
  }

  /** Writes an `int` or a `long`: a safe integer, zigzag and in groups of seven bits. */
  long(value: number): void {
    if (value === (value | 0) && Math.abs(value) < smallMax) this.#small(((value << 1) ^ (value >> 31)) >>> 0)
    else this.#large(value)
  }

  /** Twice a safe integer has 54 bits: too many for a number. */
  #large(value: number): void {
    let left = value < 0 ? -BigInt(value) * 2n - 1n : BigInt(value) * 2n
    while (left > 0x7fn) {
      this.#byte(Number(left & 0x7fn) | 0x80)
      left >>= 7n
    }
    this.#byte(Number(left))
  }

  #small(zigzag: number): void {
    let left = zigzag
    while (left > 0x7f) {
      this.#byte((left & 0x7f) | 0x80)
      left >>>= 7
    }
    this.#byte(left)
  }

  double(value: number): void {
    this.#grow(8)
    this.#length = this.#buffer.writeDoubleLE(value, this.#length)
  }

  string(value: string): void {
    const length = Buffer.byteLength(value)
    this.long(length)
    this.#grow(length)
    this.#length += this.#buffer.write(value, this.#length)
  }

  /** Writes `null` as the first branch of a union with it, or else the value as the second. */
  nullable<T>(value: T | undefined | null, write: (value: T) => void): void {
    const isNull = value === undefined || value === null
    this.long(isNull ? 0 : 1)
    if (!isNull) write(value)
  }

  array<T>(items: readonly T[], write: (item: T) => void): void {
    if (items.length > 0) this.long(items.length)
    for (const item of items) write(item)
    this.long(0)
  }

  map(entries: readonly (readonly [string, string])[]): void {
    this.array(entries, ([key, value]) => {
      this.string(key)
      this.string(value)
    })
  }

  #byte(value: number): void {
    this.#grow(1)
    this.#buffer[this.#length++] = value
  }

  #grow(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
