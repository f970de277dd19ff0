import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { listChanges, validateManifest } from '../index.ts'

const all = { read: true, write: true, subscribe: true, proxy: true }
const crm = { name: 'crm', authType: 'apiKey', implemented: all, modules: {} }

function validate(agent: unknown, more: object = {}) {
  const integration = {
    name: 'one',
    provider: 'crm',
    read: { objects: [{ objectName: 'contacts', destination: 'hook', mapToName: 'people' }] },
    agent,
    ...more,
  }
  return validateManifest(stringify({ specVersion: '1.0.0', integrations: [integration] }), {
    catalogue: { find: () => crm },
    strict: true,
    readIntervalMinMs: 60_000,
  })
}

const merge = (more: object = {}) => ({
  name: 'merge_companies',
  description: 'Merges two companies.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 1 },
      into: { type: 'object', properties: { id: { type: 'integer' } } },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      note: { type: 'string' },
    },
    required: ['id'],
  },
  request: {
    method: 'POST',
    path: '/companies/{{arguments.id}}/merge',
    query: { for: '{{consumer}}', tag: ['{{arguments.tags}}', 1], full: true },
    headers: { 'X-Reason': '{{arguments.note}}' },
    body: { into: '{{arguments.into.id}}', tags: { $value: 'arguments.tags' }, all: { $value: 'arguments' } },
  },
  ...more,
})
const withRequest = (request: object) => merge({ request: { ...merge().request, ...request } })
const reading = (more: object) => ({ name: 'me', description: 'Me.', request: { path: '/me' }, ...more })

const rulesOf = (...tools: object[]) => validate({ tools }).findings.map(({ level, rule }) => `${level} ${rule}`)

