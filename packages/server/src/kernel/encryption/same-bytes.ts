import { timingSafeEqual } from 'node:crypto'

/**
 * Compares two digests in a time that says nothing about them. The server compares secrets here and nowhere else. Pass
 * digests, or values whose length is public: the length is compared first.
 */
export function isSameBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
