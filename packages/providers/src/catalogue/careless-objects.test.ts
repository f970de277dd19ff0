import { expect, it } from 'vitest'
import { readProviderFile } from './read-provider-file.ts'

/** What people write by mistake in objects: one check names all of it, with line and column, and says what is right. */

const head = `name: test
baseUrl: https://api.example.com
authentication: [{ scheme: none }]
`

const files: [string, string, string[]][] = [
  [
    'values of other types',
    `${head}objects:
  contacts:
    read: { path: 5, query: [a], pageSizeMax: lots, records: [a, b], paging: cursor }
    fields: { source: static }
    incremental: yes
`,
    [
      "6:13 objects.contacts.read.path must be a text: write '5' with its quotes.",
      '6:22 objects.contacts.read.query must be an object.',
      '6:34 objects.contacts.read.pageSizeMax must be a whole number.',
      '6:53 objects.contacts.read.records must be a text.',
      '6:70 objects.contacts.read.paging must be an object.',
      '7:5 objects.contacts.fields must be a list.',
      '8:5 objects.contacts.incremental must be an object.',
    ],
  ],
  [
    'templates that are not there',
    `${head}objects:
  contacts: { like: lst, read: { path: /c } }
  deals: { like: lists }
templates:
  list: { read: { path: '/{{object}}' } }
`,
    [
      '5:15 objects.contacts.like is not a template of this file ("lst"); did you mean "list"?',
      '6:12 objects.deals.like is not a template of this file ("lists"); did you mean "list"?',
    ],
  ],
  [
    'variables that nobody declares',
    `${head}objects:
  contacts:
    read: { path: '/{{acount}}/contacts', query: { x: '{{sinse}}' } }
    write: { create: { path: '/{{recrod.id}}' }, update: { path: /c, body: { a: '{{wat}}' } } }
`,
    [
      '6:13 objects.contacts.read.path uses the variable "acount", which is not declared here.',
      '6:52 objects.contacts.read.query.x uses the variable "sinse", which is not declared here.',
      '7:24 objects.contacts.write.create.path uses the variable "recrod.id", which is not declared here; did you mean "record"?',
      '7:50 objects.contacts.write.update must use {{id}} to identify the record.',
      '7:78 objects.contacts.write.update.body.a uses the variable "wat", which is not declared here.',
    ],
  ],
  [
    'templates in a circle',
    `${head}templates:
  a: { like: b }
  b: { like: c }
  c: { like: a }
objects:
  x: { like: a, read: { path: /x } }
`,
    ['7:8 templates.c.like refers to itself: "a" is like "b" is like "c" is like "a"; remove one `like`.'],
  ],
  [
    'kinds of paging',
    `${head}objects:
  x: { read: { path: /x, paging: { kind: cursr, next: n } } }
  y: { read: { path: /x, paging: { next: n } } }
  z: { read: { path: /x, paging: { kind: page, nextHeader: X } } }
`,
    [
      '5:36 objects.x.read.paging.kind must be one of none, nextUrl, linkHeader, cursor, page, offset, keyset, result; did you mean "cursor"?',
      '6:26 objects.y.read.paging needs the key "kind": none, nextUrl, linkHeader, cursor, page, offset, keyset, result.',
      '7:26 objects.z.read.paging would read the first page forever: no request uses {{page}}.',
      '7:48 objects.z.read.paging.nextHeader is an unknown key; known keys: kind, first, more, end, next, pages, session, pagesHeader, restart, recordsMax.',
    ],
  ],
  [
    'patterns that RE2 does not know',
    `${head}objects:
  x: { read: { path: /x, lift: { a: { path: b, capture: '(?<result>(a+)+)$' }, c: { path: b, capture: '(?<=x)(?<result>y)' }, d: { path: b, capture: 'y' }, e: { path: b, capture: '(?<result>\\1' } } } }
`,
    [
      '5:94 objects.x.read.lift.c.capture is not a pattern in RE2 syntax, which has no look-around: error parsing regexp: invalid named capture: `(?<=x)(?<result>`.',
      '5:141 objects.x.read.lift.d.capture has no group: put (?<result>…) around the part to keep.',
      '5:171 objects.x.read.lift.e.capture is not a pattern in RE2 syntax, which has no backreferences: error parsing regexp: invalid escape sequence: `\\1`.',
    ],
  ],
  [
    'JSONPath and JSON Pointer',
    `${head}objects:
  x: { read: { path: /x, records: '$.data.items[*]', id: '/id', total: 'meta[0].total' } }
`,
    [
      "5:26 objects.x.read.records is not a path; join names with dots, or $['a']['b']: data.items.",
      "5:54 objects.x.read.id is not a path; join names with dots, or $['a']['b']: id.",
      "5:65 objects.x.read.total is not a path; join names with dots, or $['a']['b']: meta.0.total.",
    ],
  ],
  [
    'braces and filters',
    `${head}objects:
  x: { read: { path: '/x/{{object|upper}}', query: { a: '{{since|json|name}}', b: '{since}', c: '{{ since', d: '\${since}' } } }
`,
    [
      '5:16 objects.x.read.path uses the unknown filter "upper"; known filters: lower, snake, singular, underscored, constant, basename, path, pointer, digits, seconds, name, json, soql, odata, coql, quoted, identifier, backquoted, encodedQuery, listed.',
      '5:54 objects.x.read.query.a contains braces that are not a variable; write {{name}}.',
      '5:94 objects.x.read.query.c contains braces that are not a variable; write {{name}}.',
    ],
  ],
  [
    'paths',
    `${head}objects:
  x: { read: { path: contacts } }
  y: { read: { path: 'https://api.example.com/y' } }
  z: { read: { path: '/z?limit=1' } }
healthCheck: { path: me }
`,
    [
      '5:16 objects.x.read.path must start with one "/", and may not contain spaces, backslashes or "#".',
      '6:16 objects.y.read.path is a URL; write what follows the base URL, such as /contacts, and another host in `base`.',
      '8:16 healthCheck.path must begin with "/".',
    ],
  ],
  [
    'parts without anything',
    `${head}objects:
  x:
    read: { path: /x, paging: { kind: result, id: id, pending: {}, request: { path: /r } } }
    scopes: {}
rateLimit: []
`,
    [
      '6:55 objects.x.read.paging.pending needs at least one key: status, when.',
      '7:5 objects.x.scopes needs at least one key: read, write, delete, subscribe.',
      '8:1 rateLimit needs at least 1 item.',
    ],
  ],
  [
    'objects that do nothing',
    `${head}objects:
  x: { displayName: X }
  y: { write: {} }
  z: { fields: [] }
  w: { read: { path: /w }, fields: [{ source: sample, whole: true }] }
`,
    [
      '5:3 objects.x needs at least one of "read", "write" and "get".',
      '6:8 objects.y.write needs at least one of "create", "update", "delete" and "batch".',
      '7:3 objects.z needs at least one of "read", "write" and "get".',
      '8:55 objects.w.fields.0.whole needs "get", which the object does not have.',
    ],
  ],
  [
    'windows',
    `${head}objects:
  x: { read: { path: /x }, incremental: { format: iso8601 } }
  y: { read: { path: /x }, incremental: {} }
  z: { read: { path: /x, query: { since: '{{since}}' } } }
`,
    [
      '5:43 objects.x.incremental.format must be one of rfc3339, rfc3339Seconds, rfc3339Offset, dateTime, date, unix, unixMs.',
      '6:28 objects.y.incremental needs {{since}} in a request, or "filter".',
      '7:35 objects.z.read.query.since uses the variable "since", which needs `incremental` of the object.',
    ],
  ],
  [
    'other parents in a window',
    `${head}objects:
  x:
    read: { path: /x, each: { values: [{ a: '1' }] } }
    incremental: { filter: { timestamp: at }, read: { each: { values: [{ a: '1' }, { a: '2' }] } } }
    deletions: { when: { gone: true }, read: { each: { values: [{ a: '3' }] } } }
`,
    [
      '7:55 objects.x.incremental.read.each cannot differ from "read.each", and can be null only with "getEach".',
      '8:40 objects.x.deletions.read cannot have "each": "list" is for a separate list of deleted records.',
    ],
  ],
  [
    'fields',
    `${head}objects:
  x: { read: { path: /x }, fields: [{ source: statik, fields: { a: text } }, { source: static, fields: { a: txt, b: { valueType: number } } }, { source: live, path: /f }] }
`,
    [
      '5:39 objects.x.fields.0.source must be one of static, live, required, choices, sample; did you mean "static"?',
      '5:106 objects.x.fields.1.fields.a must be one of string, boolean, singleSelect, multiSelect, date, datetime, int, float, reference, other, or an object.',
      '5:119 objects.x.fields.1.fields.b.valueType must be one of string, boolean, singleSelect, multiSelect, date, datetime, int, float, reference, other.',
      '5:144 objects.x.fields.2 needs the key "name".',
    ],
  ],
  [
    'bodies',
    `${head}objects:
  x: { read: { path: /x }, write: { create: { path: /x, body: { $vlue: record } }, update: { path: /x, body: { a: { $each: items, $itm: 1 } } }, delete: { path: /x, method: REMOVE } } }
`,
    [
      '5:65 objects.x.write.create.body.$vlue would be sent as it stands; did you mean "$value"?',
      '5:84 objects.x.write.update must use {{id}} to identify the record.',
      '5:117 objects.x.write.update.body.a.$each uses the variable "items", which is not declared here.',
      '5:131 objects.x.write.update.body.a.$itm would be sent as it stands; did you mean "$item"?',
      '5:166 objects.x.write.delete.method must be one of POST, PUT, PATCH, DELETE, GET.',
    ],
  ],
  [
    'other objects',
    `${head}otherObjects:
  - { match: '(', like: list }
  - { match: '^(a|a)*$', like: lst }
templates: { list: { read: { path: '/{{object}}' } } }
`,
    [
      '5:7 otherObjects.0.match is not a pattern in RE2 syntax: error parsing regexp: missing closing ): `(`.',
      '6:26 otherObjects.1.like is not a template of this file ("lst"); did you mean "list"?',
    ],
  ],
  [
    'numbers',
    `${head}objects:
  1: { read: { path: /x, pageSizeMax: 0 } }
  true: { read: { path: /x, pageSizeMax: 1e9 } }
  null: { read: { path: /x, pageSizeMax: -1 } }
`,
    [
      '5:26 objects.1.read.pageSizeMax must be at least 1.',
      '6:29 objects.true.read.pageSizeMax must be at most 10000.',
      '7:29 objects.null.read.pageSizeMax must be at least 1.',
    ],
  ],
  [
    'templates',
    `${head}templates:
  unused: { raed: {} }
  list: { read: { path: '/{{entity}}' } }
objects:
  x: { like: list }
`,
    [
      '5:13 templates.unused.raed is an unknown key; did you mean "read"?',
      '6:19 templates.list.read.path uses the variable "entity", which is not declared here.',
    ],
  ],
  [
    'variables of other formats',
    `${head}objects:
  x:
    read:
      path: /accounts/{accountId}/contacts
      query: { cursor: '{cursor}', since: '\${since}', q: '{name}' }
      paging: { kind: cursor, next: next }
    get: { path: '/contacts/:id' }
    write: { create: { path: /contacts }, update: { path: '/contacts/{id}' } }
`,
    [
      '7:7 objects.x.read.path would send "{accountId}" as it stands; a variable is {{name}}, such as {{accountId}}.',
      '8:16 objects.x.read.query.cursor would send "{cursor}" as it stands; write {{cursor}}.',
      '8:36 objects.x.read.query.since would send "${since}" as it stands; write {{since}}.',
      '9:7 objects.x.read.paging would read the first page forever: no request uses {{cursor}}.',
      '10:5 objects.x.get must use {{id}} to identify the record.',
      '10:12 objects.x.get.path would send ":id" as it stands; a variable is {{name}}, such as {{id}}.',
      '11:43 objects.x.write.update must use {{id}} to identify the record.',
      '11:53 objects.x.write.update.path would send "{id}" as it stands; a variable is {{name}}, such as {{id}}.',
    ],
  ],
]

