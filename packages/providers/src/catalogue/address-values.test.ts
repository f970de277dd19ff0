import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { testCache } from '../testing/test-cache.testkit.ts'
import { addressValues, changedAddressValues } from './address-values.ts'
import type { ProviderEntry } from './entry.ts'
import { loadCatalogue } from './load-catalogue.ts'
import { readBuiltInSources } from './read-sources.ts'

const home = mkdtempSync(join(tmpdir(), 'mortise-address-'))
afterAll(() => rmSync(home, { recursive: true }))

const builtIn = await loadCatalogue({ cacheDir: testCache })
const { sources } = readBuiltInSources()

writeFileSync(
  join(home, 'regional.yaml'),
  `name: regional
baseUrl: https://api.example.com
inputs: [{ name: region }, { name: team }]
authentication: [{ scheme: apiKey, attach: header, name: X-Key }]
objects:
  notes: { read: { base: 'https://{{region}}.example.com', path: '/teams/{{team}}/notes', records: data } }
`,
)
writeFileSync(
  join(home, 'hosted.yaml'),
  `name: hosted
baseUrl: https://{{workspace}}.example.com
inputs: [{ name: workspace }]
authentication: [{ scheme: apiKey, attach: header, name: X-Key }]
`,
)
const own = await loadCatalogue({ providerDirs: [home], cacheDir: testCache })
function entryOf(name: string): ProviderEntry {
  const entry = own.find(name)
  if (entry === undefined) throw new Error(JSON.stringify(own.faults))
  return entry
}

/**
 * Every text of a file as it is written that stands under a key for URLs, outside of bodies. Shares no code with what
 * it judges.
 */
function urlsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value !== 'string') return key === 'body' ? [] : urlsIn(value)
    return /url$|^base$/i.test(key) && key !== 'docsUrl' ? [value] : []
  })
}

const filled = (text: string, name: string, value: string) =>
  text.replace(/\{\{\s*([\w$]+)[^}]*\}\}/g, (_, variable) => (variable === name ? value : 'same'))

/** Names of variables that lead a URL of the file elsewhere. */
function leadingElsewhere(file: unknown): string[] {
  const urls = urlsIn(file)
  const names = new Set(urls.flatMap((text) => [...text.matchAll(/\{\{\s*([\w$]+)/g)].map(([, name = '']) => name)))
  return [...names].filter((name) => urls.some((text) => filled(text, name, 'one') !== filled(text, name, 'other')))
}

describe('over all provider files', () => {
  it('every value that leads a URL elsewhere is an address value', () => {
    const leading = sources.flatMap(({ text }) => {
      const file = parse(text, { merge: true, maxAliasCount: -1 }) as { name: string }
      return leadingElsewhere(file).map((name) => ({ provider: file.name, name }))
    })
    expect(leading.length).toBeGreaterThan(60)
    const missed = leading.filter(({ provider, name }) => {
      const entry = builtIn.find(provider)
      return entry === undefined || !addressValues(entry).has(name)
    })
    expect(missed).toEqual([])
  })

  it('a swap of such a value is a change, its own default is none', () => {
    let swaps = 0
    for (const entry of builtIn.list()) {
      for (const name of addressValues(entry)) {
        const given = entry.inputs.find((input) => input.name === name)?.default
        const swapped = changedAddressValues(entry, { metadata: {} }, { metadata: { [name]: 'elsewhere.example' } })
        expect(swapped, entry.name).toEqual([name])
        if (given === undefined) continue
        expect(changedAddressValues(entry, { metadata: {} }, { metadata: { [name]: given } }), entry.name).toEqual([])
        swaps++
      }
    }
    expect(swaps).toBeGreaterThan(5)
  })
})

it('forms ask customers for each address value of a file that neither the file nor the provider has', () => {
  const missing = builtIn.list().flatMap((entry) => {
    const source = sources.find(({ path }) => path.endsWith(`/${entry.name}.yaml`))
    const { inputs = [], variables = [], postAuthentication = [], authentication = [] } = parse(source?.text ?? '{}')
    const fromTokens = JSON.stringify(authentication).includes('"workspaceRef"') ? ['workspace'] : []
    const known = [...[inputs, variables, postAuthentication].flat().map(({ name }) => name), ...fromTokens]
    return [...addressValues(entry)].flatMap((name) => (known.includes(name) ? [] : [`${entry.name}: ${name}`]))
  })
  // The redirect after the consent of the administrator has it.
  expect(missing).toEqual(['microsoftAdminConsent: tenant'])
})

describe('one file', () => {
  it('what picks a value that the provider is asked for is an address value, too', () => {
    const atlassian = builtIn.find('atlassian') as ProviderEntry
    expect([...addressValues(atlassian)].sort()).toEqual(['cloudId', 'workspace'])
    expect(changedAddressValues(atlassian, { metadata: {}, workspaceRef: 'a' }, { metadata: {} })).toEqual([
      'workspace',
    ])
  })

  it('the base of a single request counts, a variable of a path does not', () => {
    expect([...addressValues(entryOf('regional'))]).toEqual(['region'])
  })

  it('a workspace in the metadata stands before the one of the connection', () => {
    const before = { metadata: {}, workspaceRef: 'acme' }
    const changed = (metadata: Record<string, string>, workspaceRef?: string) =>
      changedAddressValues(entryOf('hosted'), before, { metadata, ...(workspaceRef && { workspaceRef }) })
    expect(changed({ workspace: 'acme' })).toEqual([])
    expect(changed({ workspace: 'evil' }, 'acme')).toEqual(['workspace'])
  })
})
