import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RULES, validateManifest } from './index.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/manifest.md'), 'utf8')

describe('docs/manifest.md', () => {
  it('lists every rule as it is, in the same order, and no other', () => {
    const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (error|strict|advice) \| (.+) \|$/gm)].map((row) => row.slice(1))
    expect(rows).toEqual(Object.entries(RULES).map(([id, { level, sentence }]) => [id, level, sentence]))
  })

  it('begins with an example that is valid, without any finding', () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    const all = { read: true, write: true, subscribe: true, proxy: true }
    const entry = { name: 'hubspot', authType: 'oauth2', implemented: all, modules: {} }
    const catalogue = { find: (name: string) => (name === 'hubspot' ? entry : undefined) }
    const result = validateManifest(example, { catalogue, strict: true, readIntervalMinMs: 600_000 })
    expect(result.findings).toEqual([])
    expect(result.manifest?.integrations).toHaveLength(1)
  })

  it('has no rule that nothing reports', () => {
    const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.test|\.testkit|rule-table)\.ts$/.test(file))
      .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    const built = ['read', 'write', 'subscribe', 'proxy'].map((action) => `provider-${action}-support`)
    const isReported = (id: string) => built.includes(id) || sources.some((text) => text.includes(`'${id}'`))
    expect(Object.keys(RULES).filter((id) => !isReported(id))).toEqual([])
  })
})
