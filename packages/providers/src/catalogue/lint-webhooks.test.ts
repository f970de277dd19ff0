import { expect, it } from 'vitest'
import { entryOf } from '../testing/provider.testkit.ts'

const jwt = `{ by: jwt, algorithm: RS256, header: Authorization, toleranceSeconds: 60,
    bodyDigest: { claim: digest, algorithm: sha256, encoding: hex }, key: { from: app, name: publicKey } }`

const hmac = (rest: string) => `{ by: hmac, algorithm: sha256, encoding: hex, secret: { from: app }, ${rest} }`
const ed25519 = (key: string, header = 'header: X-Sig, ') =>
  `{ by: publicKey, algorithm: ed25519, encoding: hex, ${header}key: { ${key} } }`
const ofCustomer = (rest: string) => `{ by: token, header: X-Token, secret: { from: installation, ${rest} } }`
const token = '{ by: token, header: X-Token, secret: { from: app } }'
const oidc = `{ by: oidc, header: Authorization, issuers: [https://issuer.test], email: sender, toleranceSeconds: 60,
    key: { from: url, url: https://issuer.test/keys } }`
const offer = '{ when: { a: b }, secret: c }'

const file = ({
  endpoint = 'installation',
  verify = jwt,
  event = '{ named: made, id: [id] }',
  handshake = '',
  read = 'path: /things',
  registration = '',
  objects = '{ things: { create: [made] } }',
}) => `name: test
baseUrl: https://api.test
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects: { things: { read: { ${read} } } }
webhooks:
  endpoint: ${endpoint}
${endpoint === 'app' ? "  account: { at: account, is: '{{workspace}}' }" : ''}
  verify: ${verify}
  event: ${event}
  handshake: [${handshake}]
  ${registration === '' ? '' : `registration: { id: id, create: { path: /hooks }, ${registration} }`}
  objects: ${objects}
`

it('a token that is signed with a key of the app, or of the connection, is a way to verify', () => {
  const ofConnection = jwt.replace('from: app', 'from: connection')
  for (const said of [{}, { endpoint: 'app' }, { verify: ofConnection }])
    expect(entryOf(file(said)).file?.webhooks?.verify.by).toBe('jwt')
})

it('the sender of requests to the URL of an app is a way to verify', () => {
  expect(entryOf(file({ endpoint: 'app', verify: oidc })).file?.webhooks?.verify.by).toBe('oidc')
})

it('a secret of the app may be offered by the provider', () => {
  expect(entryOf(file({ endpoint: 'app', verify: token, handshake: offer })).file?.webhooks?.handshake).toHaveLength(1)
})

it('a secret may be one that the customer enters, or the credential of the connection', () => {
  const asked = ofCustomer('input: { displayName: Secret key, prompt: Look there., docsUrl: https://docs.test/hooks }')
  for (const verify of [asked, token.replace('from: app', 'from: credential')])
    expect(entryOf(file({ verify })).file?.webhooks?.verify.by).toBe('token')
})

it('a look-up may be left out for some of the objects', () => {
  const registration = 'per: object, lookups: [{ name: of, path: /of, value: id, unless: isPlain }]'
  const objects = "{ things: { create: [made] }, notes: { set: { isPlain: 'true' }, record: note, create: [noted] } }"
  expect(entryOf(file({ registration, objects })).file?.webhooks?.registration?.lookups).toHaveLength(1)
})

it('a URL may be checked without a signature', () => {
  const checks =
    "{ signed: false, method: GET }, { signed: false, answer: 'query:a', json: { b: '{{answer}}' } }, { signed: false, answer: 'header:X-A', header: X-A }"
  expect(entryOf(file({ handshake: checks })).file?.webhooks?.handshake).toHaveLength(3)
})

