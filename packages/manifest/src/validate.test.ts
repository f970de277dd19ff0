import { describe, expect, it } from 'vitest'
import type { CapabilitySupport, CatalogueEntry } from './catalogue.ts'
import { type ValidateOptions, validateManifest } from './validate.ts'

const all: CapabilitySupport = { read: true, write: true, subscribe: true, proxy: true }
const entry: CatalogueEntry = { name: 'crm', authType: 'apiKey', implemented: all, modules: {} }
const entries = new Map<string, CatalogueEntry>([
  ['crm', entry],
  ['salesforce', { ...entry, name: 'salesforce', authType: 'oauth2' }],
  ['registers', { ...entry, authType: 'oauth2', needsNoApp: true }],
  [
    'suite',
    {
      ...entry,
      implemented: { ...all, write: false },
      modules: { sales: { implemented: { ...all, write: false }, undescribed: ['write'] } },
    },
  ],
  ['closed', { ...entry, objects: ['deals', 'notes'], onlyWritten: ['notes'] }],
])
const options: ValidateOptions = {
  catalogue: { find: (name) => entries.get(name), suggest: () => 'crm' },
  readIntervalMinMs: 60_000,
}
const validate = (text: string, more: Partial<ValidateOptions> = {}) => validateManifest(text, { ...options, ...more })

/** A manifest of one integration; `body` is its YAML after name and provider. */
const integration = (body: string, provider = 'crm') =>
  `specVersion: 1.0.0\nintegrations:\n  - name: one\n    provider: ${provider}\n${body}`
const readObject = (body = '', schedule = "'0 * * * *'") =>
  `    read:\n      objects:\n        - objectName: contacts\n          destination: hook\n          schedule: ${schedule}\n${body}`

const told = (text: string, more: Partial<ValidateOptions> = {}) =>
  validate(text, more).findings.map(({ level, rule, line }) => `${level} ${rule} ${line}`)

describe('a valid manifest', () => {
  it('comes back in our spelling, without unknown keys, nothing defaulted', () => {
    const text = integration(
      readObject('          RequiredFields:\n            - FIELDNAME: email\n              colour: red\n'),
    )
    expect(validate(text)).toMatchObject({ valid: true })
    expect(validate(text).manifest).toEqual({
      specVersion: '1.0.0',
      integrations: [
        {
          name: 'one',
          provider: 'crm',
          read: {
            objects: [
              {
                objectName: 'contacts',
                destination: 'hook',
                schedule: '0 * * * *',
                requiredFields: [{ fieldName: 'email' }],
              },
            ],
          },
        },
      ],
    })
  })

  it('has every key of the format in its place', () => {
    const text = integration(`    displayName: One
    module: sales
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: 0 * * * *
          mapToName: people
          mapToDisplayName: People
          requiredFields: [{fieldName: "$['a']['b']", mapToName: ab, mapToDisplayName: AB}]
          optionalFields: [{mapToName: phone, mapToDisplayName: Phone, default: tel, prompt: Which?}]
          optionalFieldsAuto: all
          backfill: {defaultPeriod: {days: 30}}
          delivery: {mode: onRequest, pageSize: 50}
    write:
      objects: [{objectName: contacts, inheritMapping: true, valueDefaults: {allowAnyFields: true}}]
    proxy: {enabled: true, useModule: true}
    subscribe:
      objects:
        - objectName: contacts
          destination: hook
          inheritFieldsAndMapping: true
          createEvent: {enabled: always}
          updateEvent: {enabled: always, requiredWatchFields: [email]}
          deleteEvent: {enabled: always}
          associationChangeEvent: {enabled: always, includeFullRecords: true}
          otherEvents: [merge]
    watchSchema:
      destination: hook
      schedule: 0 */6 * * *
      allObjects: {fieldCreated: {enabled: always}, fieldDeleted: {enabled: always}, fieldChanged: {enabled: always}}
`).replace('provider: crm', 'provider: suite')
    const { manifest, findings } = validate(text, { strict: true })
    expect(findings.map(({ rule }) => rule)).toEqual(['capability-not-implemented'])
    expect(manifest?.integrations).toEqual([
      {
        name: 'one',
        provider: 'suite',
        displayName: 'One',
        module: 'sales',
        read: {
          objects: [
            {
              objectName: 'contacts',
              destination: 'hook',
              schedule: '0 * * * *',
              mapToName: 'people',
              mapToDisplayName: 'People',
              requiredFields: [{ fieldName: "$['a']['b']", mapToName: 'ab', mapToDisplayName: 'AB' }],
              optionalFields: [{ mapToName: 'phone', mapToDisplayName: 'Phone', default: 'tel', prompt: 'Which?' }],
              optionalFieldsAuto: 'all',
              backfill: { defaultPeriod: { days: 30 } },
              delivery: { mode: 'onRequest', pageSize: 50 },
            },
          ],
        },
        write: { objects: [{ objectName: 'contacts', inheritMapping: true, valueDefaults: { allowAnyFields: true } }] },
        proxy: { enabled: true, useModule: true },
        subscribe: {
          objects: [
            {
              objectName: 'contacts',
              destination: 'hook',
              inheritFieldsAndMapping: true,
              createEvent: { enabled: 'always' },
              updateEvent: { enabled: 'always', requiredWatchFields: ['email'] },
              deleteEvent: { enabled: 'always' },
              associationChangeEvent: { enabled: 'always', includeFullRecords: true },
              otherEvents: ['merge'],
            },
          ],
        },
        watchSchema: {
          destination: 'hook',
          schedule: '0 */6 * * *',
          allObjects: {
            fieldCreated: { enabled: 'always' },
            fieldDeleted: { enabled: 'always' },
            fieldChanged: { enabled: 'always' },
          },
        },
      },
    ])
  })
})