it('what APIs really have is accepted: keys of bodies with a dollar, and braces in paths and texts of bodies', () => {
  const text = `${head}objects:
  x:
    read:
      path: "/x({key})/a{b}c/lookup:name"
      method: POST
      body: { $values: [1], filter: { $keys: a, $search: b }, q: '{id}', since: '\${since}' }
    get: { path: '/x({{id}})' }
`
  expect(readProviderFile('test.yaml', text).faults ?? []).toEqual([])
})

it.each(['/x({id})', '/x/a-{id}', '/x/{id}.json', '/x/{id}?full=1', '/x/:id?full=1'])(
  'a path that names a variable in another format is none: %s',
  (path) => {
    const { faults = [] } = readProviderFile(
      'test.yaml',
      `${head}objects:\n  x: { read: { path: /x }, get: { path: "${path}" } }\n`,
    )
    expect(faults.map(({ message }) => message)).toContainEqual(expect.stringContaining('as it stands; a variable is'))
  },
)

it.each(files)('all that is wrong is in one answer: %s', (_, text, expected) => {
  const { faults = [] } = readProviderFile('test.yaml', text)
  expect(faults.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual(expected)
})

/** A part that is wrong hides no other one, and what follows from it is not reported. */
const following: [string, string, string[]][] = [
  [
    'a template',
    `${head}templates: { list: [], other: { like: lsit } }\nobjects: { x: { like: list }, y: { like: other } }\n`,
    ['4:14 templates.list must be an object.', '4:33 templates.other.like is not a template of this file ("lsit").'],
  ],
  [
    'a part of a template',
    `${head}templates: { list: { read: { path: /x }, fields: no } }\nobjects: { x: { like: list, read: { recods: data } } }\n`,
    [
      '4:42 templates.list.fields must be a list, such as [no].',
      '5:37 objects.x.read.recods is an unknown key; did you mean "records"?',
    ],
  ],
  [
    'how to authenticate',
    `name: test\nbaseUrl: https://{{region}}.example.com\nauthentication: oauth2\nobjects:\n  x: { scopes: { read: [a] }, read: { path: x } }\n`,
    [
      '3:1 authentication must be a list, such as [oauth2].',
      '5:39 objects.x.read.path must start with one "/", and may not contain spaces, backslashes or "#".',
    ],
  ],
  [
    'an input with a name',
    `name: test\nbaseUrl: 'https://{{region}}.{{zone}}.example.com'\ninputs: [{ name: region, kind: host, promt: x, hosts: x }]\nauthentication: [{ scheme: none }]\n`,
    [
      '2:1 baseUrl uses the variable "zone", which is not declared.',
      '3:38 inputs.0.promt is an unknown key; did you mean "prompt"?',
      '3:48 inputs.0.hosts must be a list, such as [x].',
    ],
  ],
  [
    'the second item of a list',
    `name: test\nbaseUrl: https://api.example.com\nauthentication: [{ scheme: none }, 5, { scheme: apiKey, attach: header }]\n`,
    ['3:36 authentication.1 must be an object.', '3:39 authentication.2 needs the key "name".'],
  ],
]

it.each(following)('what follows from a part that is wrong is not reported: %s', (_, text, expected) => {
  const { faults = [] } = readProviderFile('test.yaml', text)
  expect(faults.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual(expected)
})
