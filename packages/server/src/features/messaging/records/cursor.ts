import { hash } from 'node:crypto'
import { isSameBytes } from '../../../kernel/encryption/index.ts'
import { InvalidInput } from '../../../kernel/http/index.ts'

/** Where a client is in the changes of a store. */
export interface RecordCursor {
  /** It got all records up to this position. */
  position: number
  /** The store had this position when the client was up to date last, or when it began. */
  seen: number
}

const tagBytes = 8
const version = 1
const length = 1 + tagBytes + 16

/** What a cursor belongs to: a store, an object and filters. */
export type CursorScope = readonly (string | boolean | undefined)[]

/**
 * Writes a cursor, bound to its scope. The tag is not secret: each caller may read all records.
 */
export function writeCursor(scope: CursorScope, { position, seen }: RecordCursor): string {
  const bytes = Buffer.alloc(16)
  bytes.writeBigInt64BE(BigInt(position), 0)
  bytes.writeBigInt64BE(BigInt(seen), 8)
  return Buffer.concat([Buffer.from([version]), tagOf(scope, bytes), bytes]).toString('base64url')
}

/** @throws InvalidInput if the text is not a cursor of this scope */
export function readCursor(scope: CursorScope, text: string, name: string): RecordCursor {
  const bytes = Buffer.from(text, 'base64url')
  const numbers = bytes.subarray(1 + tagBytes)
  const isCursor =
    bytes.length === length &&
    bytes[0] === version &&
    bytes.toString('base64url') === text &&
    isSameBytes(bytes.subarray(1, 1 + tagBytes), tagOf(scope, numbers))
  const [position, seen] = isCursor ? [numbers.readBigInt64BE(0), numbers.readBigInt64BE(8)] : [-1n, -1n]
  if (isPosition(position) && isPosition(seen)) return { position: Number(position), seen: Number(seen) }
  throw new InvalidInput({
    issues: [
      {
        in: 'query',
        name,
        value: text,
        detail: `${name} is not a cursor of this object with these filters.`,
        remedy: 'Pass nextCursor of an earlier response unchanged, with the same filters. Leave it out to start again.',
      },
    ],
  })
}

function isPosition(value: bigint): boolean {
  return value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)
}

function tagOf(scope: CursorScope, numbers: Buffer): Buffer {
  return hash('sha256', JSON.stringify([...scope, numbers.toString('hex')]), 'buffer').subarray(0, tagBytes)
}
