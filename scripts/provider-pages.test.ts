import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { validateManifest } from '../packages/manifest/src/index.ts'
import { loadCatalogue } from '../packages/providers/src/index.ts'
import { testCache } from '../packages/providers/src/testing/test-cache.testkit.ts'
import { providerPages } from './provider-pages.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })
const pages = providerPages(catalogue.list())
const folder = new URL('../docs/providers/', import.meta.url)
const howTo = 'node scripts/run.mjs scripts/write-provider-docs.ts writes it'

it('every provider has its page, the index leads to each, and nothing else has one', () => {
  expect(readdirSync(folder).toSorted(), howTo).toEqual([...pages.keys()].toSorted())
  const linked = [...(pages.get('README.md') ?? '').matchAll(/^\| \[.*?\]\(([\w-]+\.md)\)/gm)].map((match) => match[1])
  expect(linked.toSorted()).toEqual([...pages.keys()].filter((file) => file !== 'README.md').toSorted())
})

it('every page says what the catalogue says', () => {
  const stale = [...pages].filter(([file, text]) => readFileSync(new URL(file, folder), 'utf8') !== text)
  expect(
    stale.map(([file]) => file),
    howTo,
  ).toEqual([])
})

it('every integration that a page shows can be deployed, and every provider that works is shown in one', () => {
  const faults = [...pages].flatMap(([file, text]) => {
    const [manifest] = /(?<=```yaml\n).*?(?=```)/s.exec(text) ?? []
    if (manifest === undefined) return /\*\*yes\*\*/.test(text) ? [`${file}: no integration`] : []
    const { findings } = validateManifest(manifest, { catalogue, strict: true, readIntervalLeastMs: 600_000 })
    return findings.map(({ message }) => `${file}: ${message}`)
  })
  expect(faults).toEqual([])
})

it('every request that a page shows is JSON, and says how to connect where something works', () => {
  for (const [file, text] of pages) {
    if (file === 'README.md') continue
    const bodies = [...text.matchAll(/ -d '(.*?)'$/gms)].map((match) => match[1]?.replaceAll("'\\''", "'") ?? '')
    for (const body of bodies) expect(JSON.parse(body), file).toMatchObject({ provider: file.replace('.md', '') })
    expect(bodies.length > 0, file).toBe(/\*\*yes\*\*/.test(text))
  }
})
