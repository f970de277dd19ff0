import { expect, it } from 'vitest'
import { entryOf } from '../testing/provider.testkit.ts'

const jwt = `{ by: jwt, algorithm: RS256, header: Authorization, toleranceSeconds: 60,
    bodyDigest: { claim: digest, algorithm: sha256, encoding: hex }, key: { from: app, name: publicKey } }`

const token = '{ by: token, header: X-Token, secret: { from: app } }'
const offer = '{ when: { a: b }, secret: c }'

const file = ({
  endpoint = 'installation',
  verify = jwt,
  event = '{ named: made, id: [id] }',
  handshake = '',
}) => `name: test
baseUrl: https://api.test
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects: { things: { read: { path: /things } } }
webhooks:
  endpoint: ${endpoint}
${endpoint === 'app' ? "  account: { at: account, is: '{{workspace}}' }" : ''}
  verify: ${verify}
  event: ${event}
  handshake: [${handshake}]
  objects: { things: { create: [made] } }
`

it('a token that is signed with a key of the app, or of the connection, is a way to verify', () => {
  const ofConnection = jwt.replace('from: app', 'from: connection')
  for (const said of [{}, { endpoint: 'app' }, { verify: ofConnection }])
    expect(entryOf(file(said)).file?.webhooks?.verify.by).toBe('jwt')
})

it('a secret of the app may be offered by the provider', () => {
  expect(entryOf(file({ endpoint: 'app', verify: token, handshake: offer })).file?.webhooks?.handshake).toHaveLength(1)
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
  ['events without any name', { event: '{ id: [id] }' }, /one of "name" and "named"/],
  [
    'a handshake that does two things',
    { endpoint: 'app', handshake: '{ when: { a: b }, answer: c, secret: d }' },
    /one of "answer" and "secret"/,
  ],
  ['a handshake that does nothing', { handshake: '{ when: { a: b } }' }, /one of "answer" and "secret"/],
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
  ['events with two', { event: '{ name: type, named: made, id: [id] }' }, /one of "name" and "named"/],
])('%s is refused', (_, said, message) => {
  expect(() => entryOf(file(said))).toThrow(message)
})
