import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  fileOfFacts,
  fileOfFurtherFacts,
  type RawFurtherProvider,
  type RawProvider,
  unusable,
} from '../../scripts/facts.ts'
import { missingFacts } from '../../scripts/missing-facts.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'
import { lintCatalogue } from './lint-catalogue.ts'
import { providerFileSchema } from './provider-schema.ts'
import { readProviderFile } from './read-provider-file.ts'
import { readSources } from './read-sources.ts'

const { sources, faults } = readSources([])
const files = new Map(sources.map(({ path, text }) => [basename(path, '.yaml'), parse(text) as ProviderFileOutline]))

/** Each is two providers, by the way in which they authenticate. */
const sameLabel = new Set(['Google', 'Netsuite', 'Salesforce'])

describe('the provider files of this package', () => {
  it('can all be read, and pass every check', () => {
    expect(faults).toEqual([])
    expect(sources.length).toBeGreaterThanOrEqual(1_045)
    const found = sources.flatMap(({ path, text }) => readProviderFile(path, text).faults ?? [])
    expect(found).toEqual([])
  })

  it('fit the schema that editors use', () => {
    const check = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(providerFileSchema())
    const refused = [...files].filter(([, file]) => !check(file)).map(([name]) => name)
    expect(refused).toEqual([])
  })

  it('say on which day they were compared with documentation, and what of them', () => {
    const compared = [...files].flatMap(([name, { documented }]) => (documented ? [{ name, ...documented }] : []))
    expect(compared.length).toBeGreaterThan(10)
    for (const { name, date, parts } of compared) {
      expect(new Date(date).toISOString().slice(0, 10), name).toBe(date)
      expect(new Set(parts).size, name).toBe(parts.length)
    }
  })

  it('hold no twins and no dead variables', () => {
    expect(lintCatalogue([...files.values()], sameLabel)).toEqual([])
  })
})

const shared = process.env['MORTISE_SHARED'] ?? resolve(import.meta.dirname, '../../../../../shared')
const facts = factsOf<RawProvider>(join(shared, 'providers/facts.json'))
const furtherFacts = factsOf<RawFurtherProvider>(join(shared, 'providers/facts-more.json'))

/**
 * The facts from which the files were made; `undefined` where they are not at hand, which `MORTISE_REQUIRE_SHARED=1`
 * forbids.
 */
function factsOf<Raw>(file: string): Record<string, Raw> | undefined {
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { providers: Record<string, Raw> }).providers
  if (process.env['MORTISE_REQUIRE_SHARED'] === '1') throw new Error(`no facts in ${file}`)
  console.warn(`skipped: no facts in ${file} (MORTISE_SHARED)`)
  return undefined
}

/** Where a file differs from the facts: it knows better. */
function isCorrected(difference: string): boolean {
  return (
    // The file has the objects. The facts say what other products do.
    /support\.\w+ is true, the facts say false$/.test(difference) ||
    [
      'aircall.yaml: authentication[Authorization].prefix is "Basic ", the facts say "Basic"',
      'zendeskSell.yaml: authentication[basic] is missing',
    ].includes(difference)
  )
}

describe.skipIf(facts === undefined)('the facts', () => {
  it('stand in the files, every one of every provider', () => {
    const missing = Object.values(facts ?? {}).flatMap((raw) =>
      missingFacts(fileOfFacts(raw), files.get(raw.name)).map((difference) => `${raw.name}.yaml: ${difference}`),
    )
    expect(missing.filter((difference) => !isCorrected(difference))).toEqual([])
  })

  it('are all turned into the words of the format: no key is dropped on the way', () => {
    const leaves = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, item) => sum + leaves(item), 0)
        : 1
    for (const raw of Object.values(facts ?? {})) {
      const { sourceFile: _, authType, ...rest } = raw
      const file = fileOfFacts(raw)
      expect(
        file.authentication?.map(({ scheme }) => scheme),
        raw.name,
      ).toEqual([authType])
      // Each fact is a leaf of the file; flags of bulk writes are words of a list, where they hold.
      const flags = [raw, ...Object.values(raw.modules ?? {})].flatMap(({ support }) =>
        Object.values(support.bulkWrite ?? {}),
      )
      const added = leaves([file.variables ?? [], (file.inputs ?? []).map(({ use }) => use ?? [])])
      const kinds = leaves([...(file.inputs ?? []), ...(file.postAuthentication ?? [])].map(({ kind }) => kind ?? []))
      const pairs = [...(raw.custom?.headers ?? []), ...(raw.custom?.queryParams ?? [])]
      const header = raw.oauth2?.['accessTokenHeader'] === undefined ? 0 : 1
      expect(leaves(file) - added - kinds - 1 - header, raw.name).toBe(
        leaves(rest) - flags.filter((held) => !held).length - pairs.length,
      )
    }
  })
})

