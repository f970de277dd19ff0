import { invalid } from './api-error.ts'
import type { Position } from './timeline.ts'

/** Which order a cursor continues: a cursor of one order means nothing in the other. */
export type Order = 'id' | 'updated'

/** An opaque cursor that continues after `position`. */
export function encodeCursor(order: Order, { updatedAt, index }: Position): string {
  return Buffer.from(`${order}:${updatedAt}:${index}`).toString('base64url')
}

/** @throws ApiError 400 that names `cursor` when it was not made by {@link encodeCursor} for this order */
export function decodeCursor(order: Order, cursor: string): Position {
  const [, foundOrder, updatedAt, index] =
    /^(id|updated):(\d{1,15}):(\d{1,7})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const position = { updatedAt: Number(updatedAt), index: Number(index) }
  // Encoding again refuses what the lenient base64 reader let pass.
  if (foundOrder !== order || encodeCursor(order, position) !== cursor) {
    throw invalid('cursor', 'the next_cursor of a page of the same list')
  }
  return position
}
