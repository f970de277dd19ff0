import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateManifest } from '../validate.ts'
import { hostileYaml } from './hostile-yaml.testkit.ts'

const options = { catalogue: { find: () => undefined }, readIntervalMinMs: 60_000 }

describe('a hostile text is answered with an error that tells where', () => {
  for (const [name, [text, rule]] of Object.entries(hostileYaml)) {
    it(name, () => {
      const { findings, manifest } = validateManifest(text, options)
      expect(manifest).toBeUndefined()
      const found = findings.find((finding) => finding.rule === rule)
      expect(found, JSON.stringify(findings.slice(0, 3))).toMatchObject({ level: 'error' })
      expect(found!.line).toBeGreaterThan(0)
      expect(found!.column).toBeGreaterThan(0)
      expect(found!.suggestion).toBeTruthy()
      expect(findings.length).toBeLessThanOrEqual(100)
      expect(JSON.stringify(findings).length).toBeLessThan(100_000)
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    })
  }
})

describe('an unusual text is still read', () => {
  const errors = (text: string) =>
    validateManifest(text, options)
      .findings.filter(({ level }) => level === 'error')
      .map(({ rule }) => rule)

  it('a byte order mark is no part of the text', () => {
    expect(errors('\uFEFFspecVersion: 1.0.0\nintegrations: []')).toEqual(['integration-structure'])
  })

  it('an empty text is an empty manifest', () => {
    for (const text of ['', ' \n', '# nothing', 'null', '---\n...\n']) {
      expect(errors(text)).toEqual(['spec-version', 'integration-structure'])
    }
  })

  it('an alias stands for its value, and findings in it for both places', () => {
    const text = [
      'specVersion: 1.0.0',
      'integrations:',
      '  - {name: a, provider: none, read: &read {objects: []}}',
      '  - {name: b, provider: none, read: *read}',
    ].join('\n')
    const found = validateManifest(text, options).findings.filter(({ rule }) => rule === 'read-objects-required')
    expect(found.map(({ path }) => path)).toEqual(['$.integrations[0].read.objects', '$.integrations[1].read.objects'])
  })

  it('brackets in quotes, comments and block text are no nesting', () => {
    expect(errors(`# ${'['.repeat(200)}\nspecVersion: "${'['.repeat(200)}"\nintegrations: 1`)).toEqual([
      'spec-version',
      'wrong-type',
    ])
  })
})

it('any text has an answer', () => {
  const words = [
    ...[
      'specVersion',
      'integrations',
      'name',
      'read',
      'objects',
      'objectName',
      'requiredFields',
      'schedule',
      'backfill',
    ],
    ...[
      'defaultPeriod',
      'subscribe',
      'updateEvent',
      'watchSchema',
      'allObjects',
      'proxy',
      'enabled',
      'always',
      '* * * * *',
    ],
    ...[
      ': ',
      ':\n',
      '\n',
      '\n  ',
      '\n    ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      "'",
      '#',
      '&a ',
      '*a',
      '|',
      '? ',
      '!t ',
      '---\n',
    ],
    ...['1', 'true', 'null', '<<', '# amp:ignore\n', '\t', '\r', '\uFEFF', '\u2028', '\\x00'],
  ]
  const text = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, fc.boolean(), (source, strict) => {
      const { valid, manifest, findings } = validateManifest(source, { ...options, strict })
      expect(valid).toBe(manifest !== undefined)
      expect(findings.some(({ level }) => level === 'error')).toBe(!valid)
    }),
    { numRuns: 500 },
  )
})
