import { expect, it } from 'vitest'
import { entryOf } from '../testing/provider.testkit.ts'
import { lackingScopes, scopesOfObject, wordsOfNeeds } from './object-scopes.ts'

const oauth = `{ scheme: oauth2, grantType: authorizationCode, authUrl: https://api.test/a, tokenUrl: https://api.test/t }`

const file = ({ authentication = oauth, scopes = '{ read: [things.read] }', further = '' }) => `name: test
baseUrl: https://api.test
authentication: [${authentication}]
templates:
  thing:
    scopes: ${scopes}
    read: { path: '/{{object}}' }
    write: { create: { path: '/{{object}}' }, delete: { path: '/{{object}}/{{id}}' } }
objects:
  things: { like: thing }
  notes: { like: thing, scopes: { read: [notes.read], write: null } }
  logs: { like: thing, write: null }
otherObjects: [{ match: x_.*, like: thing }]
${further}
`
const webhooks = `webhooks:
  endpoint: installation
  scopes: [hooks]
  verify: { by: token, header: X-Token, secret: { from: app } }
  event: { name: name, id: [id] }
  otherObjects: { create: [made] }`

it('an object inherits the scopes of its template, and replaces or removes them by action', () => {
  const entry = entryOf(file({ scopes: '{ read: [things.read], write: [{ anyOf: [things.write, admin] }] }' }))
  const write = [['things.write', 'admin']]
  expect(entry.objectScopes).toEqual({
    '': {
      things: { read: [['things.read']], write, delete: write },
      notes: { read: [['notes.read']] },
      logs: { read: [['things.read']] },
      '*': { read: [['things.read']], write, delete: write },
    },
  })
  expect(scopesOfObject(entry, undefined, 'x_anything')).toEqual(scopesOfObject(entry, undefined, 'things'))
  expect(scopesOfObject(entry, undefined, 'constructor').read).toEqual([['things.read']])
})

it('a subscription needs the scopes of webhooks, and those of the object to read it', () => {
  const entry = entryOf(file({ further: webhooks }))
  expect(scopesOfObject(entry, undefined, 'notes').subscribe).toEqual([['notes.read'], ['hooks']])
})

it.each([
  ['an action that does not exist', { scopes: '{ reed: [a] }' }, /did you mean "read"/],
  ['an empty list', { scopes: '{ read: [] }' }, /things\.scopes\.read|templates\.thing\.scopes\.read/],
  ['no action', { scopes: '{}' }, /scopes/],
  ['one alternative', { scopes: '{ read: [{ anyOf: [a] }] }' }, /anyOf/],
  [
    'scopes without OAuth',
    { authentication: '{ scheme: apiKey, attach: header, name: X-Api-Key }' },
    /templates\.thing\.scopes needs an authentication method with `scheme: oauth2`/,
  ],
  [
    'a scope that includes itself',
    { authentication: oauth.replace(' }', ', scopeIncludes: { a: [a] } }') },
    /scopeIncludes\.a includes itself/,
  ],
])('the check of a file refuses %s', (_, parts, message) => {
  expect(() => entryOf(file(parts))).toThrow(message)
})

it('a broader scope, one of several, or the same scope behind its prefix meets a need', () => {
  const rules = {
    scopeIncludes: { 'https://api.test/all': ['write'], write: ['read'] },
    scopePrefix: 'https://api.test/',
  }
  const needs = [['read'], ['https://api.test/write', 'admin'], ['erase']]
  expect(lackingScopes(rules, needs, [])).toEqual(needs)
  expect(lackingScopes(rules, needs, ['all'])).toEqual([['erase']])
  expect(lackingScopes(rules, needs, ['https://api.test/read', 'admin', 'erase'])).toEqual([])
  expect(lackingScopes({}, needs, ['write'])).toEqual(needs)
  expect(wordsOfNeeds([['a', 'b'], ['c'], ['c']])).toEqual(['a or b', 'c'])
})

it('scopes that include one another end', () => {
  expect(lackingScopes({ scopeIncludes: { a: ['b'], b: ['a'] } }, [['b'], ['c']], ['a'])).toEqual([['c']])
})
