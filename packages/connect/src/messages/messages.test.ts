import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { en, type MessageKey } from './en.ts'
import { languages } from './languages.ts'

type Element = ReturnType<InstanceType<typeof IntlMessageFormat>['getAst']>[number] & {
  options?: Record<string, { value: Element[] }>
}

/** Types of elements by their numbers in the parser of `intl-messageformat`. */
const types: Record<number, string> = { 1: 'text', 2: 'number', 3: 'date', 4: 'time', 5: 'select', 6: 'plural' }

interface Argument {
  name: string
  type: string
  /** Cases of `select` and `plural`. */
  cases: string[]
}

const parsed = (message: string, language: string) =>
  new IntlMessageFormat(message, language, undefined, { ignoreTag: true })

function argumentsOf(elements: readonly Element[]): Argument[] {
  return elements.flatMap((element) => {
    const type = types[element.type]
    const { options = {} } = element
    const inner = Object.values(options).flatMap(({ value }) => argumentsOf(value))
    return type === undefined
      ? inner
      : [{ name: (element as { value: string }).value, type, cases: Object.keys(options) }, ...inner]
  })
}

const argumentsIn = (message: string, language: string) => argumentsOf(parsed(message, language).getAst() as Element[])

/** Values of each argument that reach all of its cases, also those of other languages. */
function samplesOf({ type, cases }: Argument): (string | number)[] {
  if (type === 'select') return cases.map((name) => (name === 'other' ? 'Northwind' : name))
  return type === 'plural' || type === 'number' ? [0, 1, 2, 5, 1_204, 1_000_000] : ['Sample CRM']
}

type Sample = Record<string, string | number>

const combined = (all: readonly Argument[]): Sample[] =>
  all.reduce<Sample[]>(
    (samples, argument) =>
      samples.flatMap((sample) => samplesOf(argument).map((value) => ({ ...sample, [argument.name]: value }))),
    [{}],
  )

/** Names and types, each once. */
const signature = (all: readonly Argument[]) => [...new Set(all.map(({ name, type }) => `${name}: ${type}`))].toSorted()

const keys = Object.keys(en) as MessageKey[]

/** Words that are the same in English. */
const same: Record<string, readonly MessageKey[]> = {
  de: ['optional', 'type.string'],
  es: [],
  fr: ['type.date'],
  ja: [],
  pt: [],
}

test('these are the languages', () => {
  expect(['en', ...Object.keys(languages)].toSorted()).toEqual(['de', 'en', 'es', 'fr', 'ja', 'pt'])
})

describe.each(['en', ...Object.keys(languages)])('%s', async (language) => {
  const messages = (await languages[language]?.()) ?? en

  test('has the keys of English', () => {
    expect(Object.keys(messages).toSorted()).toEqual(keys.toSorted())
  })

  test('each text has the arguments of English, of the same types', () => {
    const signatures = (texts: Record<MessageKey, string>, tag: string) =>
      keys.map((key) => [key, ...signature(argumentsIn(texts[key], tag))])
    expect(signatures(messages, language)).toEqual(signatures(en, 'en'))
  })

  test('each text formats with values that reach all cases of English', () => {
    const faults = keys.flatMap((key) => {
      const format = parsed(messages[key], language)
      const texts = combined(argumentsIn(en[key], 'en')).map((sample) => String(format.format(sample)))
      return texts.filter((text) => !/^[^{}]+$/.test(text)).map((text) => `${key}: ${text}`)
    })
    expect(faults).toEqual([])
  })

  test('plurals have the categories of the language', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    for (const key of keys)
      for (const { type, cases } of argumentsIn(messages[key], language))
        if (type === 'plural')
          expect([key, ...cases.filter((name) => !name.startsWith('=')).toSorted()]).toEqual([
            key,
            ...pluralCategories.toSorted(),
          ])
  })

  test('no text has a straight apostrophe, which ICU reads as a quotation mark', () => {
    expect(keys.filter((key) => messages[key].includes("'"))).toEqual([])
  })

  test('texts are not those of English', () => {
    if (language === 'en') return
    expect(keys.filter((key) => messages[key].toLowerCase() === en[key].toLowerCase())).toEqual(same[language])
  })
})