describe('every finding tells what, where and what to do', () => {
  it('all errors are told at once, in the order of the text', () => {
    const text = `specVersion: 2.0.0
integrations:
  - provider: crn
    read:
      objects:
        - destination: hook
          schedule: 61 * * * *
          enabled: Always
          delivery: {pageSize: 501, mode: onRequest}
          backfill: {defaultPeriod: {days: -1}}
`
    expect(told(text)).toEqual([
      'error spec-version 1',
      'error integration-name-required 3',
      'error provider-not-supported 3',
      'error read-object-name-required 6',
      'error schedule-valid-cron 7',
      'error read-enabled-value 8',
      'error delivery-onrequest-pagesize-range 9',
      'error backfill-struct-valid 10',
    ])
    for (const finding of validate(text).findings) {
      expect(finding.path).toMatch(/^\$\./)
      expect(finding.column).toBeGreaterThan(0)
      expect(finding.message).toMatch(/^.+\.$/)
      expect(finding.suggestion).toBeTruthy()
    }
    expect(validate(text).findings[2]).toMatchObject({ suggestion: 'Did you mean "crm"?', value: 'crn' })
    expect(validate(text).findings[5]?.suggestion).toBe('Did you mean `always`?')
  })

  it('a number where text is due tells that quotes are missing', () => {
    const [finding] = validate('specVersion: 1.0\nintegrations: []').findings
    expect(finding).toMatchObject({ rule: 'wrong-type', path: '$.specVersion', line: 1, column: 14, value: 1 })
    expect(finding?.suggestion).toContain('quotes')
  })

  it('at most 100 are listed, errors first, and the total is told', () => {
    const unknown = Array.from({ length: 80 }, (_, i) => `k${i}: 1`).join('\n')
    const wrong = Array.from({ length: 60 }, () => '  - 1').join('\n')
    const { findings } = validate(`${unknown}\nspecVersion: 1.0.0\nintegrations:\n${wrong}`)
    expect(findings).toHaveLength(100)
    expect(findings.filter(({ level }) => level === 'error')).toHaveLength(60)
    expect(findings.at(-1)).toMatchObject({ rule: 'findings-truncated' })
    expect(findings.at(-1)?.message).toContain('140 findings (60 errors, 80 advice)')
  })

  it('a long value is cut', () => {
    const [finding] = validate(`specVersion: ${'x'.repeat(10_000)}\nintegrations: []`).findings
    expect(String(finding?.value)).toHaveLength(200)
    expect(finding?.message.length).toBeLessThan(200)
  })
})

