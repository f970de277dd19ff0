import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { CORE_SCHEMA, load } from 'js-yaml'
import { Check } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  type FactsFile,
  fileOfFacts,
  fileOfFurtherFacts,
  type RawFurtherProvider,
  type RawProvider,
  type RawSupport,
  unusable,
} from '../../scripts/facts.ts'
import { missingFacts } from '../../scripts/missing-facts.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import type { ProviderEntry } from './entry.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'
import { lintCatalogue } from './lint-catalogue.ts'
import { loadCatalogue } from './load-catalogue.ts'
import { providerFileSchema } from './provider-schema.ts'
import { readProviderFile } from './read-provider-file.ts'
import { readBuiltInSources } from './read-sources.ts'

const { sources, faults } = readBuiltInSources()
const files = new Map(sources.map(({ path, text }) => [basename(path, '.yaml'), parse(text) as ProviderFileOutline]))

/** Each is two providers, by the way in which they authenticate. */
const sameLabel = new Set(['Google', 'Netsuite', 'Salesforce'])

/** What a file that uses a part of an API has in its text. */
const signs: Record<string, RegExp> = {
  scopes: /"scopes":/,
  windows: /"incremental":/,
  deletions: /"deletions":/,
  webhooks: /"webhooks":/,
}

describe('the provider files of this package', () => {
  it('can all be read, and pass every check', () => {
    expect(faults).toEqual([])
    expect(sources.length).toBeGreaterThanOrEqual(1_045)
    const found = sources.flatMap(({ path, text }) => readProviderFile(path, text).faults ?? [])
    expect(found).toEqual([])
  })

  it('mean the same to the parser of a start, which keeps no positions', () => {
    for (const { path, text } of sources) expect(load(text, { schema: CORE_SCHEMA }), path).toEqual(parse(text))
  })

  // Not compiled: optimizing the compiled check of this schema takes more than 20 GB of memory.
  it('fit the schema that editors use', () => {
    const schema = providerFileSchema()
    expect([...files].filter(([, file]) => !Check(schema, file)).map(([name]) => name)).toEqual([])
    expect(Check(schema, { ...files.get('stripe'), unknown: true })).toBe(false)
  })

  it('list as undescribed only what they do not describe', async () => {
    const catalogue = await loadCatalogue({ cacheDir: testCache })
    const listed = (of: { undescribed?: unknown; modules?: Record<string, { undescribed?: unknown }> } | undefined) =>
      [of, ...Object.values(of?.modules ?? {})].map((part) => part?.undescribed)
    for (const [name, file] of files) expect(listed(catalogue.find(name)), name).toEqual(listed(file))
  })

  it('say on which day they were compared with documentation, and what of them', () => {
    const compared = [...files].flatMap(([name, { documented }]) => (documented ? [{ name, ...documented }] : []))
    expect(compared.length).toBeGreaterThan(10)
    for (const { name, date, parts, absent = [], undocumented = [] } of compared) {
      expect(new Date(date).toISOString().slice(0, 10), name).toBe(date)
      const all = [...parts, ...absent, ...undocumented]
      expect(new Set(all).size, name).toBe(all.length)
    }
  })

  it('use nothing that the API does not have, by their comparison', () => {
    const absentIn = [...files].flatMap(([name, file]) =>
      (file.documented?.absent ?? []).map((part) => ({ name, file, part })),
    )
    expect(absentIn.length).toBeGreaterThan(0)
    const used = absentIn.filter(({ file, part }) => signs[part]?.test(JSON.stringify(file)))
    expect(used.map(({ name, part }) => `${name}: ${part}`)).toEqual([])
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
  return [
    'aircall.yaml: authentication[Authorization].prefix is "Basic ", the facts say "Basic"',
    // Accounts of European data centers have another host.
    'amplitude.yaml: baseUrl is "https://{{host}}", the facts say "https://amplitude.com"',
    'braze.yaml: baseUrl is "https://rest.{{workspace}}.{{domain}}", the facts say "https://rest.{{workspace}}.braze.com"',
    'customerJourneysApp.yaml: baseUrl is "https://{{host}}", the facts say "https://api.customer.io"',
    'iterable.yaml: baseUrl is "https://{{host}}", the facts say "https://api.iterable.com"',
    'eventbrite.yaml: healthCheck.url is "https://www.eventbriteapi.com/v3/users/me/", the facts say "https://www.eventbriteapi.com/v3/users/me"',
    'facebookPages.yaml: baseUrl is "https://graph.facebook.com/v25.0", the facts say "https://graph.facebook.com/v20.0"',
    'facebookPages.yaml: healthCheck.url is "https://graph.facebook.com/v25.0/me", the facts say "https://graph.facebook.com/v20.0/me"',
    // Of npm's @freshbooks/api 4.1.0.
    'freshbooks.yaml: authentication[oauth2].authUrl is "https://auth.freshbooks.com/oauth/authorize", the facts say "https://auth.freshbooks.com/service/auth/oauth/authorize"',
    'harvest.yaml: authentication[oauth2].scopesRequired is missing, the facts say true',
    'insightly.yaml: baseUrl is "https://{{apiHost}}", the facts say "https://api.insightly.com"',
    'instagram.yaml: authentication[oauth2].authUrl is "https://www.instagram.com/oauth/authorize", the facts say "https://api.instagram.com/oauth/authorize"',
    'jotform.yaml: baseUrl is "https://{{apiHost}}", the facts say "https://api.jotform.com"',
    'pagerDuty.yaml: baseUrl is "https://{{apiHost}}", the facts say "https://api.pagerduty.com"',
    'pagerDuty.yaml: healthCheck.url is missing, the facts say "https://api.pagerduty.com/abilities"',
    'smartsheet.yaml: baseUrl is "https://api.{{domain}}", the facts say "https://api.smartsheet.com"',
    'smartsheet.yaml: authentication[oauth2].authUrl is "https://app.{{domain}}/b/authorize", the facts say "https://app.smartsheet.com/b/authorize"',
    'smartsheet.yaml: authentication[oauth2].tokenUrl is "https://api.{{domain}}/2.0/token", the facts say "https://api.smartsheet.com/2.0/token"',
    'phoneBurner.yaml: authentication[oauth2].authUrl is "https://www.phoneburner.com/oauth/index", the facts say "https://www.phoneburner.com/oauth/authorize"',
    'sendGrid.yaml: baseUrl is "https://{{apiHost}}", the facts say "https://api.sendgrid.com"',
    'typeform.yaml: baseUrl is "https://{{apiHost}}", the facts say "https://api.typeform.com"',
    'surveyMonkey.yaml: baseUrl is "https://{{apiHost}}", the facts say "https://api.surveymonkey.com"',
    'zendeskSell.yaml: authentication[basic] is missing',
    'zohoBooks.yaml: baseUrl is "https://{{apiHost}}/books/v3", the facts say "https://www.zohoapis.com/books/v3"',
    'zohoBooks.yaml: authentication[oauth2].authUrl is "https://{{accountsHost}}/oauth/v2/auth", the facts say "https://accounts.zoho.com/oauth/v2/auth"',
    'zohoBooks.yaml: authentication[oauth2].tokenUrl is "https://{{accountsHost}}/oauth/v2/token", the facts say "https://accounts.zoho.com/oauth/v2/token"',
    // Accounts of other data centers have other hosts.
    'zohoDesk.yaml: baseUrl is "https://desk.{{dataCenter}}/api/v1", the facts say "https://desk.zoho.com/api/v1"',
    'zohoDesk.yaml: authentication[oauth2].authUrl is "https://accounts.{{dataCenter}}/oauth/v2/auth", the facts say "https://accounts.zoho.com/oauth/v2/auth"',
    'zohoDesk.yaml: authentication[oauth2].tokenUrl is "https://accounts.{{dataCenter}}/oauth/v2/token", the facts say "https://accounts.zoho.com/oauth/v2/token"',
  ].includes(difference)
}

/** What the catalog cannot do although the facts say that the provider can: decision 0085 has the reasons. */
const notClaimed = [
  'aws: proxy', // Its base URL is not known.
]

/** The facts without what follows from other parts of a file: `missingSupport` compares that. */
function withoutSupport({ undescribed: _, placeholders: ___, modules, ...facts }: FactsFile): FactsFile {
  const bare = Object.entries(modules ?? {}).map(([id, { undescribed: __, ...module }]) => [id, module] as const)
  return { ...facts, ...(modules && { modules: Object.fromEntries(bare) }) }
}

/** What the facts declare, and neither the objects and webhooks of the file show nor its `undescribed`. */
function missingSupport(
  raw: { support: RawSupport },
  { implemented, undescribed = [] }: Pick<ProviderEntry, 'implemented' | 'undescribed'>,
): string[] {
  return (['read', 'write', 'subscribe', 'proxy'] as const).filter(
    (action) => raw.support[action] === true && !implemented[action] && !undescribed.some((name) => name === action),
  )
}

describe.skipIf(facts === undefined)('the facts', () => {
  it('stand in the files, every one of every provider', () => {
    const missing = Object.values(facts ?? {}).flatMap((raw) =>
      missingFacts(withoutSupport(fileOfFacts(raw)), files.get(raw.name)).map(
        (difference) => `${raw.name}.yaml: ${difference}`,
      ),
    )
    expect(missing.filter((difference) => !isCorrected(difference))).toEqual([])
  })

  it('say nothing about what a provider can do that the catalog does not derive or list', async () => {
    const catalogue = await loadCatalogue({ cacheDir: testCache })
    const missing = Object.values(facts ?? {}).flatMap((raw) => {
      const entry = catalogue.find(raw.name)
      if (entry === undefined) throw new Error(`no ${raw.name}`)
      const modules = Object.entries(raw.modules ?? {}).flatMap(([id, module]) => {
        const known = entry.modules[id]
        return known
          ? missingSupport(module, known).map((action) => `${raw.name}.${id}: ${action}`)
          : [`${raw.name}.${id}`]
      })
      return [...missingSupport(raw, entry).map((action) => `${raw.name}: ${action}`), ...modules]
    })
    expect(missing).toEqual(notClaimed)
  })

  it('leave no proxy to a provider that they know none for, unless objects are used at its base URL', async () => {
    const catalogue = await loadCatalogue({ cacheDir: testCache })
    const unproven = Object.values(facts ?? {}).filter(({ name, support }) => {
      const { read = false, write = false, proxy = false } = catalogue.find(name)?.implemented ?? {}
      return support.proxy !== true && proxy && !read && !write
    })
    expect(unproven.map(({ name }) => name)).toEqual([])
  })

  it('are all turned into the words of the format: no key is dropped on the way', () => {
    const leaves = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, item) => sum + leaves(item), 0)
        : 1
    for (const raw of Object.values(facts ?? {})) {
      const { sourceFile: _, authType, support: __, modules = {}, ...others } = raw
      const rest = { ...others, modules: Object.values(modules).map(({ support: ___, ...module }) => module) }
      const file = withoutSupport(fileOfFacts(raw))
      expect(
        file.authentication?.map(({ scheme }) => scheme),
        raw.name,
      ).toEqual([authType])
      // Each fact is a leaf of the file.
      const added = leaves([file.variables ?? [], (file.inputs ?? []).map(({ use }) => use ?? [])])
      const kinds = leaves([...(file.inputs ?? []), ...(file.postAuthentication ?? [])].map(({ kind }) => kind ?? []))
      const pairs = [...(raw.custom?.headers ?? []), ...(raw.custom?.queryParams ?? [])]
      const header = raw.oauth2?.['accessTokenHeader'] === undefined ? 0 : 1
      expect(leaves(file) - added - kinds - 1 - header, raw.name).toBe(leaves(rest) - pairs.length)
    }
  })
})

describe.skipIf(furtherFacts === undefined)('the facts from other sources', () => {
  it('stand in the files that nobody has checked, with how sure they are', () => {
    const all = Object.values(furtherFacts ?? {}).filter(({ name }) => !(name in unusable))
    const unchecked = all.filter(({ name }) => files.get(name)?.confidence !== undefined)
    const missing = unchecked.flatMap((raw) =>
      missingFacts(withoutSupport(fileOfFurtherFacts(raw)), files.get(raw.name)).map(
        (difference) => `${raw.name}.yaml: ${difference}`,
      ),
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
      'an input that not only objects need',
      [file('a', { inputs: [{ name: 'x', use: 'objects' }], healthCheck: { path: '/{{x}}' } })],
      'a inputs.0 is used outside of objects',
    ],
    [
      'an optional input without which there is no address',
      [
        file('a', {
          inputs: [{ name: 'x', use: 'optional' }],
          modules: { m: { baseUrl: 'https://{{x}}.example.com' } },
        }),
      ],
      'a inputs.0 is used outside of objects',
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
      inputs: [{ name: 'x' }, { name: 'y' }, { name: 'z', use: 'objects' }],
      templates: { t: { read: { path: '/{{z}}' } } },
      objects: { o: { read: { path: '/{{x}}', body: { $value: 'y' } } } },
    })
    expect(lintCatalogue([used])).toEqual([])
  })
})
