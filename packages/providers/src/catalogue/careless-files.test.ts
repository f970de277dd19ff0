import { expect, it } from 'vitest'
import { readProviderFile } from './read-provider-file.ts'

/** What people write by mistake: one check names all of it, with its line and column, and says what is right. */

const head = `name: test
baseUrl: https://api.example.com
authentication: [{ scheme: none }]
`

const files: [string, string, string[]][] = [
  [
    'misspelled keys',
    `${head}objcts:
  contacts:
    read: { path: /contacts }
heathCheck: { path: /me }
objects:
  contacts:
    raed: { path: /c }
    read: { pth: /contacts, recods: data }
`,
    [
      '4:1 objcts is an unknown key; did you mean "objects"?',
      '7:1 heathCheck is an unknown key; did you mean "healthCheck"?',
      '10:5 objects.contacts.raed is an unknown key; did you mean "read"?',
      '11:5 objects.contacts.read needs the key "path".',
      '11:13 objects.contacts.read.pth is an unknown key; did you mean "path"?',
      '11:29 objects.contacts.read.recods is an unknown key; did you mean "records"?',
    ],
  ],
  [
    'two objects of one name',
    `${head}objects:
  x: { read: { path: /x } }
  x: { read: { path: /y } }
`,
    ['6:3 The key "x" is already in line 5. Remove one of them.'],
  ],
  [
    'URLs without TLS, or of another scheme',
    `name: test
baseUrl: http://api.example.com
authentication:
  - { scheme: oauth2, grantType: authorizationCode, authUrl: http://a.example.com/x, tokenUrl: ftp://a.example.com/t }
healthCheck: { url: http://api.example.com/me }
`,
    [
      '2:1 baseUrl would send credentials unencrypted; write "https://api.example.com", or use an input of kind url for a customer\'s own server.',
      '4:53 authentication.0.authUrl would send credentials unencrypted; write "https://a.example.com/x", or use an input of kind url for a customer\'s own server.',
      '4:86 authentication.0.tokenUrl must be a complete URL, such as https://accounts.example.com/oauth/authorize.',
      '5:16 healthCheck.url would send credentials unencrypted; write "https://api.example.com/me", or use an input of kind url for a customer\'s own server.',
    ],
  ],
  [
    'brackets that do not end',
    `${head}objects:
  x: { read: { path: /x }
  y: [
`,
    [
      '6:3 Flow map in block collection must be sufficiently indented and end with a }.',
      '7:1 Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
  ],
  [
    'tabs',
    `name: test
baseUrl: https://api.example.com
authentication:
	- scheme: none
`,
    ['4:1 Tabs are not allowed as indentation.'],
  ],
  ['an empty file', ``, ['1:1 The file must be an object with keys, such as `name: acme`.']],
  [
    'a file with nothing in it',
    `displayName: X
`,
    [
      '1:1 The file needs the key "name".',
      '1:1 The file needs the key "baseUrl".',
      '1:1 The file needs the key "authentication".',
    ],
  ],
  [
    'authentication methods',
    `name: test
baseUrl: https://api.example.com
authentication:
  - { scheme: apikey, attach: header }
  - { scheme: apiKey, attach: headr }
  - { scheme: oauth2 }
  - { scheme: apiKey, attach: header }
  - { grantType: x }
  - bearer
`,
    [
      '4:7 authentication.0.scheme must be one of none, apiKey, basic, oauth2, custom; did you mean "apiKey"?',
      '5:23 authentication.1.attach must be one of header, query, basic; did you mean "header"?',
      '6:5 authentication.2 needs the key "grantType".',
      '6:5 authentication.2 needs the key "tokenUrl".',
      '7:5 authentication.3 needs the key "name".',
      '8:5 authentication.4 needs the key "scheme": none, apiKey, basic, oauth2, custom.',
      '9:5 authentication.5 must be an object.',
    ],
  ],
  [
    'webhooks',
    `${head}objects:
  contacts: { read: { path: /c } }
webhooks:
  endpoint: instalation
  verify: { by: hmac, algorithm: md5, encoding: hex, header: X, secret: { from: generated } }
  event: { name: type }
  objects: { contact: { create: [a] }, contacts: { created: [b] } }
`,
    [
      '7:3 webhooks.endpoint must be one of installation, app; did you mean "installation"?',
      '8:23 webhooks.verify.algorithm must be one of sha1, sha256, sha512.',
      '10:14 webhooks.objects.contact is not an object of this file ("contact"); an object that exists only in events needs a "record" here; did you mean "contacts"?',
      '10:52 webhooks.objects.contacts.created is an unknown key; did you mean "create"?',
    ],
  ],
  [
    'parts of webhooks',
    `${head}objects:
  contacts: { read: { path: /c } }
webhooks:
  endpoint: installation
  registration: { per: installation, create: { path: /h } }
  verify: { by: hmac, algorithm: sha256, encoding: hex, header: X, secret: { from: generatd } }
  event: { name: type, id: id }
  objects: { contacts: { create: a } }
`,
    [
      '8:3 webhooks.registration needs the key "id".',
      '9:78 webhooks.verify.secret.from must be one of answer, generated, app, installation, credential; did you mean "generated"?',
      '10:24 webhooks.event.id must be a list, such as [id].',
      '11:26 webhooks.objects.contacts.create must be a list, such as [a].',
    ],
  ],
  [
    'inputs',
    `name: test
baseUrl: https://{{workspce}}.example.com
inputs:
  - { name: workspace }
  - { name: workspace }
  - { displayName: X }
  - { name: url, kind: uri }
authentication: [{ scheme: none }]
`,
    [
      '5:7 inputs.1.name declares "workspace" twice.',
      '6:5 inputs.2 needs the key "name".',
      '7:18 inputs.3.kind must be one of text, host, url; did you mean "url"?',
    ],
  ],
  [
    'keys without values',
    `name: test
baseUrl:
authentication:
objects:
  x:
`,
    [
      '2:1 baseUrl is empty; it must be a text.',
      '3:1 authentication is empty; it must be a list.',
      '5:3 objects.x is empty; it must be an object.',
    ],
  ],
  [
    'errors and limits',
    `${head}errors:
  message: error.message
  rules:
    - { status: 200, is: ratelimited }
    - { status: '4xx', is: not_found }
    - { when: { a: { matches: '(' } }, is: forbidden }
    - { when: error, is: forbidden }
rateLimit: { requests: ten, perSecond: 1 }
`,
    [
      '5:3 errors.message must be a list, such as [error.message].',
      '7:22 errors.rules.0.is must be one of rate_limited, provider_5xx, unexpected_response, not_found, cursor_gone, auth_invalidated, forbidden, bad_request, list_truncated, unsupported_object; did you mean "rate_limited"?',
      '8:9 errors.rules.1.status must be a whole number.',
      '9:22 errors.rules.2.when.a.matches is not a pattern in RE2 syntax: error parsing regexp: missing closing ): `(`.',
      '10:9 errors.rules.3.when must be an object.',
      '11:1 rateLimit needs the key "perSeconds".',
      '11:1 rateLimit needs the key "per".',
      '11:14 rateLimit.requests must be a whole number.',
      '11:29 rateLimit.perSecond is an unknown key; did you mean "perSeconds"?',
    ],
  ],
  [
    'modules',
    `${head}modules:
  crm: { objects: { x: { read: { path: /x } } } }
objects:
  y: { read: { path: /y } }
defaultModule: cmr
`,
    [
      '6:1 objects must be under a module, because the provider has modules.',
      '8:1 defaultModule is not a module of this file; did you mean "crm"?',
    ],
  ],
  [
    'values after authentication',
    `${head}postAuthentication:
  - { name: a, request: { url: /me, path: id } }
  - { name: a, request: { url: https://api.example.com/me } }
`,
    [
      '5:27 postAuthentication.0.request.url must be http(s)://host/path, or start with an input of kind url.',
      '6:16 postAuthentication.1.request needs the key "path".',
    ],
  ],
  [
    'an alias without an anchor',
    `${head}objects:
  x: { read: *nothere }
`,
    ['5:14 No earlier value has the anchor &nothere.'],
  ],
  [
    'quotation marks of a text processor, and a key of JavaScript',
    `${head}objects:
  x: { read: { path: /x } }
  “y”: { read: { path: “/y” } }
  __proto__: { read: { path: /p } }
`,
    [
      '6:18 objects.“y”.read.path must start with one "/", and may not contain spaces, backslashes or "#".',
      '7:3 objects.__proto__ cannot be a key.',
    ],
  ],
  [
    'two documents',
    `${head}---
name: b
`,
    ['4:1 A file has one YAML document. Remove the line "---".'],
  ],
  [
    'keys in another case',
    `${head}Objects:
  x: { read: { path: /x } }
base_url: https://x.example.com
objects:
  x: { Read: { path: /x } }
`,
    [
      '4:1 Objects is an unknown key; did you mean "objects"?',
      '6:1 base_url is an unknown key; did you mean "baseUrl"?',
      '8:3 objects.x needs at least one of "read", "write" and "get".',
      '8:8 objects.x.Read is an unknown key; did you mean "read"?',
    ],
  ],
]

it.each(files)('all that is wrong is in one answer: %s', (_, text, expected) => {
  const { faults = [] } = readProviderFile('test.yaml', text)
  expect(faults.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual(expected)
})
