/**
 * A provider whose webhooks are registered for each installation, and one whose app has a single URL for all accounts.
 */
const hookCrm = `
name: hookCrm
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url, hosts: [] }]
authentication:
  - { scheme: apiKey, attach: header, name: X-Api-Key }
  - { scheme: oauth2, grantType: authorizationCode, authUrl: '{{url}}/authorize', tokenUrl: '{{url}}/token' }
errors: { message: [error] }
objects:
  contacts:
    read: { path: /contacts, records: data }
    get: { path: '/contacts/{{id}}' }
  companies:
    read: { path: /companies, records: data }
    readByIds: { path: /companies, query: { ids: '{{ids}}' }, records: data, max: 2 }
webhooks:
  endpoint: installation
  registration:
    per: object
    create: { path: /hooks, body: { url: '{{url}}', secret: '{{secret}}', object: '{{object}}', events: { $value: events } } }
    id: id
    expires: expires
    renew: { path: '/hooks/{{id}}/renew' }
    delete: { method: DELETE, path: '/hooks/{{id}}' }
  verify:
    by: hmac
    algorithm: sha256
    encoding: hex
    header: X-Signature
    prefix: v1=
    signedText: '{{timestamp}}.{{body}}'
    timestamp: { header: X-Time, unit: seconds, toleranceSeconds: 300 }
    secret: { from: generated }
  event: { list: events, name: type, id: [recordId], time: at, key: [eventId], record: record, fieldsUpdated: changed }
  association: { from: from, to: to, toObject: { path: kind, map: { CONTACT_TO_COMPANY: companies } } }
  otherObjects: { create: [made], update: [changed], delete: [gone], association: [linked] }
`.replaceAll("url: '{{url}}', secret", "callback: '{{url}}', secret")

/** One whose webhooks are registered for each space of an account; those of companies once. */
const hookSpaces = hookCrm
  .replace('  otherObjects:', '  objects: { companies: { create: [made], once: true } }\n  otherObjects:')
  .replace('name: hookCrm', 'name: hookSpaces')
  .replace('per: object\n', 'per: object\n    each: { path: /spaces, only: { mine: true }, keep: { space: id } }\n')
  .replace("object: '{{object}}'", "object: '{{object}}', space: '{{parent.space}}'")
  .replace("path: '/hooks/{{id}}' }", "path: '/hooks/{{id}}', query: { space: '{{parent.space}}' } }")

const hookApp = `
name: hookApp
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url, hosts: [] }]
authentication:
  - { scheme: apiKey, attach: header, name: X-Api-Key }
  - { scheme: oauth2, grantType: authorizationCode, authUrl: '{{url}}/authorize', tokenUrl: '{{url}}/token' }
objects:
  contacts:
    read: { path: /contacts, records: data }
webhooks:
  endpoint: app
  account: { at: account, is: '{{workspace}}' }
  verify:
    by: hmac
    algorithm: sha256
    encoding: base64
    header: X-App-Signature
    signedText: '{{method}}{{url}}{{body}}'
    secret: { from: app, name: signingSecret }
  handshake:
    - { when: { type: hello }, answer: challenge }
    - { when: { token: { present: true } }, secret: token }
  event: { name: type, id: [recordId], record: record }
  objects: { contacts: { create: [made] } }
`

/** One whose URL the customer enters, and whose account signs with a key of its own. */
const hookToken = `
name: hookToken
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects:
  contacts:
    read: { path: /contacts, records: data }
webhooks:
  endpoint: installation
  verify:
    by: jwt
    algorithm: RS256
    header: Authorization
    bodyDigest: { claim: body_sha256, algorithm: sha256, encoding: hex }
    urlClaim: webhook_url
    toleranceSeconds: 60
    key: { from: connection, name: publicKey }
  event: { named: contact.made, id: [record.id], record: record }
  objects: { contacts: { create: [contact.made] } }
`

/** One whose customers set up the webhook, and enter its secret. Nothing tells its events apart. */
const hookManual = hookToken
  .replace('name: hookToken', 'name: hookManual\ndisplayName: Hook Manual')
  .replace(
    / {4}by: jwt[\s\S]*?key: \{.*?\}\n/,
    `    by: hmac
    algorithm: sha256
    encoding: hex
    header: X-Signature
    prefix: 'sha256 '
    secret: { from: installation, input: { displayName: Secret key, prompt: Look there., docsUrl: 'https://docs.test/hooks' } }
`,
  )
  .replace('record: record }', 'record: record, keepRepeated: true }')

