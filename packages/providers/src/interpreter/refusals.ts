import type { RefusalList } from '../catalogue/format/write.ts'
import { compileMatch, compileTextMatch } from './match.ts'
import { compilePath, isObject, scalarText } from './path.ts'

/** What an answer lists as wrong, in the provider's words: not yet safe to show. */
export type RefusalReader = (answer: unknown) => string[]

/** Where answers usually list what is wrong; the whole answer, when it is a list itself. */
const commonLists = ['errors', 'error.errors', 'error.details', 'details', '']
const commonTexts = ['title', 'message', 'Message', 'description', 'detail', 'Detail']
/** A refusal of a few thousand fields is read by nobody. */
const refusalsMax = 100

/** The texts of one declared list; empty where there is none. */
export function compileRefusals({ list, message, when, matches }: RefusalList): RefusalReader {
  const read = compilePath(list)
  const isError = compileMatch(when)
  const textIn = compileText(message ?? commonTexts)
  const textOf = (item: unknown) => (isError(item) ? textIn(item) : undefined)
  const fits = matches === undefined ? () => true : compileTextMatch(matches)
  return (answer) => textsIn(read(answer), textOf).filter(fits).slice(0, refusalsMax)
}

/** The texts of the first list that has any. */
export function firstRefusals(declared: readonly RefusalList[]): RefusalReader {
  const readers = [...declared, ...commonLists.map((list) => ({ list }))].map(compileRefusals)
  return (answer) => {
    // The whole answer counts only when it is a list: an object would be its every value.
    for (const read of Array.isArray(answer) ? readers : readers.slice(0, -1)) {
      const texts = read(answer)
      if (texts.length > 0) return texts
    }
    return []
  }
}

const plainText = (item: unknown) => scalarText(item) || undefined

/**
 * The text of one item: its own, or those that it holds, joined. Where there is a list or an object of texts, all of
 * them.
 */
export function compileText(paths: readonly string[]): (item: unknown) => string | undefined {
  const readers = paths.map(compilePath)
  return (item) => {
    if (!isObject(item)) return plainText(item)
    const texts = readers.flatMap((read) => {
      const found = read(item)
      return typeof found === 'string' ? [found].filter(Boolean) : textsIn(found, plainText)
    })
    return texts.length === 0 ? undefined : [...new Set(texts)].join(': ')
  }
}

function textsIn(found: unknown, textOf: (item: unknown) => string | undefined): string[] {
  if (Array.isArray(found)) return found.flatMap((item) => textOf(item) ?? [])
  if (!isObject(found)) return []
  return Object.entries(found).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => {
      const text = textOf(item)
      return text === undefined ? [] : [`${key}: ${text}`]
    }),
  )
}
