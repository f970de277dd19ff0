import { describe, expect, it } from 'vitest'
import { type Finding, validateManifest } from './index.ts'
import { type SharedCase, sharedManifests } from './shared-manifests.testkit.ts'

const shared = sharedManifests()

/** Invalid in a way that is known only for providers that exist, and this one does not. */
const OTHER_FINDING: Record<string, { rule: string; path: string }> = {
  'testdata/invalid/provider-no-subscribe-support': {
    rule: 'provider-not-supported',
    path: '$.integrations[0].provider',
  },
}

/** Cases that break the strict rule that they are about, and one that is always valid. */
const ALSO_BROKEN: Record<string, string> = {
  'testdata/invalid/google-calendar-full-history': 'integration-name-required',
  'testdata/invalid/provider-no-subscribe-support': 'provider-not-supported',
  'testdata/invalid/subscribe-nested-watch-fields': 'integration-name-required',
  'derived/invalid/google-calendar-full-history': 'provider-not-supported',
}

function validate(example: SharedCase, strict: boolean) {
  const { catalogue, read } = shared!
  return validateManifest(read(example.file), { catalogue, strict, readIntervalMinMs: 600_000 })
}

const errors = (findings: Finding[]) => findings.filter(({ level }) => level === 'error')

/** Their index leaves open whether a read object needs a schedule; here it does not. */
const NO_SCHEDULE = (shared?.cases ?? []).filter(({ note }) => note?.includes('has no schedule'))

describe.skipIf(shared === undefined)('the shared manifests with a read object that has no schedule', () => {
  it.each(NO_SCHEDULE)('$id deploys', (example) => {
    const { valid, findings } = validate(example, false)
    expect(errors(findings)).toEqual([])
    expect(valid).toBe(true)
  })

  it('are there', () => {
    expect(NO_SCHEDULE.map(({ id }) => id)).toContain('samples/salesforce')
  })
})

describe.skipIf(shared === undefined)('the shared manifests behave as their index says', () => {
  for (const example of shared?.cases ?? []) {
    const { id, valid, scored, rule, level, path, line } = example
    if (!scored) {
      it(`${id}: has an answer`, () => {
        for (const strict of [true, false]) expect(validate(example, strict).findings).toBeInstanceOf(Array)
      })
    } else if (valid) {
      it(`${id}: deploys, strict or not`, () => {
        for (const strict of [true, false]) {
          const { findings, manifest } = validate(example, strict)
          expect(errors(findings)).toEqual([])
          expect(manifest?.integrations.length).toBeGreaterThan(0)
        }
      })
      if (rule === 'large-backfill-risk' || rule === 'unknown-key') {
        it(`${id}: is advised of ${rule}`, () => {
          expect(validate(example, true).findings).toContainEqual(expect.objectContaining({ rule, level: 'advice' }))
        })
      }
    } else {
      it(`${id}: ${rule} at ${path}`, () => {
        const expected = OTHER_FINDING[id] ?? { rule, path }
        const find = (findings: Finding[]) =>
          findings.find((finding) => finding.rule === expected.rule && finding.path === expected.path)

        const strict = validate(example, true)
        expect(strict).toMatchObject({ valid: false, manifest: undefined })
        expect(find(strict.findings), JSON.stringify(strict.findings, null, 1)).toMatchObject({ level: 'error' })
        if (line?.exact && !OTHER_FINDING[id]) expect([line.key, line.value]).toContain(find(strict.findings)?.line)

        const lenient = validate(example, false)
        const also = ALSO_BROKEN[id]
        if (also !== undefined) expect(errors(lenient.findings).map((finding) => finding.rule)).toContain(also)
        expect(lenient.valid).toBe(level === 'strict' && also === undefined)
      })
    }
  }
})
