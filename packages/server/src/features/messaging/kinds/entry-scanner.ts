/** Bytes of JSON. In UTF-8, none of them is part of another character. */
const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [...Buffer.from('"\\,[]{}')]

/** An entry of a JSON array as its bytes, or undefined if it is larger than wanted. */
export type ScannedEntry = Buffer | undefined

/** Cuts the entries out of a JSON array that arrives in parts. Memory holds one entry at a time, up to a size. */
export class EntryScanner {
  readonly #bytesMax: number
  #depth = 0
  #isText = false
  #isEscaped = false
  /** The beginning of an entry that continues in the next part. */
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Returns the entries that end in the next part. What follows the array is ignored. */
  push(part: Buffer): ScannedEntry[] {
    const found: ScannedEntry[] = []
    let from = 0
    for (let at = 0; at < part.length; at++) {
      const byte = part[at]
      if (this.#isText) this.#readText(byte)
      else if (byte === quote) this.#isText = true
      else if (byte === openList || byte === openObject) {
        if (this.#depth++ === 0) from = at + 1
      } else if (byte === closeList || byte === closeObject || byte === comma) {
        if (byte !== comma) this.#depth--
        if (this.#depth !== (byte === comma ? 1 : 0)) continue
        this.#take(part.subarray(from, at))
        if (this.#bytes > 0) found.push(this.#entry())
        if (byte !== comma) return found
        from = at + 1
      }
    }
    if (this.#depth > 0) this.#take(part.subarray(from))
    return found
  }

  #readText(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) this.#isText = false
  }

  #take(piece: Buffer): void {
    this.#bytes += piece.length
    if (this.#bytes > this.#bytesMax) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  #entry(): ScannedEntry {
    const [first = Buffer.alloc(0), ...others] = this.#pieces
    const entry = others.length === 0 ? first : Buffer.concat([first, ...others])
    const isTooLarge = this.#bytes > this.#bytesMax
    this.#pieces = []
    this.#bytes = 0
    return isTooLarge ? undefined : entry
  }
}
