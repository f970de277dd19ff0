import { en, type MessageKey, type Messages } from './en.ts'
import { languages } from './languages.ts'
import { createMessageFormat } from './message-format.ts'

export type Values = Record<string, string | number | Date | undefined>

/** Texts, dates and numbers of one language. */
export interface Translator {
  /** BCP 47. */
  language: string
  direction: 'ltr' | 'rtl'
  text(key: MessageKey, values?: Values): string
  /** A moment, relative to now if it is near. */
  date(iso: string): string
  /** A date with its time, for sentences that a relative time does not fit in. */
  dateTime(iso: string): string
  /** A moment in full, with its zone. */
  fullDate(iso: string): string
  /** Names in a sentence: `People, Companies and Deals`. */
  list(names: readonly string[]): string
}

/** Texts of a builder, by language and key. */
type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Texts of English, if no other language has any. */
const fallback = 'en'

/**
 * Returns the first of the wanted languages that has texts; otherwise English, also if a language cannot be loaded. The
 * texts of a language are those of its region or script over those of the language itself, the builder's over ours. The
 * region that was wanted decides how dates and numbers look.
 *
 * @param wanted tags of BCP 47; others are ignored
 * @param overrides texts of the builder, the last of which win
 */
export async function loadTranslator(
  wanted: readonly string[],
  overrides: readonly Texts[] = [],
  sources: typeof languages = languages,
): Promise<Translator> {
  const own = overrides.map(byTag)
  const has = (tag: string) => tag === fallback || Object.hasOwn(sources, tag) || own.some((texts) => texts.has(tag))
  const tags = wanted.map(candidates).find((chain) => chain.some(has)) ?? [fallback]
  const load = sources[tags.find((tag) => Object.hasOwn(sources, tag)) ?? '']
  try {
    return createTranslator(tags[0], merged(await load?.(), own, tags))
  } catch {
    // Without its texts, the page would have the language of one text and the dates of another.
    return createTranslator(fallback, merged(undefined, own, [fallback]))
  }
}

function merged(loaded: Messages | undefined, own: Map<string, Record<string, string>>[], tags: readonly string[]) {
  const texts = own.flatMap((one) => tags.toReversed().map((tag) => one.get(tag)))
  return Object.assign({}, en, loaded, ...texts) as Messages
}

/** A builder may write `pt-br` for `pt-BR`. */
function byTag(texts: Texts): Map<string, Record<string, string>> {
  return new Map(Object.entries(texts).map(([tag, messages]) => [candidates(tag)[0], messages]))
}

/** Returns a tag, its language with the script, and its language: `zh-TW`, `zh-Hant`, `zh`. POSIX writes `zh_TW`. */
function candidates(tag: string): [string, ...string[]] {
  try {
    const locale = new Intl.Locale(tag.replaceAll('_', '-'))
    return [locale.baseName, `${locale.language}-${scriptOf(locale)}`, locale.language]
  } catch {
    return [tag]
  }
}

/** The browser takes a slow phone 100 ms for the first script that it looks up, so these are not looked up. */
const scripts = new Map(Object.entries({ en: 'Latn', de: 'Latn', es: 'Latn', fr: 'Latn', pt: 'Latn', ja: 'Jpan' }))

const scriptOf = (locale: Intl.Locale) =>
  locale.script ?? scripts.get(locale.language) ?? locale.maximize().script ?? ''

const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'])

/** @param messages texts of this language */
export function createTranslator(language: string, messages: Messages = en): Translator {
  const direction = rightToLeft.has(scriptOf(new Intl.Locale(language))) ? 'rtl' : 'ltr'
  const isEnglish = language.split('-')[0] === fallback
  const ownFormat = createMessageFormat(language)
  const englishFormat = createMessageFormat(fallback)
  // A text that is not translated has the plurals and the direction of English.
  const formatted = (message: string, isOwn: boolean, values: Values): string | undefined => {
    try {
      const format = isOwn ? ownFormat : englishFormat
      const text = format(message, known(values, direction === 'rtl'))
      return isOwn || direction === 'ltr' ? text : leftToRight(text)
    } catch {
      // A builder's text that is no ICU message: English is shown.
      return undefined
    }
  }
  const text = (key: MessageKey, values: Values = {}): string =>
    formatted(messages[key], isEnglish || messages[key] !== en[key], values) ??
    formatted(en[key], isEnglish, values) ??
    key
  const relative = whenNeeded(() => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
  const day = whenNeeded(() => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }))
  const dayAndTime = whenNeeded(() => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }))
  const listed = whenNeeded(() => new Intl.ListFormat(language, { type: 'conjunction' }))
  const full = whenNeeded(() => new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' }))
  return {
    language,
    direction,
    text,
    date: (iso) => near(Date.parse(iso) - Date.now(), relative()) ?? day().format(new Date(iso)),
    dateTime: (iso) => dayAndTime().format(new Date(iso)),
    fullDate: (iso) => full().format(new Date(iso)),
    list: (names) => listed().format(names),
  }
}

/** Creates a format with its first use. Four of them take a slow phone 200 ms, and the first step needs none. */
function whenNeeded<Format>(create: () => Format): () => Format {
  let format: Format | undefined
  return () => {
    format ??= create()
    return format
  }
}

/** Returns values of which the absent select the case `none`. */
function known(values: Values, isIsolated: boolean): Record<string, string | number | Date> {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    value === undefined ? 'none' : typeof value === 'string' && isIsolated ? isolated(value) : value,
  ])
  return { app: 'none', host: 'none', ...Object.fromEntries(entries) }
}

/**
 * Keeps the order of a value that is written in the other direction: “Sample CRM (2)” in an Arabic text, and an Arabic
 * date in a text that is not translated.
 */
const isolated = (value: string) => `\u2068${value}\u2069`
const leftToRight = (text: string) => `\u2066${text}\u2069`

const units = [
  ['second', 1_000, 60],
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, 7],
] as const

function near(differenceMs: number, format: Intl.RelativeTimeFormat): string | undefined {
  for (const [unit, ms, max] of units) {
    const count = Math.round(differenceMs / ms)
    if (Math.abs(count) < max) return format.format(count, unit)
  }
  return undefined
}
