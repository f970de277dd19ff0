import { describe, expect, it } from 'vitest'
import { readBuiltInFile, readProviderFile } from './read-provider-file.ts'

const head = `name: test
baseUrl: https://{{workspace}}.example.com/v1
inputs: [{ name: workspace }]
authentication: [{ scheme: none }]
`

/**
 * `line:column message` of every fault, or the objects' names when there is none. A file of this package has the same
 * ones, though another parser reads it first.
 */
function check(text: string, file = 'test.yaml'): string[] {
  const result = readProviderFile(file, text)
  expect(readBuiltInFile(file, text)).toEqual(result)
  if (result.faults !== undefined)
    return result.faults.map(({ line, column, message }) => `${line}:${column} ${message}`)
  return [...result.file.sets.values()].flatMap(({ objects }) => [...objects.keys()])
}

it('a good file has its objects, templates resolved', () => {
  const text = `${head}
templates:
  page: { read: { query: { limit: '{{pageSize}}' }, records: data } }
  changed: { like: page, set: { filter: after }, incremental: { read: { query: { since: '{{since}}', limit: null } } } }
objects:
  a: { like: page, read: { path: /a } }
  b: { like: changed, read: { path: /b, records: items } }
`
  const result = readProviderFile('test.yaml', text)
  if (result.faults !== undefined) throw new Error(JSON.stringify(result.faults))
  const objects = result.file.sets.get('')?.objects
  expect(objects?.get('a')).toEqual({ read: { query: { limit: '{{pageSize}}' }, records: 'data', path: '/a' } })
  expect(objects?.get('b')?.read).toEqual({ query: { limit: '{{pageSize}}' }, records: 'items', path: '/b' })
})

const object = (text: string) => `${head}objects:\n  a:\n${text.replace(/^/gm, '    ')}\n`