describe('tools of the builder', () => {
  it('are kept with all that they declare, and need no objects', () => {
    const tool = merge({
      result: { path: 'data.company', fields: ['id', 'name'], hiddenFields: ['salary'], maskedFields: ['phone'] },
      readOnly: false,
      confirm: 'user',
      dryRun: true,
    })
    const { manifest, findings } = validate({ tools: [tool, reading({})] })
    expect(findings).toEqual([])
    expect(manifest?.integrations[0]?.agent).toEqual({ objects: [], tools: [tool, reading({})] })
  })

  it('are enough for an integration that does nothing else', () => {
    expect(validate({ tools: [reading({})] }, { read: undefined }).findings).toEqual([])
    expect(validate(undefined, { read: undefined, agent: undefined }).findings).toMatchObject([
      { rule: 'integration-action-required' },
    ])
  })

  it.each<[string, object[], string[]]>([
    ['no tools', [], ['agent-tools-number']],
    ['too many tools', Array.from({ length: 101 }, (_, i) => reading({ name: `t${i}` })), ['agent-tools-number']],
    ['a misspelled key', [reading({ confirms: 'approval' })], ['agent-unknown-key']],
    ['a misspelled key of the request', [withRequest({ headres: {} })], ['agent-unknown-key']],
    ['a base of its own', [withRequest({ base: 'https://evil.example' })], ['agent-unknown-key']],
    ['a misspelled key of the result', [reading({ result: { hidden: ['a'] } })], ['agent-unknown-key']],
    ['no name', [reading({ name: '' })], ['agent-tool-name']],
    ['a name that models refuse', [reading({ name: 'my tool' })], ['agent-tool-name']],
    ['a name that is too long', [reading({ name: 'a'.repeat(65) })], ['agent-tool-name']],
    ['a name twice', [reading({}), reading({})], ['agent-tool-name-taken']],
    ['a name of Mortise', [reading({ name: 'call_tool' })], ['agent-tool-name-taken']],
    ['no description', [reading({ description: undefined })], ['agent-tool-description']],
    ['a long description', [reading({ description: 'a'.repeat(1001) })], ['agent-tool-description']],
    ['no request', [reading({ request: undefined })], ['agent-tool-request']],
    ['no path', [reading({ request: {} })], ['agent-tool-request']],
    ['an unknown method', [withRequest({ method: 'TRACE' })], ['agent-tool-request']],
    ['a body of a GET', [reading({ request: { path: '/me', body: {} } })], ['agent-tool-request']],
    ['an encoding that is none', [withRequest({ encoding: 'xml' })], ['agent-tool-request']],
    ['an object as a parameter', [withRequest({ query: { a: { b: 1 } } })], ['agent-tool-request']],
    ['a list as parameters', [withRequest({ query: ['a'] })], ['agent-tool-request']],
    ['a number as a header', [withRequest({ headers: { a: 1 } })], ['agent-tool-request']],
    ['an unknown method to confirm', [merge({ confirm: 'maybe' })], ['agent-confirm-value']],
    ['an empty list of fields', [reading({ result: { fields: [] } })], ['agent-rule-empty']],
    ['JSONPath', [reading({ result: { path: '$.data[*]' } })], ['agent-tool-result']],
    [
      'readOnly on a DELETE',
      [withRequest({ method: 'DELETE' })].map((t) => ({ ...t, readOnly: true })),
      ['agent-tool-read-only'],
    ],
    ['an approval of a read', [reading({ confirm: 'approval' })], ['agent-tool-read-only']],
    ['a confirmation of a read', [reading({ confirm: 'user' })], ['agent-tool-read-only']],
    ['a dry run of a read', [reading({ dryRun: true })], ['agent-tool-read-only']],
  ])('are refused with %s', (_, tools, rules) => {
    expect(rulesOf(...tools)).toEqual(rules.map((rule) => `error ${rule}`))
  })

  it.each([
    ['companies'],
    ['//evil.example/'],
    ['/\\evil.example'],
    ['/a b'],
    ['/a?b={{arguments.id}}'],
    ['/a#b'],
    ['/../admin'],
    ['/a/%2e%2E/b'],
    ['/a%2f..%2Fb'],
    ['/ä'],
  ])('have no path %s', (path) => {
    expect(rulesOf(withRequest({ path }))).toEqual(['error agent-tool-request'])
  })

  it.each<[string, object]>([
    ['an unknown variable', { query: { a: '{{arguments.nane}}' } }],
    ['a variable of provider files', { query: { a: '{{workspace}}' } }],
    ['a variable without its prefix', { query: { a: '{{id}}' } }],
    ['an unknown part of an argument', { body: { a: '{{arguments.into.name}}' } }],
    ['an inherited property', { body: { a: '{{arguments.constructor}}' } }],
    ['an unknown value', { body: { a: { $value: 'arguments.nane' } } }],
    ['an unknown list', { body: { a: { $each: 'arguments.nane', $item: '{{item}}' } } }],
    ['an unknown condition', { body: { a: { $when: 'arguments.nane', b: 1 } } }],
    ['a value that is no name', { body: { a: { $value: 1 } } }],
    ['a broken template', { body: { a: '{{arguments.id' } }],
    ['an unknown filter', { body: { a: '{{arguments.id|upper}}' } }],
    ['a variable in a key', { body: { '{{nobody}}': 1 } }],
    ['an optional argument in the path', { path: '/a/{{arguments.note}}' }],
    ['a list in the path', { path: '/a/{{arguments.tags}}' }],
    ['several segments in the path', { path: '/a/{{arguments.id|path}}' }],
  ])('are refused with %s', (_, request) => {
    expect(rulesOf(withRequest(request))).toEqual(['error agent-tool-template'])
  })

  it('may use all arguments, and the item of a list', () => {
    const body = {
      all: { $spread: 'arguments', more: 1 },
      tags: { $each: 'arguments.tags', $item: { tag: '{{item}}' } },
    }
    expect(rulesOf(withRequest({ body }))).toEqual([])
  })

  it.each([
    'Authorization',
    'cookie',
    'Host',
    'Content-Length',
    'Content-Type',
    'Transfer-Encoding',
    'Connection',
    'X-HTTP-Method-Override',
    'X-Forwarded-For',
    'Accept-Encoding',
    'Range',
    'no name',
    'X-A: b',
  ])('cannot send the header %s', (name) => {
    expect(rulesOf(withRequest({ headers: { [name]: 'x' } }))).toEqual(['error agent-tool-header'])
  })

  it.each<[string, unknown]>([
    ['a list', []],
    ['a text', 'string'],
    ['a schema of a text', { type: 'string' }],
    ['no type', { properties: {} }],
    ['an unknown type', { type: 'object', properties: { id: { type: 'text' } } }],
    ['several types', { type: 'object', properties: { id: { type: ['string', 'integer'] } } }],
    ['several types and null', { type: 'object', properties: { id: { type: ['string', 'integer', 'null'] } } }],
    ['only null', { type: 'object', properties: { id: { type: ['null'] } } }],
    ['the type null', { type: 'object', properties: { id: { type: 'null' } } }],
    ['arguments that are null', { type: ['object', 'null'], properties: {} }],
    ['choices without null', { type: 'object', properties: { id: { type: ['string', 'null'], enum: ['a'] } } }],
    ['choices with null', { type: 'object', properties: { id: { type: 'string', enum: ['a', null] } } }],
    ['a pattern, which is not checked', { type: 'object', properties: { id: { type: 'string', pattern: '^a' } } }],
    ['a limit of another type', { type: 'object', properties: { id: { type: 'string', maximum: 1 } } }],
    ['a limit that is no number', { type: 'object', properties: { id: { type: 'string', maxLength: '1' } } }],
    ['other properties', { type: 'object', properties: {}, additionalProperties: true }],
    ['a required property that is none', { type: 'object', properties: {}, required: ['a'] }],
    ['choices that are numbers', { type: 'object', properties: { id: { type: 'string', enum: [1] } } }],
    ['a name with a dot', { type: 'object', properties: { 'a.b': { type: 'string' } } }],
    ['a reference', { type: 'object', properties: { id: { $ref: '#' } } }],
  ])('have no schema with %s', (_, inputSchema) => {
    expect(rulesOf(reading({ inputSchema }))).toEqual(['error agent-tool-schema'])
  })

  it.each([['quoted', 'null'] as const, ['as YAML reads it', null] as const])('can take null, %s', (_, none) => {
    const inputSchema = {
      type: 'object',
      properties: { stage: { type: ['string', none], enum: ['a', null] }, tags: { type: ['array', none] } },
    }
    const body = { stage: { $value: 'arguments.stage' }, tags: { $value: 'arguments.tags' } }
    const { findings, manifest } = validate({
      tools: [merge({ inputSchema, request: { path: '/a', method: 'PATCH', body } })],
    })
    expect(findings).toEqual([])
    expect(manifest?.integrations[0]?.agent?.tools?.[0]?.inputSchema?.properties).toEqual({
      stage: { type: ['string', 'null'], enum: ['a', null] },
      tags: { type: ['array', 'null'] },
    })
  })

  it('do not put null into a text of the body or into the path, where it would be left out', () => {
    const inputSchema = {
      type: 'object',
      properties: { id: { type: ['string', 'null'] }, name: { type: ['string', 'null'] } },
      required: ['id'],
    }
    const request = {
      method: 'PATCH',
      path: '/a/{{arguments.id}}',
      query: { name: '{{arguments.name}}' },
      body: {
        name: '{{arguments.name}}',
        more: [{ name: 'x {{arguments.name}}' }],
        full: { $value: 'arguments.name' },
      },
    }
    const { findings } = validate({ tools: [merge({ inputSchema, request })] })
    expect(findings.map(({ rule, path }) => `${rule} ${path.split('.request.')[1]}`)).toEqual([
      'agent-tool-template path',
      'agent-tool-template body.name',
      'agent-tool-template body.more[0].name',
    ])
    expect(findings[1]?.message).toContain('write { $value: arguments.name }')
  })

  it('have a schema of limited depth and size', () => {
    const deep = { type: 'object', properties: { a: {} } }
    let at = deep
    for (let level = 0; level < 6; level++) at = at.properties.a = { type: 'object', properties: { a: {} } }
    expect(rulesOf(reading({ inputSchema: deep }))).toEqual(['error agent-tool-schema'])
    const names = Array.from({ length: 201 }, (_, index) => [`p${index}`, { type: 'string' }])
    const wide = { type: 'object', properties: Object.fromEntries(names) }
    expect(rulesOf(reading({ inputSchema: wide }))).toEqual(['error agent-tool-schema'])
  })

  it('do not have the name of an action of the integration, as the builder calls the object', () => {
    const objects = [{ objectName: 'contacts', actions: ['search'] }]
    expect(validate({ objects, tools: [reading({ name: 'search_people' })] }).findings).toMatchObject([
      { rule: 'agent-tool-name-taken', value: 'search_people' },
    ])
    expect(validate({ objects, tools: [reading({ name: 'search_contacts' })] }).findings).toEqual([])
  })

  it('are refused with the position of what is wrong', () => {
    const text = `specVersion: 1.0.0
integrations:
  - name: one
    provider: crm
    agent:
      tools:
        - name: me
          description: Me.
          request:
            path: /me
            query:
              a: "{{arguments.a}}"
            headers:
              Cookie: a
          inputSchema:
            type: object
            properties:
              b: { type: string, pattern: a }
`
    const { findings } = validateManifest(text, { catalogue: { find: () => crm }, readIntervalMinMs: 60_000 })
    expect(findings.map(({ line, column }) => [line, column])).toEqual([
      [12, 18],
      [14, 23],
      [18, 34],
    ])
    expect(findings[1]).toMatchObject({ path: '$.integrations[0].agent.tools[0].request.headers.Cookie' })
  })
})