it.each([
  [
    'a key of one connection where all share a URL',
    { endpoint: 'app', verify: jwt.replace('from: app', 'from: connection') },
    /is a value of one connection/,
  ],
  ['an algorithm that is none', { verify: jwt.replace('RS256', 'none') }, /algorithm|RS256/],
  ['a shared secret', { verify: jwt.replace('RS256', 'HS256') }, /algorithm|RS256/],
  ['no digest of the body', { verify: jwt.replace(/bodyDigest: \{.*?\}, /, '') }, /bodyDigest/],
  ['a header that is none', { verify: jwt.replace('Authorization', 'A B') }, /is not a valid header name/],
  [
    'a look-up that is left out for a variable of nothing',
    { registration: 'per: object, lookups: [{ name: of, path: /of, value: id, unless: isPlain }]' },
    /names the variable "isPlain", which is not declared/,
  ],
  ['events without any name', { event: '{ id: [id] }' }, /one of "name" and "named"/],
  ['a secret of the customer that no form asks for', { verify: ofCustomer('encoding: text') }, /input.* is required/s],
  [
    'a form for a secret that no customer enters',
    { verify: token.replace('from: app', 'from: app, input: { displayName: Secret }') },
    /not allowed otherwise/,
  ],
  [
    'a secret of the customer where all share a URL',
    { endpoint: 'app', verify: ofCustomer('input: { displayName: Secret }') },
    /is of one connection/,
  ],
  [
    'a credential where all share a URL',
    { endpoint: 'app', verify: token.replace('from: app', 'from: credential') },
    /is of one connection/,
  ],
  [
    'equal events that are different, although a key tells them apart',
    { event: '{ named: made, id: [id], key: [id], keepRepeated: true }' },
    /is not allowed with "key"/,
  ],
  [
    'a handshake that does two things',
    { endpoint: 'app', handshake: '{ when: { a: b }, answer: c, secret: d }' },
    /one of "answer", "secret" and "visit"/,
  ],
  ['a handshake that does nothing', { handshake: '{ when: { a: b } }' }, /one of "answer", "secret" and "visit"/],
  [
    'a secret that is offered to one installation',
    { verify: token, handshake: offer },
    /needs `endpoint: app` and a secret from the app/,
  ],
  [
    'a secret that is offered where a public key verifies',
    { endpoint: 'app', handshake: offer },
    /needs `endpoint: app` and a secret from the app/,
  ],
  [
    'a signature in a header and in the body',
    { verify: hmac("header: X-Sig, body: sig, signedText: '{{payload.id}}'") },
    /one of "header" and "body"/,
  ],
  ['a signature that is nowhere', { verify: hmac('prefix: v1=') }, /one of "header" and "body"/],
  ['a public key without a header', { verify: ed25519('from: app, name: key', '') }, /one of "header" and "body"/],
  ['a public key of the file that is missing', { verify: ed25519('from: file') }, /required with `from: file`/],
  ['a public key of the app without a name', { verify: ed25519('from: app') }, /required for a value of the app/],
  ['a public key of no registration', { verify: ed25519('from: answer') }, /whose path "secret" is not declared/],
  ['a body that is not signed', { verify: hmac("header: X-Sig, signedText: '{{url}}'") }, /leaves the body out/],
  ['a body that signs itself', { verify: hmac('body: sig') }, /contains the signature/],
  [
    'a value that requests do not have',
    { verify: hmac("header: X-Sig, signedText: '{{body}}{{form}}'") },
    /uses the variable "form"/,
  ],
  [
    'a time that is not signed',
    { verify: hmac('header: X-Sig, timestamp: { header: X-Time, unit: seconds, toleranceSeconds: 9 }') },
    /is not signed: anybody could change it/,
  ],
  [
    'a time that is nowhere',
    { verify: hmac('header: X-Sig, timestamp: { unit: seconds, toleranceSeconds: 9 }') },
    /one of "header" and "body"/,
  ],
  [
    'a short secret of the app',
    { verify: hmac('header: X-Sig').replace('from: app', 'from: app, characters: 40') },
    /`from` is not `generated`/,
  ],
  ['a list without a secret in it', { verify: token.replace('header', 'list: value, header') }, /needs "body"/],
  ['a signed GET', { handshake: '{ method: GET, when: { a: b }, answer: c }' }, /has no body to sign/],
  ['a signed handshake that any event is', { handshake: '{ answer: c }' }, /needs "when"/],
  ['an unsigned one that any event is', { handshake: '{ signed: false }' }, /needs "when" or "answer"/],
  [
    'an unsigned text that Mortise would sign',
    { verify: hmac('header: X-Sig'), handshake: "{ signed: false, answer: c, json: { a: '{{hmac}}' } }" },
    /anybody could have texts signed/,
  ],
  [
    'a secret that an unsigned request brings',
    { endpoint: 'app', verify: token, handshake: '{ signed: false, when: { a: b }, secret: c }' },
    /an unsigned one has only "answer"/,
  ],
  [
    'a response header that is none',
    { handshake: "{ signed: false, answer: c, header: 'A B' }" },
    /not a valid header/,
  ],
  [
    'a URL that an unsigned request confirms with',
    { handshake: '{ signed: false, when: { a: b }, visit: { at: url, hosts: [api.test] } }' },
    /an unsigned one has only "answer"/,
  ],
  [
    'a nonce that is not signed',
    { verify: hmac("body: sig, nonce: token, signedText: '{{payload.id}}'") },
    /verify\.nonce is not signed/,
  ],
  [
    'a sender that is not signed',
    {
      verify:
        "{ by: publicKey, algorithm: rsaSha256, encoding: base64, body: sig, signedParts: ['{{payload.id}}'], sender: { at: topic, name: topic }, key: { from: file, value: KEY } }",
    },
    /verify\.sender\.at is not signed/,
  ],
  [
    'SHA-1 with another algorithm than RSA',
    { verify: ed25519('from: file, value: KEY', 'header: X-Sig, sha1When: { v: 1 },') },
    /`rsaSha256` only/,
  ],
  [
    'two texts that are signed',
    { verify: hmac("header: X-Sig, signedText: '{{body}}', signedParts: ['{{body}}']") },
    /not allowed with "signedText"/,
  ],
  ['a token of a sender for the URL of one installation', { verify: oidc }, /needs `endpoint: app`/],
  [
    'a registration with the URL of an installation where all share one',
    { endpoint: 'app', registration: "per: installation, renew: { path: /hooks, body: { url: '{{url}}' } }" },
    /`endpoint: app` has neither/,
  ],
  [
    'a generated secret where all share a URL',
    { endpoint: 'app', verify: token.replace('app', 'generated'), registration: 'per: installation' },
    /must be `app`/,
  ],
  [
    'a renewal after the end',
    { registration: 'per: object, lifetimeSeconds: 60, renewAfterSeconds: 60' },
    /must be shorter than "lifetimeSeconds"/,
  ],
  [
    'a lifetime of an object that has no registration of its own',
    { registration: 'per: event', objects: '{ things: { lifetimeSeconds: 60, create: [made] } }' },
    /needs a registration with `per: object`/,
  ],
  [
    'one registration of an object where none is for each item',
    { registration: 'per: object', objects: '{ things: { once: true, create: [made] } }' },
    /needs a registration with `each`/,
  ],
  ['an event of a record without its id', { event: '{ named: made }' }, /whose "id" is not declared/],
  [
    'a change of an object that would be read whole',
    { event: '{ name: type }', objects: '{ things: { changed: [exists] } }' },
    /needs an object with "incremental"/,
  ],
  ['events with two', { event: '{ name: type, named: made, id: [id] }' }, /one of "name" and "named"/],
])('%s is refused', (_, said, message) => {
  expect(() => entryOf(file(said))).toThrow(message)
})