it.each([
  ['a key that is none', `${head}colour: red`, '5:1 colour is an unknown key'],
  ['a key twice', `${head}name: test`, '5:1 The key "name" is already in line 1. Remove one of them.'],
  ['no YAML', 'name: [', '1:8 '],
  ['no map', '- a', '1:1 The file must be an object with keys, such as `name: acme`.'],
  ['an empty file', '', '1:1 The file must be an object with keys, such as `name: acme`.'],
  ['a tag', `${head}displayName: !!js/function x`, '5:14 '],
  ['a name that is none', head.replace('test', 'te st'), '1:1 name must match pattern'],
  [
    'a name that is not the file’s',
    head.replace('test', 'other'),
    '1:1 name is not the name of the file: write "test" here, or rename the file to other.yaml.',
  ],
  [
    '__proto__ as key',
    `${head}objects: { __proto__: { read: { path: /a } } }`,
    '5:12 objects.__proto__ cannot be a key.',
  ],
  ['no base URL', 'name: test\nauthentication: [{ scheme: none }]', '1:1 The file needs the key "baseUrl".'],
  ['no authentication', 'name: test\nbaseUrl: https://a.example', '1:1 The file needs the key "authentication".'],
  ['a base URL of another scheme', head.replace('https:', 'ftp:'), '2:1 baseUrl must be http(s)://host/path'],
  ['a base URL with a user', head.replace('https://', 'https://me@'), '2:1 baseUrl must be http(s)://host/path'],
  [
    'a base URL that is an input of no URL',
    head.replace(/https.*/, "'{{workspace}}/v1'"),
    '2:1 baseUrl starts with the input',
  ],
  [
    'an unknown variable in the base URL',
    head.replace('{{workspace}}', '{{region}}'),
    '2:1 baseUrl uses the variable "region"',
  ],
  [
    'an unknown scheme',
    head.replace('none', 'magic'),
    '4:20 authentication.0.scheme must be one of none, apiKey, basic, oauth2, custom.',
  ],
  [
    'a key without a name',
    head.replace('none', 'apiKey, attach: header'),
    '4:18 authentication.0 needs the key "name".',
  ],
  ['OAuth without endpoints', head.replace('none', 'oauth2'), '4:18 authentication.0 needs the key "grantType".'],
  [
    'a health check without a place',
    `${head}healthCheck: { method: GET }`,
    '5:1 healthCheck needs one of "path" and "url".',
  ],
  [
    'a rule that fits everything',
    `${head}errors: { rules: [{ is: forbidden }] }`,
    '5:19 errors.rules.0 needs "status"',
  ],
  [
    'an unknown error class',
    `${head}errors: { rules: [{ status: 200, is: bad }] }`,
    '5:34 errors.rules.0.is must be one of rate_limited',
  ],
  [
    'a rate limit that counts by nothing known',
    `${head}rateLimit:\n  - { requests: 3, perSeconds: 1, per: connection }\n  - { requests: 9, perSeconds: 60, per: user }`,
    '7:36 rateLimit.1.per must be one of connection, app.',
  ],
  [
    'a rate limit for no requests that there are',
    `${head}rateLimit: { requests: 3, perSeconds: 1, per: app, for: deletes }`,
    '5:52 rateLimit.for must be one of read, write.',
  ],
  ['rate limits that are none', `${head}rateLimit: []`, '5:1 rateLimit needs at least 1 item.'],
  ['a rate limit that is a number', `${head}rateLimit: 3`, '5:1 rateLimit must be an object or a list.'],
  [
    'a rate limit without a time',
    `${head}rateLimit: [{ requests: 3, per: app }]`,
    '5:13 rateLimit.0 needs the key "perSeconds".',
  ],
  [
    'two rate limits on the same',
    `${head}rateLimit:\n  - { requests: 3, perSeconds: 1, per: app }\n  - { requests: 4, perSeconds: 1, per: app }`,
    '7:5 rateLimit.1 has the same requests and period as an earlier limit.',
  ],
  ['a header that is none', `${head}headers: { 'a b': x }`, '5:12 headers.a b is not a valid header name.'],
  ['a module that is none', `${head}defaultModule: crm`, '5:1 defaultModule is not a module of this file.'],
  ['no read', object('displayName: A'), '6:3 objects.a needs at least one of "read", "write" and "get".'],
  ['no path', object('read: { records: data }'), '7:5 objects.a.read needs the key "path".'],
  ['a path to another host', object('read: { path: //evil.com }'), '7:13 objects.a.read.path must start with one "/"'],
  ['an unknown variable', object("read: { path: '/a/{{id}}' }"), '7:13 objects.a.read.path uses the variable "id"'],
  [
    'since without a window',
    object("read: { path: /a, query: { from: '{{since}}' } }"),
    '7:32 objects.a.read.query.from uses the variable "since"',
  ],
  [
    'an unknown variable in a body',
    object('read: { path: /a, method: POST, body: { x: [{ y: { $value: z } }] } }'),
    '7:56 objects.a.read.body.x.0.y.$value uses the variable "z"',
  ],
  ['braces that are no variable', object("read: { path: '/a/{{a b}}' }"), '7:13 objects.a.read.path contains braces'],
  [
    'a filter that is none',
    object("read: { path: '/a/{{object|last}}' }"),
    '7:13 objects.a.read.path uses the unknown filter "last"; known filters: lower, snake, ',
  ],
  [
    'a path that is none',
    object('read: { path: /a, records: a..b }'),
    '7:23 objects.a.read.records is not a path; join names with dots',
  ],
  [
    'an unknown paging',
    object('read: { path: /a, paging: { kind: magic } }'),
    '7:33 objects.a.read.paging.kind must be one of none, nextUrl, linkHeader, cursor, page, offset, keyset, result.',
  ],
  [
    'a cursor that is never sent',
    object('read: { path: /a, paging: { kind: cursor, next: next } }'),
    '7:23 objects.a.read.paging would read the first page forever: no request uses {{cursor}}.',
  ],
  [
    'a cursor from nowhere',
    object("read: { path: /a, query: { c: '{{cursor}}' }, paging: { kind: cursor } }"),
    '7:51 objects.a.read.paging needs one of "next" and "nextHeader".',
  ],
  [
    'a kept value that no request sends',
    object("read: { path: /a, query: { p: '{{page}}' }, paging: { kind: page, session: id } }"),
    '7:71 objects.a.read.paging.session is sent by no request: none has {{session}}.',
  ],
  [
    'a kept value that no response has',
    object("read: { path: /a, query: { p: '{{page}}', s: '{{session}}' }, paging: { kind: page } }"),
    '7:47 objects.a.read.query.s uses the variable "session", which is not declared here.',
  ],
  [
    'a list of links without the one',
    object('read: { path: /a, paging: { kind: nextUrl, list: links, next: href } }'),
    '7:23 objects.a.read.paging needs both of "list" and "when", or none.',
  ],
  [
    'a list of links for a cursor in a header',
    object(
      "read: { path: /a, query: { c: '{{cursor}}' }, paging: { kind: cursor, list: l, when: { rel: next }, nextHeader: X } }",
    ),
    '7:75 objects.a.read.paging.list needs "next".',
  ],
  [
    'a window that filters nothing',
    object('read: { path: /a }\nincremental: { format: unix }'),
    '8:5 objects.a.incremental needs {{since}} in a request, or "filter".',
  ],
  [
    'a fault in the request of a window',
    object("read: { path: /a }\nincremental: { read: { query: { s: '{{since}}' }, colour: red } }"),
    '8:55 objects.a.incremental.read.colour is an unknown key',
  ],
  ['an unknown template', object('like: page'), '7:5 objects.a.like is not a template of this file ("page").'],
  [
    'templates in a circle',
    `${head}templates: { x: { like: y }, y: { like: x } }\nobjects: { a: { like: x } }`,
    '5:35 templates.y.like refers to itself: "x" is like "y" is like "x"; remove one `like`.',
  ],
  [
    'a fault in a template is shown there',
    `${head}templates:\n  page: { read: { path: /a, records: 7 } }\nobjects:\n  a: { like: page }\n  b: { like: page }`,
    '6:29 templates.page.read.records must be a text: write',
  ],
  [
    'a static field of no type',
    object('read: { path: /a }\nfields: [{ source: static, fields: { x: text } }]'),
    '8:42 objects.a.fields.0.fields.x must be one of string, boolean',
  ],
  [
    'a pattern that is none',
    `${head}templates: { p: { read: { path: /a } } }\notherObjects: [{ match: '(', like: p }]`,
    '6:18 otherObjects.0.match is not a pattern in RE2 syntax: ',
  ],
])('%s is a fault', (_, text, expected) => {
  const faults = check(text)
  expect(faults[0]?.slice(0, expected.length)).toBe(expected)
})