describe('all errors of a tool are in one answer', () => {
  const rulesAt = (...tools: object[]) =>
    validate({ tools }).findings.map(({ rule, path }) => `${rule} ${path.replace('$.integrations[0].agent.tools', '')}`)

  it('those of the schema, of templates, of headers and of the rest of the request', () => {
    const tool = merge({
      name: 'merge companies',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string', pattern: '^a' }, tags: { type: 'array', items: { type: 'text' } } },
        required: ['id'],
      },
      request: {
        method: 'POST',
        path: '/a b/../{{arguments.nobody}}',
        query: { wrong: {}, tag: '{{arguments.tag}}' },
        headers: { Cookie: 1, 'X-Good': '{{arguments.missing}}' },
        body: { $when: { 'arguments.id': { matches: '(' } }, a: { $when: { 'arguments.id': { matches: '[' } } } },
      },
      result: { path: '$.data' },
      confirm: 'maybe',
    })
    expect(rulesAt(tool, reading({ description: undefined })).sort()).toEqual(
      [
        'agent-tool-name [0].name',
        'agent-tool-schema [0].inputSchema.properties.id.pattern',
        'agent-tool-schema [0].inputSchema.properties.tags.items.type',
        'agent-tool-request [0].request.path',
        'agent-tool-request [0].request.path',
        'agent-tool-template [0].request.path',
        'agent-tool-request [0].request.query.wrong',
        'agent-tool-template [0].request.query.tag',
        'agent-tool-request [0].request.headers.Cookie',
        'agent-tool-header [0].request.headers.Cookie',
        'agent-tool-template [0].request.headers.X-Good',
        'agent-tool-request [0].request.body["$when"]',
        'agent-tool-request [0].request.body.a["$when"]',
        'agent-tool-result [0].result.path',
        'agent-confirm-value [0].confirm',
        'agent-tool-description [1].description',
      ].sort(),
    )
  })

  it('those of the other parts of a request without a path', () => {
    const request = { query: { a: '{{arguments.nobody}}' }, headers: { Host: 'x' } }
    expect(rulesAt(reading({ request })).sort()).toEqual([
      'agent-tool-header [0].request.headers.Host',
      'agent-tool-request [0].request.path',
      'agent-tool-template [0].request.query.a',
    ])
  })

  it.each<[string, object]>([
    ['an unknown type', { type: 'object', properties: { id: { type: 'text' } }, required: ['id'] }],
    ['properties that cannot be read', { type: 'object', properties: ['id'], required: [] }],
    ['misspelled properties', { type: 'object', propertys: { id: { type: 'string' } } }],
    ['a misspelled key', { type: 'object', properties: { id: { type: 'string' } }, requird: ['id'] }],
    ['required properties as a text', { type: 'object', properties: { id: { type: 'string' } }, required: 'id' }],
    ['no type', { properties: { id: { type: 'string' } } }],
  ])('and nothing follows from another error: %s', (_, inputSchema) => {
    const request = { path: '/a/{{arguments.id}}', query: { of: '{{arguments.id}}' } }
    expect(new Set(rulesOf(reading({ inputSchema, request })))).toEqual(new Set(['error agent-tool-schema']))
  })
})

describe('changes of tools', () => {
  const content = (tools: object[]) => validate({ tools }).manifest!.integrations[0]!

  it('name the tool and what differs in it', () => {
    const before = content([merge(), reading({})])
    const after = content([
      reading({ request: { path: '/whoami' } }),
      merge({ confirm: 'approval' }),
      reading({ name: 'you' }),
    ])
    expect(listChanges(before, after)).toEqual([
      { kind: 'changed', path: ['agent', 'tools', 'me', 'request', 'path'], before: '/me', after: '/whoami' },
      { kind: 'added', path: ['agent', 'tools', 'merge_companies', 'confirm'], after: 'approval' },
      expect.objectContaining({ kind: 'added', path: ['agent', 'tools', 'you'] }),
    ])
    expect(listChanges(after, before)).toContainEqual(
      expect.objectContaining({ kind: 'removed', path: ['agent', 'tools', 'you'] }),
    )
  })
})