describe.skipIf(furtherFacts === undefined)('the facts from other sources', () => {
  it('stand in the files that nobody has checked, with how sure they are', () => {
    const all = Object.values(furtherFacts ?? {}).filter(({ name }) => !(name in unusable))
    const unchecked = all.filter(({ name }) => files.get(name)?.confidence !== undefined)
    const missing = unchecked.flatMap((raw) =>
      missingFacts(fileOfFurtherFacts(raw), files.get(raw.name)).map((difference) => `${raw.name}.yaml: ${difference}`),
    )
    expect(missing.filter((difference) => !isCorrected(difference))).toEqual([])
    expect(all.filter(({ name }) => !files.has(name))).toEqual([])
    expect(unchecked.length).toBeGreaterThan(700)
  })

  it('are no facts about files of other origin', () => {
    const further = new Set(Object.keys(furtherFacts ?? {}))
    expect([...files].filter(([name, { confidence }]) => confidence !== undefined && !further.has(name))).toEqual([])
  })
})

describe('the lint', () => {
  const file = (name: string, rest: object = {}): ProviderFileOutline => ({
    name,
    displayName: name,
    baseUrl: 'https://example.com',
    ...rest,
  })

  it.each<[string, ProviderFileOutline[], string]>([
    [
      'a name in other letters',
      [file('hubSpot'), file('hubspot', { displayName: 'Other' })],
      'hubspot name is also the name of hubSpot',
    ],
    [
      'a label twice',
      [file('a', { displayName: 'A-B' }), file('b', { displayName: 'a b' })],
      'b displayName is also the name of a',
    ],
    [
      'keys that differ by case',
      [file('a', { objects: { Deals: {}, deals: {} } })],
      'a objects.deals differs from "Deals" only in case',
    ],
    ['an input that nothing uses', [file('a', { inputs: [{ name: 'x' }] })], 'a inputs.0 is not used by any template'],
    [
      'an input that is not only kept',
      [file('a', { baseUrl: 'https://{{x}}.example.com', inputs: [{ name: 'x', use: 'kept' }] })],
      'a inputs.0 is used by a template',
    ],
    [
      'a variable that nothing uses',
      [file('a', { variables: [{ name: 'x' }] })],
      'a variables.0 is not used by any template',
    ],
    [
      'a secret that nothing carries',
      [
        file('a', {
          authentication: [{ scheme: 'custom', headers: { k: '{{x}}' }, inputs: [{ name: 'x' }, { name: 'y' }] }],
        }),
      ],
      'a authentication.0 does not use "y"',
    ],
  ])('finds %s', (_, files, expected) => {
    const found = lintCatalogue(files).map(({ provider, path, message }) => `${provider} ${path.join('.')} ${message}`)
    expect(found).toHaveLength(1)
    expect(found[0]?.slice(0, expected.length)).toBe(expected)
  })

  it('lets be what is named in a request of an object', () => {
    const used = file('a', {
      inputs: [{ name: 'x' }, { name: 'y' }],
      objects: { o: { read: { path: '/{{x}}', body: { $value: 'y' } } } },
    })
    expect(lintCatalogue([used])).toEqual([])
  })
})