/** One that signs with the API key. */
const hookKeyed = hookManual
  .replace('name: hookManual', 'name: hookKeyed')
  .replace(/secret: \{ from: installation.*\n/, 'secret: { from: credential }\n')

/** One that checks its URL in every way. */
const hookCheck = hookApp
  .replace('name: hookApp', 'name: hookCheck')
  .replace('type: hello', 'type: sign')
  .replace('answer: challenge }', "answer: text, json: { signed: '{{hmac}}' } }")
  .replace(
    '    - { when: { token: { present: true } }, secret: token }\n',
    `    - { signed: false, method: GET, answer: 'query:challenge' }
    - { signed: false, method: GET, answer: 'query:hub.challenge', token: { at: 'query:hub.verify_token', name: verifyToken } }
    - { signed: false, method: GET, answer: 'header:X-Check', json: { check: '{{answer}}' } }
    - { signed: false, answer: 'header:X-Hook-Secret', header: X-Hook-Secret }
    - { signed: false, when: { type: hello }, answer: challenge, json: { challenge: '{{answer}}' } }
`,
  )

/** One that checks the URL while it registers a webhook, and then has it confirmed. */
const hookConfirmed = hookCrm
  .replace('name: hookCrm', 'name: hookConfirmed')
  .replace('per: object\n', "per: object\n    confirm: { path: '/hooks/{{id}}/confirm' }\n")
  .replace('    id: id\n', "    id: 'header:X-Id'\n    secret: secret\n")
  .replace('from: generated', "from: answer, prefix: 'key-'")
  .replace(
    '  event:',
    `  handshake:
    - { signed: false, method: GET, answer: 'query:challenge', json: { check: '{{answer}}' } }
    - { signed: false, answer: 'header:X-Hook-Secret', header: X-Hook-Secret }
  event:`,
  )

/** One that sends its secret in the body. */
const hookBody = hookCrm
  .replace('name: hookCrm', 'name: hookBody')
  .replace(/ {4}by: hmac[\s\S]*?toleranceSeconds: 300 \}\n/, '    by: token\n    body: token\n')
  .replace('event: { list: events, ', 'event: { ')

/** One that says only that an object changed, and that sends notifications about its registrations. */
const hookSignal = `
name: hookSignal
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url, hosts: [] }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
errors: { message: [error] }
objects:
  contacts:
    read: { path: /contacts, query: { since: '{{since}}' }, records: data }
    incremental: { format: rfc3339 }
webhooks:
  endpoint: installation
  registration:
    per: object
    create: { path: /hooks, body: { callback: '{{url}}', secret: '{{secret}}', object: '{{object}}', channel: '{{uuid}}', events: { $value: events } } }
    id: id
    expires: expires
    renew: { path: '/hooks/{{id}}/renew' }
    delete: { path: '/hooks/{{id}}' }
  verify: { by: token, header: X-Token, secret: { from: generated } }
  lifecycle: { name: 'header:X-Lifecycle', renew: [expiring], lost: [removed], missed: [missed] }
  event: { name: 'header:X-State', key: ['header:X-Number'] }
  objects: { contacts: { changed: [exists] } }
`

/** One whose mailboxes are watched by each account, and whose broker sends all notifications to one URL. */
const hookBroker = `
name: hookBroker
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url, hosts: [] }]
authentication:
  - { scheme: apiKey, attach: header, name: X-Api-Key }
  - { scheme: oauth2, grantType: authorizationCode, authUrl: '{{url}}/authorize', tokenUrl: '{{url}}/token' }
objects:
  contacts:
    read: { path: /contacts, query: { since: '{{since}}' }, records: data }
    incremental: { format: rfc3339 }
webhooks:
  endpoint: app
  account: { at: emailAddress, lookup: { path: /profile, value: emailAddress } }
  registration:
    per: installation
    create: &watch { path: /watch, body: { topic: 'projects/{{app.project}}/topics/{{app.topic}}' } }
    id: historyId
    expires: expiration
    renewAfterSeconds: 86400
    renew: *watch
  verify:
    by: oidc
    header: Authorization
    issuers: [https://issuer.test]
    email: sender
    toleranceSeconds: 60
    key: { from: url, url: 'KEYS' }
  event: { encoded: message.data, named: mailbox.changed, key: [emailAddress, historyId] }
  objects: { contacts: { changed: [mailbox.changed] } }
`

/** Provider files by name. */
export const hookProviders = {
  hookCrm,
  hookSpaces,
  hookApp,
  hookToken,
  hookCheck,
  hookConfirmed,
  hookBody,
  hookSignal,
  hookManual,
  hookKeyed,
  hookBroker,
}
