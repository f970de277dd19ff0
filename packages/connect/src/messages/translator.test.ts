import { expect, test, vi } from 'vitest'
import { languages } from './languages.ts'
import { createTranslator, loadTranslator } from './translator.ts'

const back = async (wanted: string[], overrides: Record<string, Record<string, string>>[] = []) => {
  const { language, direction, text } = await loadTranslator(wanted, overrides)
  return { language, direction, back: text('back') }
}

test.each([
  ['pt', 'Voltar'],
  ['pt-BR', 'Voltar'],
  ['pt-PT', 'Voltar'],
  ['de-CH', 'Zurück'],
  ['fr-CA', 'Retour'],
  ['es-419', 'Atrás'],
  ['ja', '戻る'],
  ['en-GB', 'Back'],
])('%s has texts, and keeps its region', async (tag, text) => {
  expect(await back([tag])).toEqual({ language: tag, direction: 'ltr', back: text })
})

test('a language without texts leaves the next one, and at last English', async () => {
  expect(await back(['zh', 'no language!', 'fr-BE', 'de'])).toMatchObject({ language: 'fr-BE', back: 'Retour' })
  expect(await back(['zh', 'ko-KR'])).toEqual({ language: 'en', direction: 'ltr', back: 'Back' })
  expect(await back([])).toMatchObject({ language: 'en' })
})

test('the region decides how numbers and dates look', async () => {
  const text = async (tag: string) => (await loadTranslator([tag])).text('install.fieldsSearch', { count: 5_000 })
  expect(await text('de')).toBe('5.000 Felder durchsuchen')
  expect(await text('de-CH')).toBe(`${new Intl.NumberFormat('de-CH').format(5_000)} Felder durchsuchen`)
  const british = await loadTranslator(['en-GB'])
  expect(british.date('2020-02-01T12:00:00Z')).toBe('1 Feb 2020')
  expect(createTranslator('en-US').date('2020-02-01T12:00:00Z')).toBe('Feb 1, 2020')
})

test('a date is relative for a week', () => {
  vi.useFakeTimers({ now: Date.parse('2026-05-10T12:00:00Z') })
  const { date, dateTime } = createTranslator('de')
  expect(date('2026-05-10T11:57:00Z')).toBe('vor 3 Minuten')
  expect(date('2026-05-09T12:00:00Z')).toBe('gestern')
  expect(date('2026-05-01T12:00:00Z')).toBe('01.05.2026')
  expect(dateTime('2026-05-09T12:00:00Z')).toMatch(/^09\.05\.2026, \d\d:00$/)
  vi.useRealTimers()
})

test('texts of a builder replace those of a language, the more specific and the later ones first', async () => {
  const project = { pt: { back: 'Atrás daqui', done: 'Pronto' }, 'pt-br': { back: 'Voltar já' } }
  const { text } = await loadTranslator(['pt-BR'], [project, { pt: { cancel: 'Sair' } }])
  expect([text('back'), text('done'), text('cancel'), text('continue')]).toEqual([
    'Voltar já',
    'Pronto',
    'Sair',
    'Continuar',
  ])
  expect(await back(['pt-PT'], [project])).toMatchObject({ back: 'Atrás daqui' })
})

test.each([
  ['ar-EG', 'ar', 'rtl'],
  ['he', 'he', 'rtl'],
  ['pa-PK', 'pa-Arab', 'rtl'],
  ['az-Arab-IR', 'az-Arab', 'rtl'],
  ['pa', 'pa', 'ltr'],
  ['zh-TW', 'zh-Hant', 'ltr'],
  ['sr_Latn', 'sr-Latn', 'ltr'],
])('a builder adds a language: %s has the texts of %s', async (wanted, added, direction) => {
  expect(await back([wanted], [{ [added]: { back: 'added' } }])).toEqual({
    language: wanted.replace('_', '-'),
    direction,
    back: 'added',
  })
})

test('values keep their own direction in a right-to-left text', async () => {
  const { text } = await loadTranslator(['ar'], [{ ar: { 'access.title': 'ربط {provider}' } }])
  expect(text('access.title', { provider: 'CRM (2)' })).toBe('ربط \u2068CRM (2)\u2069')
  expect(text('gallery.title', { app: undefined })).toBe('\u2066Integrations\u2069')
  expect(text('access.titleAgain', { provider: 'CRM' })).toBe('\u2066Reconnect \u2068CRM\u2069\u2069')
  expect((await loadTranslator(['en'])).text('access.title', { provider: 'CRM (2)' })).toBe('Connect CRM (2)')
})

test('what a builder did not translate, and what is not an ICU message, is English, with its plurals', async () => {
  const russian = await loadTranslator(
    ['ru'],
    [{ ru: { 'access.issues': '{count, plural, one {# поле} other {# полей}}' } }],
  )
  expect(russian.text('access.issues', { count: 21 })).toBe('21 поле')
  expect(russian.text('install.fieldsChosen', { count: 21 })).toBe('21 chosen')
  expect(russian.text('install.object.missing', { count: 21 })).toBe('21 fields need a match')
  const { text } = await loadTranslator(['nl'], [{ nl: { back: 'Terug', cancel: 'Stop {' } }])
  expect([text('back'), text('cancel'), text('done')]).toEqual(['Terug', 'Cancel', 'Done'])
})

test('a language that cannot be loaded is English, with the builder’s texts for it', async () => {
  const broken = { ...languages, de: () => Promise.reject(new Error('offline')) }
  const { language, text } = await loadTranslator(['de'], [{ de: { back: 'Los!' }, en: { done: 'Ready' } }], broken)
  expect([language, text('back'), text('done')]).toEqual(['en', 'Back', 'Ready'])
})

test('a text without a number or a date needs no format of the browser, which is slow to create', () => {
  const kinds = ['DateTimeFormat', 'NumberFormat', 'PluralRules', 'RelativeTimeFormat'] as const
  const created = kinds.map((kind) => vi.spyOn(Intl, kind))
  const listed = vi.spyOn(Intl.NumberFormat, 'supportedLocalesOf')
  try {
    const { text } = createTranslator('en')
    expect(text('access.submit', { provider: 'HubSpot' })).toBe('Connect HubSpot')
    expect(text('access.lead', { app: 'Harbor', provider: 'HubSpot' })).toContain('Harbor')
    for (const spy of [...created, listed]) expect(spy).not.toHaveBeenCalled()
    expect(text('install.fieldsFound', { count: 2 })).toContain('2 fields')
    expect(text('install.fieldsFound', { count: 3 })).toContain('3 fields')
    expect(created.map(({ mock }) => mock.calls.length)).toEqual([0, 1, 1, 0])
  } finally {
    for (const spy of [...created, listed]) spy.mockRestore()
  }
})
