import type { Match } from '../catalogue/format/vocabulary.ts'
import { compilePath, isObject, scalarText } from './path.ts'
import { compilePattern } from './pattern.ts'
import { parseTemplate, render, type Variables } from './template.ts'

/** Whether a parsed answer, or a part of one, has the values that a `when` of a provider file asks for. */
export type Matcher = (value: unknown) => boolean

export function compileMatch(match: Match | undefined): Matcher {
  if (match === undefined) return () => true
  const tests = Object.entries(match).map(([path, wanted]): Matcher => {
    const read = compilePath(path)
    if (typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)) {
      if ('present' in wanted) return (value) => isPresent(read(value)) === wanted.present
      if ('matches' in wanted) {
        const fits = compileTextMatch(wanted.matches)
        return (value) => {
          const found = read(value)
          return Array.isArray(found) ? found.some(fits) : fits(found)
        }
      }
      const fits = compileMatch(wanted.some)
      return (value) => {
        const found = read(value)
        return Array.isArray(found) && found.some(fits)
      }
    }
    const choices: unknown[] = Array.isArray(wanted) ? wanted : [wanted]
    return (value) => {
      const found = read(value)
      return Array.isArray(found) ? found.some((item) => choices.includes(item)) : choices.includes(found)
    }
  })
  return (value) => tests.every((test) => test(value))
}

/** Longer texts are looked through so far only: an expression costs time for each character. */
const lookedThrough = 20_000

/** Whether a value is a text, number or boolean that a regular expression finds something in. */
export function compileTextMatch(source: string): Matcher {
  const pattern = compilePattern(source)
  return (value) => {
    const text = scalarText(value)
    return text !== undefined && pattern.test(text.slice(0, lookedThrough))
  }
}

/**
 * The match with the variables of its texts filled in; a text that names one without a value fits nothing but itself.
 */
export function fillMatch(match: Match | undefined, variables: Variables): Match | undefined {
  const filled = Object.entries(match ?? {}).map(([path, wanted]) => {
    if (isObject(wanted) && 'some' in wanted) return [path, { some: fillMatch(wanted.some, variables) ?? {} }] as const
    if (typeof wanted !== 'string' || !wanted.includes('{{')) return [path, wanted] as const
    return [path, render(parseTemplate(wanted), variables) ?? wanted] as const
  })
  return match && Object.fromEntries(filled)
}

/** Absent, null, an empty text and an empty list are not there. */
function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return !Array.isArray(value) || value.length > 0
}
