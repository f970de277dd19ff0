import { type Formatters, formatToParts, IntlMessageFormat } from 'intl-messageformat'

type Parsed = ReturnType<NonNullable<typeof IntlMessageFormat.__parse>>
type Values = Record<string, string | number | Date>

/**
 * Returns a function that formats ICU messages in one language. It uses the parser and the formatter of
 * IntlMessageFormat, but not its constructor: that lets the browser list all its locales, which takes a slow phone
 * 100 ms, also for a message without a number.
 *
 * The function throws for a message that is not valid, and for a value that is missing.
 */
export function createMessageFormat(language: string): (message: string, values: Values) => string {
  const parsed = new Map<string, Parsed>()
  const { formats } = IntlMessageFormat
  const formatters = formattersOf()
  return (message, values) => {
    let elements = parsed.get(message)
    if (!elements) {
      elements = IntlMessageFormat.__parse?.(message, { ignoreTag: true }) ?? []
      parsed.set(message, elements)
    }
    const parts = formatToParts<string>(elements, language, formatters, formats, values, undefined, message)
    return parts.map(({ value }) => value).join('')
  }
}

/** Creates each format of a language once, with its first use. */
function formattersOf(): Formatters {
  const made = new Map<string, unknown>()
  const once = <Format>(kind: string, options: object | undefined, create: () => Format): Format => {
    const key = `${kind} ${JSON.stringify(options)}`
    if (!made.has(key)) made.set(key, create())
    return made.get(key) as Format
  }
  return {
    getNumberFormat: (locales, options) =>
      once('number', options, () => new Intl.NumberFormat(locales, options as Intl.NumberFormatOptions)),
    getDateTimeFormat: (locales, options) => once('date', options, () => new Intl.DateTimeFormat(locales, options)),
    getPluralRules: (locales, options) => once('plural', options, () => new Intl.PluralRules(locales, options)),
  }
}
