import { RE2JS } from 're2js'

const patternCharactersMax = 1_000
/** Instructions of the compiled pattern: each character of a text costs that many steps at worst. */
const stepsMax = 500

/**
 * A regular expression of a provider file, which may be a tenant's. A class, so that two of the same source compare as
 * equal.
 */
export class Pattern {
  readonly source: string
  readonly #compiled: RE2JS
  readonly #group: number | undefined

  /** @throws Error that says what the engine does not know (look-around, backreferences) */
  constructor(source: string) {
    this.source = source
    this.#compiled = RE2JS.compile(source)
    this.#group = this.#compiled.namedGroups()['result']
    if (this.#compiled.programSize() > stepsMax)
      throw new Error('it repeats too much: make the counts in braces smaller')
  }

  test(text: string): boolean {
    return this.#compiled.matcher(text).find()
  }

  /** Whether the whole text matches. */
  fits(text: string): boolean {
    return this.#compiled.matcher(text).matches()
  }

  /** Names of the groups. */
  get groupNames(): string[] {
    return Object.keys(this.#compiled.namedGroups())
  }

  /** Returns what the groups find where the whole text matches, by their names; none that found nothing. */
  groups(text: string): Record<string, string> {
    const matcher = this.#compiled.matcher(text)
    if (!matcher.matches()) return {}
    const found = this.groupNames.flatMap((name): [string, string][] => {
      const value = matcher.group(name)
      return value === null || value === '' ? [] : [[name, value]]
    })
    return Object.fromEntries(found)
  }

  /** Returns the text that the group `result` finds; undefined where nothing matches. */
  result(text: string): string | undefined {
    const matcher = this.#compiled.matcher(text)
    return matcher.find() && this.#group !== undefined ? (matcher.group(this.#group) ?? undefined) : undefined
  }
}

/**
 * Compiles a pattern in RE2 syntax. It runs in time proportional to the text, whatever the pattern: native expressions
 * take exponential time for some, which stops the process.
 *
 * @throws Error that says what the engine does not know (look-around, backreferences)
 */
export function compilePattern(text: string): Pattern {
  return new Pattern(text)
}

/** Returns why a text is not a pattern of provider files; undefined if it is one. */
export function patternFault(text: string): string | undefined {
  if (text.length > patternCharactersMax) return `is longer than ${patternCharactersMax} characters`
  try {
    compilePattern(text)
    return undefined
  } catch (error) {
    return `is not a pattern in RE2 syntax${unsupported(text)}: ${(error as Error).message}`
  }
}

/** Names what other engines know and RE2 does not. */
function unsupported(text: string): string {
  if (/\(\?<?[=!]/.test(text)) return ', which has no look-around'
  return /\\[1-9]|\\k</.test(text) ? ', which has no backreferences' : ''
}