describe('levels', () => {
  const frequent = integration(readObject('', "'*/5 * * * *'"))

  it('the least read interval is the setting, strict makes it an error', () => {
    expect(told(frequent)).toEqual(['advice frequent-schedule-risk 9'])
    expect(told(frequent, { readIntervalMinMs: 600_000 })).toEqual(['advice schedule-minimum-interval 9'])
    expect(told(frequent, { readIntervalMinMs: 600_000, strict: true })).toEqual(['error schedule-minimum-interval 9'])
    expect(told(integration(readObject('', "'* * * * *'")), { strict: true })).toEqual([
      'advice frequent-schedule-risk 9',
    ])
  })

  it('a read object needs no schedule, whatever else reads it, strict or not', () => {
    const object = 'objectName: contacts, destination: hook'
    for (const more of [
      '',
      ', backfill: {defaultPeriod: {days: 30}}',
      ', delivery: {mode: onRequest, pageSize: 100}',
    ]) {
      const text = integration(`    read: {objects: [{${object}${more}}]}\n`)
      expect(told(text)).toEqual([])
      expect(told(text, { strict: true })).toEqual([])
      expect(validate(text).manifest?.integrations[0]?.read?.objects[0]).not.toHaveProperty('schedule')
    }
  })

  it('a schedule that never fires is an error always', () => {
    expect(told(integration(readObject('', "'30 2 31 2 *'")))).toEqual(['error schedule-never-fires 9'])
  })

  it('other versions of 1.x are advice', () => {
    const text = integration(readObject()).replace('1.0.0', '1.4.2')
    expect(told(text)).toEqual(['advice spec-version-known 1'])
    expect(told(text, { strict: true })).toEqual(['error spec-version-known 1'])
    expect(told(text.replace('1.4.2', "'1'"))).toEqual(['error spec-version 1'])
  })

  it('destinations are checked where they are known', () => {
    expect(told(integration(readObject()))).toEqual([])
    expect(told(integration(readObject()), { destinations: new Set(['hook']) })).toEqual([])
    expect(told(integration(readObject()), { destinations: new Set() })).toEqual(['advice destination-not-found 8'])
    expect(told(integration(readObject()), { destinations: new Set(), strict: true })).toEqual([
      'error destination-not-found 8',
    ])
  })

  it('what the provider lacks is refused under strict, what this release lacks never', () => {
    const write = '    write: {objects: [{objectName: a}]}\n'
    expect(told(integration(write, 'suite'), { strict: true })).toEqual(['error provider-write-support 5'])
    const inModule = integration(`    module: sales\n${write}`, 'suite')
    expect(told(inModule, { strict: true })).toEqual(['advice capability-not-implemented 6'])
    expect(told(integration(`    module: crm\n${write}`, 'suite'), { strict: true })).toEqual([
      'error provider-module 5',
    ])
  })

  it('a missing provider app and an unknown object are advice, strict or not', () => {
    const oauth = integration(readObject(), 'salesforce')
    expect(told(oauth, { providerApps: new Set(), strict: true })).toEqual(['advice provider-app-not-configured 4'])
    expect(told(oauth, { providerApps: new Set(['salesforce']) })).toEqual([])
    expect(told(integration(readObject(), 'registers'), { providerApps: new Set(), strict: true })).toEqual([])
    expect(told(integration(readObject(), 'closed'), { strict: true })).toEqual(['advice object-exists 7'])
  })

  it('an object that can only be written is not read, and may be moved to `write`', () => {
    const read = integration(readObject().replace('objectName: contacts', 'objectName: notes'), 'closed')
    expect(validate(read).findings).toMatchObject([
      {
        rule: 'object-readable',
        level: 'advice',
        message: 'The object "notes" of closed can be written but not read.',
        suggestion: 'Move it to `write`, or remove it.',
      },
    ])
    const write = '    write: {objects: [{objectName: notes}]}\n'
    expect(told(integration(write, 'closed'))).toEqual([])
  })

  it('names: unique, without / and control characters; the narrow pattern is advice', () => {
    const named = (name: string) => told(integration(readObject()).replace('name: one', `name: ${name}`))
    expect(named('a b')).toEqual(['advice integration-name-pattern 3'])
    expect(named('x'.repeat(128))).toEqual(['advice integration-name-pattern 3'])
    expect(named('x'.repeat(129))).toEqual(['error integration-name-characters 3'])
    expect(named('a/b')).toEqual(['error integration-name-characters 3'])
    expect(named('"a\\tb"')).toEqual(['error integration-name-characters 3'])
    const twice = integration('    proxy: {enabled: true}\n  - {name: one, provider: crm, proxy: {enabled: true}}\n')
    expect(told(twice)).toEqual(['error duplicate-integration 6'])
  })

  it('a name that is a prototype is refused', () => {
    const text = integration(
      readObject('          requiredFields: [{fieldName: __proto__}, {fieldName: "$[\'__proto__\']"}]\n'),
    )
    expect(told(text)).toEqual(['error yaml-forbidden-key 10', 'error yaml-forbidden-key 10'])
  })

  it('updates without watched fields, both periods and nothing to do are advice', () => {
    const subscribe = `    subscribe:
      objects:
        - objectName: contacts
          destination: hook
          updateEvent: {enabled: always}
`
    expect(told(integration(subscribe))).toEqual([
      'advice subscribe-requires-read 5',
      'advice subscribe-inherit-fields-required 7',
      'advice update-event-watch-fields-required 9',
    ])
    expect(
      told(integration(readObject('          backfill: {defaultPeriod: {days: 1, fullHistory: false}}\n'))),
    ).toEqual(['advice backfill-exclusive 10'])
    expect(told(integration('    displayName: One\n'))).toEqual(['advice integration-action-required 3'])
  })
})

