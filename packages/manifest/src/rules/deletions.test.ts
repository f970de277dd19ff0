import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../catalogue.ts'
import { validateManifest } from '../validate.ts'

const read = { read: true, write: false, subscribe: false, proxy: false }
const crm: CatalogueEntry = { name: 'crm', authType: 'apiKey', implemented: read, modules: {} }
const entries = new Map([
  ['crm', crm],
  ['reporting', { ...crm, name: 'reporting', reportsDeletions: ['contacts'] }],
  ['assumed', { ...crm, name: 'assumed', isAssumed: true }],
])

/** Rules that `deletions` of a read object breaks. */
function broken(deletions: unknown, provider = 'crm'): string[] {
  const object = { objectName: 'contacts', destination: 'hook', deletions }
  const integrations = [{ name: 'one', provider, read: { objects: [object] } }]
  const { findings } = validateManifest(JSON.stringify({ specVersion: '1.0.0', integrations }), {
    catalogue: { find: (name) => entries.get(name), suggest: () => 'crm' },
    readIntervalMinMs: 60_000,
  })
  return findings.map(({ level, rule }) => `${level} ${rule}`)
}

describe('deletions of a read object', () => {
  it.each([
    [{ schedule: '0 3 * * *' }, 'crm'],
    [{ enabled: 'always' }, 'reporting'],
    [{ enabled: 'always', schedule: '0 3 * * 0' }, 'reporting'],
    [{ enabled: 'always' }, 'assumed'],
    [{ schedule: '0 3 * * *' }, 'assumed'],
  ])('%j is valid', (deletions, provider) => {
    expect(broken(deletions, provider)).toEqual([])
  })

  it.each([
    [{}, ['error read-deletions-enabled']],
    [{ enabled: 'never' }, ['error read-deletions-enabled', 'error read-deletions-reported']],
    [{ enabled: 'always' }, ['error read-deletions-reported']],
    [{ schedule: '*/30 * * * *' }, ['error read-deletions-minimum-interval']],
    [{ schedule: 'nightly' }, ['error schedule-valid-cron']],
    [{ schedule: '0 0 31 2 *' }, ['error schedule-never-fires']],
  ])('%j is refused', (deletions, rules) => {
    expect(broken(deletions)).toEqual(rules)
  })

  it('a schedule for what the provider reports is advised against', () => {
    expect(broken({ schedule: '0 3 * * *' }, 'reporting')).toEqual(['advice read-deletions-schedule-reported'])
  })
})
