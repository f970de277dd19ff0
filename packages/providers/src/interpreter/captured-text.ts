import { compilePath, scalarText } from './path.ts'
import { compilePattern } from './pattern.ts'

/** Longer values name nothing, and the expressions of provider files are to have little to chew on. */
const charactersMax = 2_000

/**
 * The text at a path of an answer, or the part of it that `capture` finds; undefined where there is none, or one that a
 * row cannot hold (PostgreSQL takes neither NUL nor half a surrogate pair).
 */
export function capturedText(
  answer: unknown,
  { path, capture }: { path: string; capture?: string | undefined },
): string | undefined {
  const text = scalarText(compilePath(path)(answer)) ?? ''
  if (text === '' || text.length > charactersMax || text.includes('\0') || !text.isWellFormed()) return undefined
  if (capture === undefined) return text
  return compilePattern(capture).result(text) || undefined
}