it('an event has all parts of a composite id, or says how reads write it', () => {
  const composite = { read: 'path: /things, id: [shop.id, number]' }
  const named = "{ things: { id: [key], idAs: '7/{{id}}', create: [made] } }"
  const right = [
    { event: '{ named: made, id: [[shop, number], [old.shop, old.number]] }' },
    { objects: '{ things: { id: [[shop, number]], create: [made] } }' },
    { objects: named },
  ]
  for (const said of right) expect(entryOf(file({ ...composite, ...said })).file?.webhooks).toBeDefined()
  for (const id of ['[id]', '[[shop, number], id]', '[[shop, number, key]]'])
    expect(() => entryOf(file({ ...composite, event: `{ named: made, id: ${id} }` }))).toThrow(
      'webhooks.event.id must have the 2 parts of the id that reads of "things" use (shop.id, number)',
    )
  expect(() => entryOf(file({ ...composite, objects: '{ things: { id: [number], create: [made] } }' }))).toThrow(
    'webhooks.objects.things.id must have the 2 parts',
  )
})

it('variants are those of events that an object lists', () => {
  const variant = (of: string) => `{ name: type, id: [id], variants: [{ of: [${of}], when: { one: true }, as: one }] }`
  expect(() => entryOf(file({ event: variant('made') }))).not.toThrow()
  expect(() => entryOf(file({ event: variant('maed') }))).toThrow(
    'webhooks.event.variants.0.of must have events of the objects ("maed" is none)',
  )
})