describe('keys', () => {
  it('an unknown key is told once, with the one that was meant, and not looked into', () => {
    const text = integration(readObject('          requiredField:\n            - {a: {b: 1}}\n'))
    const { findings, valid } = validate(text, { strict: true })
    expect(valid).toBe(true)
    expect(findings).toMatchObject([
      {
        level: 'advice',
        rule: 'unknown-key',
        path: '$.integrations[0].read.objects[0].requiredField',
        line: 10,
        suggestion: 'Did you mean requiredFields?',
      },
    ])
  })

  it('the same key in two spellings is refused', () => {
    expect(told(integration(readObject()).replace('    provider', '    Name: two\n    provider'))).toEqual([
      'error yaml-duplicate-key 4',
    ])
  })

  it('a required key without a value, or blank, is missing, and told once', () => {
    for (const blank of ['', ' ""', ' "  "', ' null']) {
      expect(
        told(
          `specVersion:${blank}\nintegrations:\n  - name:${blank}\n    provider:${blank}\n    proxy: {enabled: true}`,
        ),
      ).toEqual(['error spec-version 1', 'error integration-name-required 3', 'error integration-provider-required 4'])
    }
    expect(told(integration(readObject('          requiredFields: [{fieldName: ""}, {mapToName: }]\n')))).toContain(
      'error field-existent-name-required 10',
    )
  })

  it('a key without a value counts as absent, and is told', () => {
    expect(told(integration(`${readObject()}    write:\n`))).toEqual(['advice empty-value 10'])
  })
})

describe('comments silence advice', () => {
  const full = (directive: string, where: 'above' | 'beside') =>
    integration(
      where === 'above'
        ? readObject(`          ${directive}\n          backfill:\n            defaultPeriod: {fullHistory: true}\n`)
        : readObject(`          backfill:\n            defaultPeriod: {fullHistory: true} ${directive}\n`),
    )

  it.each([
    '# mortise:ignore',
    '# amp:ignore',
    '#amp:ignore[large-backfill-risk]',
    '# mortise:ignore[x, large-backfill-risk]',
  ])('%s', (directive) => {
    expect(told(full(directive, 'above'))).toEqual([])
    expect(told(full(directive, 'beside'))).toEqual([])
  })

  it.each(['# mortise:ignored', '# mortise:ignore[unknown-key]', '# please amp:ignore'])('%s does not', (directive) => {
    expect(told(full(directive, 'above'))).toEqual(['advice large-backfill-risk 12'])
  })

  it('covers what is nested, not what follows', () => {
    const text = `# mortise:ignore\n${integration('    a: 1\n')}other: 1\n`
    expect(told(text)).toEqual(['advice integration-action-required 4', 'advice unknown-key 6', 'advice unknown-key 7'])
    const nested = integration(
      '    proxy:\n      enabled: true\n      b: 1\n  - name: two\n    provider: crm\n    c: 1\n    proxy: {enabled: true}\n',
    )
    const lines = nested.split('\n')
    lines.splice(2, 0, '  # mortise:ignore')
    expect(told(lines.join('\n'))).toEqual(['advice unknown-key 11'])
  })

  it('never silences what strict refuses', () => {
    const text = `# mortise:ignore\n${integration('    write: {objects: []} # mortise:ignore\n')}`
    expect(told(text)).toEqual(['advice write-objects-required 6'])
    expect(told(text, { strict: true })).toEqual(['error write-objects-required 6'])
  })
})