it('all faults are shown at once, in the order of the file', () => {
  const faults = check(`${head}colour: red\nshape: round\nobjects: 7`)
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['5:1', '6:1', '7:1'])
})

it('a value of nobody’s is a fault in every template of the file', () => {
  const oauth = (more: string) =>
    `name: test\nbaseUrl: https://a.example\nauthentication:\n  - scheme: oauth2\n    grantType: authorizationCode\n    authUrl: https://a.example/authorize\n    ${more}\n`
  const token = 'tokenUrl: https://a.example/token'
  const name = 'uses the variable "x", which is not declared.'
  expect(check(oauth('tokenUrl: https://{{x}}.a.example/token'))).toEqual([`7:5 authentication.0.tokenUrl ${name}`])
  expect(check(oauth(`${token}\n    scopeMappings: { a: '{{x}}' }`))).toEqual([
    `8:22 authentication.0.scopeMappings.a ${name}`,
  ])
  expect(check(`${oauth(token)}variables: [{ name: x }]\nheaders: { a: '{{x}}' }`)).toEqual([])
  expect(check(`${oauth(token)}modules: { m: { baseUrl: 'https://{{x}}.example' } }`)).toEqual([
    `8:17 modules.m.baseUrl ${name}`,
  ])
})

it('what is declared is declared once, for modules that there are', () => {
  expect(check(`${head}variables: [{ name: workspace }]`)).toEqual([
    '5:15 variables.0.name declares "workspace" twice.',
  ])
  expect(check(`${head}postAuthentication: [{ name: x, modules: [crm] }]`)).toEqual([
    '5:33 postAuthentication.0.modules is not a module of this file ("crm").',
  ])
})

