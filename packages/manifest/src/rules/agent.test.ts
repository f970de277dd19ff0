import { describe, expect, it } from 'vitest'
import { validateManifest } from '../validate.ts'

const all = { read: true, write: true, subscribe: true, proxy: true }
const crm = { name: 'crm', authType: 'apiKey', implemented: all, modules: {} }

function validate(agent: unknown) {
  const integration = {
    name: 'one',
    provider: 'crm',
    read: { objects: [{ objectName: 'contacts', destination: 'hook' }] },
    write: { objects: [{ objectName: 'contacts' }] },
    agent,
  }
  return validateManifest(JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }), {
    catalogue: { find: () => crm },
    strict: true,
    readIntervalMinMs: 60_000,
  })
}
const rulesOf = (agent: unknown) => validate(agent).findings.map(({ level, rule }) => `${level} ${rule}`)
const contacts = (rules: object = {}) => ({ objects: [{ objectName: 'contacts', actions: ['search'], ...rules }] })

describe('agent of an integration', () => {
  it('is kept with all its rules', () => {
    const agent = {
      objects: [
        {
          objectName: 'contacts',
          actions: ['search', 'get', 'list', 'create', 'update', 'delete'],
          description: 'People.',
          hiddenFields: ['salary'],
          maskedFields: ['phone'],
          readOnlyFields: ['email'],
          filters: [{ fieldName: 'owner', value: '{{consumer}}' }],
          confirm: { update: 'user', delete: 'approval' },
          dryRun: false,
        },
      ],
      limits: { callsPerMinute: 10, recordsPerCall: 5, resultBytes: 4000 },
      approvalHours: 2,
      dryRun: true,
    }
    const { manifest, findings } = validate(agent)
    expect(findings).toEqual([])
    expect(manifest?.integrations[0]?.agent).toEqual(agent)
  })

  it.each([
    ['no objects', {}, ['agent-objects-required']],
    ['an empty list of objects', { objects: [] }, ['agent-objects-required']],
    ['an object without a name', { objects: [{ actions: ['get'] }] }, ['agent-object-name-required']],
    ['an object twice', { objects: [...contacts().objects, ...contacts().objects] }, ['duplicate-agent-object']],
    ['no actions', contacts({ actions: [] }), ['agent-actions-required']],
    ['an unknown action', contacts({ actions: ['read'] }), ['agent-action-enum']],
    [
      'an object that is not declared',
      { objects: [{ objectName: 'deals', actions: ['get', 'create'] }] },
      ['agent-action-declared', 'agent-action-declared'],
    ],
    ['a misspelled rule', contacts({ hiddenField: ['salary'] }), ['agent-unknown-key']],
    ['a misspelled limit', { ...contacts(), limits: { callsPerHour: 1 } }, ['agent-unknown-key']],
    ['an empty list of fields', contacts({ hiddenFields: [] }), ['agent-rule-empty']],
    ['an unknown placeholder', contacts({ filters: [{ fieldName: 'a', value: '{{user}}' }] }), ['agent-filter-value']],
    ['a filter without a value', contacts({ filters: [{ fieldName: 'a' }] }), ['agent-filter-value']],
    ['a filter without a field', contacts({ filters: [{ value: 'a' }] }), ['agent-filter-field-required']],
    ['an unknown way to confirm', contacts({ confirm: { create: 'maybe' } }), ['agent-confirm-value']],
    ['a confirmed action that is not listed', contacts({ confirm: { delete: 'approval' } }), ['agent-confirm-value']],
    ['a limit out of range', { ...contacts(), limits: { callsPerMinute: 0 } }, ['agent-limit-range']],
    ['a prototype key', contacts({ hiddenFields: ['__proto__'] }), ['agent-rule-empty', 'yaml-forbidden-key']],
  ])('is refused with %s', (_, agent, rules) => {
    const found = rulesOf(agent)
    expect(found).toEqual(rules.map((rule) => `error ${rule}`))
  })
})

describe('providerTools of an agent', () => {
  const digest = `sha256:${'0a'.repeat(32)}`
  const tool = { toolName: 'add_note', digest }
  const validateTools = (providerTools: unknown, entry: object = { ...crm, mcp: {} }) =>
    validateManifest(
      JSON.stringify({
        specVersion: '1.0.0',
        integrations: [{ name: 'one', provider: 'crm', agent: { providerTools } }],
      }),
      { catalogue: { find: () => entry as typeof crm }, strict: true, readIntervalMinMs: 60_000 },
    )

  it('are kept with all their rules, in an integration that does nothing else', () => {
    const complete = {
      ...tool,
      description: 'Adds a note.',
      readOnly: false,
      arguments: [
        { argumentName: 'owner', value: '{{group}}' },
        { argumentName: 'color', values: ['green'] },
        { argumentName: 'force', hidden: true },
      ],
      hiddenFields: ['secret'],
      maskedFields: ['phone'],
      confirm: 'user',
      dryRun: true,
    }
    const { manifest, findings } = validateTools([complete])
    expect(findings).toEqual([])
    expect(manifest?.integrations[0]?.agent).toEqual({ objects: [], providerTools: [complete] })
  })

  it.each<[string, unknown, string[]]>([
    ['none', [], ['agent-rule-empty']],
    ['no name', [{ digest }], ['agent-provider-tool-name']],
    ['a name twice', [tool, tool], ['duplicate-agent-provider-tool']],
    ['no digest', [{ toolName: 'a' }], ['agent-provider-tool-digest']],
    ['a digest of another form', [{ ...tool, digest: 'md5:1' }], ['agent-provider-tool-digest']],
    ['a misspelled key', [{ ...tool, hiddenField: ['a'] }], ['agent-unknown-key']],
    ['no rules of arguments', [{ ...tool, arguments: [] }], ['agent-rule-empty']],
    ['a rule that says nothing', [{ ...tool, arguments: [{ argumentName: 'a' }] }], ['agent-provider-tool-argument']],
    [
      'a rule that says two things',
      [{ ...tool, arguments: [{ argumentName: 'a', value: 'b', hidden: true }] }],
      ['agent-provider-tool-argument'],
    ],
    [
      'an unknown placeholder',
      [{ ...tool, arguments: [{ argumentName: 'a', value: '{{user}}' }] }],
      ['agent-provider-tool-argument'],
    ],
    [
      'two rules for an argument',
      [
        {
          ...tool,
          arguments: [
            { argumentName: 'a', hidden: true },
            { argumentName: 'a', values: ['b'] },
          ],
        },
      ],
      ['agent-provider-tool-argument'],
    ],
    ['another confirmation', [{ ...tool, confirm: 'mail' }], ['agent-confirm-value']],
  ])('are refused with %s', (_, tools, rules) => {
    expect(validateTools(tools).findings.map(({ level, rule }) => `${level} ${rule}`)).toEqual(
      rules.map((rule) => `error ${rule}`),
    )
  })

  it('are refused for a provider without an MCP server', () => {
    expect(validateTools([tool], crm).findings.map(({ rule }) => rule)).toEqual(['agent-provider-tools-support'])
  })
})
