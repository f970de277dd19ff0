import { expect, it } from 'vitest'
import { readProviderFile } from './read-provider-file.ts'

/** Settings of the provider app, some secret: a file must not let a customer choose where they are sent. */

const oauth =
  'authentication: [{ scheme: oauth2, grantType: authorizationCode, authUrl: https://a.example.com/a, tokenUrl: https://a.example.com/t }]'
const params = 'appMetadata: { providerParams: [{ name: token, secret: true, required: true }, { name: region }] }'
const file = (rest: string, base = 'baseUrl: https://api.example.com', authentication = oauth) =>
  `name: test\n${base}\n${authentication}\n${params}\n${rest}\n`
const object = (read: string) => `objects: { things: { read: { path: /things, ${read} } } }`

const faultsOf = (text: string) => (readProviderFile('test.yaml', text).faults ?? []).map(({ message }) => message)

it('headers may have the client ID, which needs no declaration', () => {
  expect(faultsOf(file("headers: { client: '{{app.clientId}}' }"))).toEqual([])
})

it('headers, queries and bodies may have them', () => {
  const uses = object(
    `headers: { x-key: '{{app.token}}' }, query: { r: '{{app.region}}' }, method: POST, body: { t: { $value: app.token }, '{{app.region}}': { $when: app.region, a: 1 } }`,
  )
  expect(faultsOf(file(`headers: { token: 'Key {{app.token}}' }\n${uses}`))).toEqual([])
})

const only = 'which only "headers", "query" and "body" of requests can have'
const noClient = 'authentication has a method without the client of the provider app, and "app.clientId" is its id.'
const careless: [string, string, string[]][] = [
  [
    'an undeclared one',
    file("headers: { token: '{{app.tokn}}' }"),
    ['headers.token uses the variable "app.tokn", which "appMetadata.providerParams" does not declare.'],
  ],
  [
    'the client secret',
    file("headers: { token: '{{app.clientSecret}}' }"),
    ['headers.token uses the variable "app.clientSecret", which "appMetadata.providerParams" does not declare.'],
  ],
  [
    'a client ID where each customer has a client',
    file(
      "headers: { client: '{{app.clientId}}' }",
      undefined,
      'authentication: [{ scheme: oauth2, grantType: clientCredentials, tokenUrl: https://a.example.com/t }]',
    ),
    [noClient],
  ],
  [
    'a client ID where some customers have a key instead',
    file("headers: { client: '{{app.clientId}}' }", undefined, oauth.replace(/}]$/, '}, { scheme: basic }]')),
    [noClient],
  ],
  [
    'a setting with the name of what every app has',
    file("headers: { client: '{{app.clientId}}' }").replace('name: region', 'name: clientId'),
    ['appMetadata.providerParams.1.name is "clientId", a name that every app has.'],
  ],
  [
    'a part of a host',
    file('', "baseUrl: 'https://{{app.region}}.example.com'"),
    [`baseUrl uses the variable "app.region", ${only}.`],
  ],
  [
    'a part of a path',
    file("objects: { things: { read: { path: '/{{app.token}}/things' } } }"),
    [`objects.things.read.path uses the variable "app.token", ${only}.`],
  ],
  [
    'an expression, which a path may have',
    file(object("expressions: { e: { parts: ['{{app.token}}'] } }, query: { e: '{{e}}' }")),
    [`objects.things.read.expressions.e.parts.0 uses the variable "app.token", ${only}.`],
  ],
  [
    'a part of the path of an object whose name is that of a place for them',
    file("objects: { query: { read: { path: '/{{app.token}}/things' } } }"),
    [`objects.query.read.path uses the variable "app.token", ${only}.`],
  ],
  [
    'a part of the path of an object called webhooks',
    file("objects: { webhooks: { read: { path: '/{{app.region}}/hooks' } } }"),
    [`objects.webhooks.read.path uses the variable "app.region", ${only}.`],
  ],
  [
    'all at once',
    file(object('method: POST, body: { all: { $value: app } }')),
    [
      'objects.things.read.body.all.$value uses the variable "app", which has all settings of the provider app; name one.',
    ],
  ],
  [
    'a host that the customer enters',
    file("inputs: [{ name: url, kind: url }]\nheaders: { token: '{{app.token}}' }", "baseUrl: '{{url}}'"),
    ['baseUrl lets "url" choose the host, which receives values of the provider app.'],
  ],
  [
    'a host below which anyone can register one',
    file("inputs: [{ name: shop }]\nheaders: { token: '{{app.token}}' }", "baseUrl: 'https://{{shop}}.co.uk'"),
    ['baseUrl ends its host with "co.uk", below which anyone can register a host.'],
  ],
  [
    'another host of a request that a customer enters',
    file(
      `inputs: [{ name: host, kind: host, use: optional }]\n${object("base: 'https://{{host}}', headers: { t: '{{app.token}}' }")}`,
    ),
    ['objects.things.read.base lets "host" choose the host, which receives values of the provider app.'],
  ],
  [
    'a secret in requests about webhooks',
    file(`${object('pageSizeMax: 1')}
webhooks:
  endpoint: installation
  registration:
    per: installation
    create: { path: /hooks, body: { url: '{{url}}', token: '{{app.token}}' } }
    id: id
    delete: { path: '/hooks/{{id}}' }
  verify: { by: token, header: X-Token, secret: { from: generated } }
  event: { name: type, id: [id] }
  objects: { things: { create: [made] } }`),
    [
      'webhooks.registration.create.body.token uses the variable "app.token", which is secret; requests of webhooks cannot have it.',
    ],
  ],
  [
    'a provider without apps',
    file("headers: { token: '{{app.token}}' }", undefined, 'authentication: [{ scheme: basic }]'),
    ['appMetadata needs OAuth or custom authentication: no other provider has apps.'],
  ],
]
it.each(careless)('%s is an error', (_, text, faults) => {
  expect(faultsOf(text)).toEqual(faults)
})