it('schemes have different names, by default that of their kind', () => {
  const file = (schemes: string) => `name: test\nbaseUrl: https://a.example\nauthentication:\n${schemes}\n`
  const key = (rest: string) => `  - { scheme: apiKey, attach: header, name: X-Key${rest} }`
  expect(check(file([key(''), key(', schemeName: second'), '  - { scheme: none }'].join('\n')))).toEqual([])
  const message = 'has the name "apiKey" of an earlier scheme; set a unique `schemeName`.'
  expect(check(file([key(''), key('')].join('\n')))).toEqual([`5:5 authentication.1 ${message}`])
  expect(check(file([key(''), '  - { scheme: none, schemeName: apiKey }'].join('\n')))).toEqual([
    `5:21 authentication.1.schemeName ${message}`,
  ])
  expect(check(file(key(', schemeName: "a b"')))).toEqual([expect.stringContaining('must match pattern')])
})

it('an example and a default match the pattern, which only texts have', () => {
  const base = 'name: test\nbaseUrl: https://a.example\n'
  const none = 'authentication: [{ scheme: none }]\n'
  const input = (rest: string) => `${base}${none}inputs: [{ name: a, use: kept, pattern: '[a-z]+'${rest} }]`
  expect(check(input(', example: acme, default: main'))).toEqual([])
  expect(check(input(", example: Acme, default: '7'")).map((fault) => fault.replace(/^\S+ /, ''))).toEqual([
    'inputs.0.example does not match the pattern.',
    'inputs.0.default does not match the pattern.',
  ])
  const key = `${base}authentication: [{ scheme: apiKey, attach: header, name: X-Key, pattern: 'k-.+', example: x }]`
  expect(check(key).join()).toContain('authentication.0.example does not match the pattern.')
  const custom = (rest: string) =>
    `${base}authentication: [{ scheme: custom, headers: { A: '{{a}}' }, inputs: [{ name: a, pattern: x, ${rest} }] }]`
  expect(check(custom('kind: text'))).toEqual([])
  expect(check(custom('kind: list')).join()).toContain('inputs.0.pattern has no effect: only texts have a pattern.')
  expect(check(`${base}${none}inputs: [{ name: a, use: kept, pattern: '(a' }]`).join()).toContain('missing closing )')
})

it('a further host stands in the file: no value can choose it', () => {
  const read = (base: string) => `${head}objects: { a: { read: { path: /a, base: '${base}' } } }`
  expect(check(read('https://other.example/v1'))).toEqual(['a'])
  expect(check(read('{{workspace}}')).join()).toMatch(/objects.a.read.base starts with the input "workspace"/)
  expect(check(read('other')).join()).toMatch(/objects.a.read.base must be http/)
})

it('a placeholder is no base URL, and no fault where it is marked as one', () => {
  const file = (rest: string) => `name: test\nbaseUrl: https\nauthentication: [{ scheme: none }]\n${rest}`
  expect(check(file(''))).toEqual(['2:1 baseUrl must be http(s)://host/path, or start with an input of kind url.'])
  expect(check(file('placeholders: [baseUrl]'))).toEqual([])
})

describe('what would silently be taken as it stands is a fault that says what to write instead', () => {
  const read = (text: string) => object(`read: { path: /a, ${text} }`)
  const webhooks = (objects: string) => `${object('read: { path: /a }')}webhooks:
  endpoint: installation
  verify: { by: token, header: X-Token, secret: { from: app } }
  event: { named: made, id: [id] }
  objects: ${objects}
`

  it.each([
    ['braces in a path', read("flatten: ['{{object}}']"), 'read.flatten.0 cannot contain {{ }}: write a path'],
    [
      'braces in a fixed text',
      read("expressions: { q: { parts: [a], otherwise: '{{object}}' } }, query: { q: '{{q}}' }"),
      'read.expressions.q.otherwise is not a template: {{ }} would be sent as it stands. Write a fixed text.',
    ],
    [
      'braces in a variable of an object',
      object("set: { kind: '{{object}}' }\nread: { path: /a }"),
      'is not a template',
    ],
    ['braces in the name of a parameter', read("query: { '{{object}}': x }"), 'is not a template'],
    ['braces in a wanted value', read("none: { status: 404, when: { code: '{{object}}' } }"), 'is not a template'],
    ['braces in a label', `${head}displayName: 'A {{workspace}}'`, 'displayName is not a template'],
    ['JSONPath to a list', read("records: '$.data[*]'"), "is not a path; join names with dots, or $['a']['b']: data."],
    ['JSONPath to a value', read("total: '$.meta.total'"), ': meta.total.'],
    ['JSONPath to an item', read("total: '$.pages[0].count'"), ': pages.0.count.'],
    ['JSONPath into all items', read("total: 'data[*].total'"), "or $['a']['b']."],
    [
      'JSONPath with the object',
      read("records: '$.{{object}}[*]'"),
      "is not a path; join names with dots, or $['a']['b']",
    ],
    ['JSONPath to everything', read("records: '$'"), "; '' is the whole value."],
    ['JSON Pointer', read('records: /data/items'), ': data.items.'],
    ['JSONPath in brackets', read('total: "$[\'a\'][*]"'), ': a.'],
    [
      'JSONPath as a condition',
      `${head}errors: { rules: [{ status: 200, when: { $.ok: false }, is: unknown }] }`,
      ': ok.',
    ],
    ['JSONPath of a cursor', read("query: { c: '{{cursor}}' }, paging: { kind: cursor, next: '$.next' }"), ': next.'],
    [
      'events of an object that there is not',
      webhooks('{ aa: { create: [made] } }'),
      'webhooks.objects.aa is not an object of this file ("aa"); an object that exists only in events needs a "record" here',
    ],
    [
      'plain http',
      head.replace('https', 'http'),
      'write "https://{{workspace}}.example.com/v1", or use an input of kind url',
    ],
    ['plain http of one request', read('base: http://api.example.com'), 'write "https://api.example.com"'],
    [
      'plain http of a health check',
      `${head}healthCheck: { url: http://example.com/me }`,
      'write "https://example.com/me"',
    ],
    [
      'plain http of a token endpoint',
      head.replace('none', 'oauth2, grantType: clientCredentials, tokenUrl: http://example.com/token'),
      'write "https://example.com/token"',
    ],
    ['a key of the file', `${head}helthCheck: { path: /me }`, 'did you mean "healthCheck"?'],
    ['a key of an object', object('reed: { path: /a }'), 'did you mean "read"?'],
    ['a key of a request', read('qery: { a: b }'), 'did you mean "query"?'],
    ['a key of paging', read('paging: { kind: nextUrl, nxt: a }'), 'did you mean "next"?'],
    ['a key of a window', object('read: { path: /a }\nincremental: { fromat: unix }'), 'did you mean "format"?'],
    ['a kind of paging', read('paging: { kind: nextURL, next: a }'), 'did you mean "nextUrl"?'],
    ['a value of a choice', read('method: OPTION'), 'did you mean "OPTIONS"?'],
  ])('%s', (_, text, expected) => {
    expect(check(text).join('\n')).toContain(expected)
  })

  it('what means something is left alone', () => {
    const good = [
      read("records: '$[''@odata.nextLink'']', unwrap: data.0.node, total: properties.$count"),
      read("records: 'data.{{object}}'"),
      object("read: { path: /a }\nfields: [{ source: live, path: /f, name: id, only: { kind: '{{object}}' } }]"),
      webhooks('{ a: { create: [made] } }'),
      webhooks("{ carts: { record: '', create: [made] } }"),
    ]
    for (const text of good) expect(check(text)).toEqual(['a'])
    for (const host of [
      '127.0.0.1:4200',
      'localhost',
      '[::1]:80',
      '10.1.2.3',
      'crm',
      'crm.internal',
      '{{workspace}}.local',
    ])
      expect(check(head.replace('https://{{workspace}}.example.com', `http://${host}`)), host).toEqual([])
    for (const host of ['169.254.169.254', '{{workspace}}', '{{workspace}}:80', '203.0.113.9', 'localhost.example.com'])
      expect(check(head.replace('https://{{workspace}}.example.com', `http://${host}`)), host).toHaveLength(1)
  })

  it('several faults of several kinds are shown by one check', () => {
    const faults = check(
      `${head}colour: red\nrateLimit: 3\nobjects:\n  a: { read: { path: /a, reconds: data } }\n  b: { read: { flatten: ['{{x}}'] } }`,
    )
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['5:1', '6:1', '8:26', '9:8', '9:26'])
    const semantic = check(`${head}colour: red\nobjects:\n  a: { read: { path: a, reconds: data } }`)
    expect(semantic.map((fault) => fault.split(' ')[0])).toEqual(['5:1', '7:16', '7:25'])
  })
})
