import { expect, test } from 'vitest'
import { testTerminal } from '../testkit/test-terminal.ts'
import { credentialBlock, credentialFields, findScheme, needsBrowser, schemesOf } from './credential-fields.ts'
import { collectValues, metadataFields } from './index.ts'

const provider = (parts: object) => ({ name: 'p', defaultModule: '', authType: 'apiKey', ...parts }) as never

const oauth2 = (name: string, grantType: 'authorizationCode' | 'clientCredentials' | 'password') => {
  const oauth2Opts = { grantType, tokenURL: '', explicitScopesRequired: true, explicitWorkspaceRequired: false }
  return { name, type: 'oauth2' as const, oauth2Opts: { ...oauth2Opts, tokenMetadataFields: {} } }
}

test('a scheme is found by its name, else by its kind, and whoever has none needs none', () => {
  const schemes = [oauth2('person', 'authorizationCode'), oauth2('robot', 'clientCredentials')]
  expect(schemesOf(provider({ schemes }))).toEqual(schemes)
  expect(schemesOf(provider({ schemes: [] }))).toEqual([{ name: 'none', type: 'none' }])
  expect(findScheme(schemes, 'robot')).toBe(schemes[1])
  expect(findScheme(schemes, 'oauth2')).toBe(schemes[0])
  expect(findScheme(schemes, 'none')).toBeUndefined()
})

test('each scheme asks for what it takes, and sends it in its block', () => {
  const custom = {
    name: 'custom',
    type: 'custom' as const,
    customOpts: {
      inputs: [
        { name: 'user', displayName: 'User', fieldType: 'fieldTypeText' as const },
        { name: 'token', displayName: 'Token' },
      ],
    },
  }
  expect(credentialFields(custom).map(({ name, secret }) => [name, secret])).toEqual([
    ['user', false],
    // A password, unless declared otherwise.
    ['token', true],
  ])
  expect(credentialBlock(custom, { user: 'a', token: 'b' })).toEqual({ customAuth: { user: 'a', token: 'b' } })
  expect(credentialBlock({ type: 'apiKey' }, { apiKey: 'k' })).toEqual({ apiKey: 'k' })
  const keyAsBasic = { name: 'basic', type: 'basic' as const, basicOpts: { apiKeyAsBasic: true } }
  expect(credentialFields(keyAsBasic).every(({ optional }) => optional)).toBe(true)
  expect(credentialBlock(keyAsBasic, { username: 'k' })).toEqual({ basicAuth: { username: 'k', password: '' } })
})

test('of OAuth, only what needs no browser is asked for here', () => {
  expect(needsBrowser(oauth2('person', 'authorizationCode'))).toBe(true)
  expect(credentialFields(oauth2('person', 'authorizationCode'))).toEqual([])
  const robot = oauth2('robot', 'clientCredentials')
  expect(needsBrowser(robot)).toBe(false)
  expect(credentialFields(robot).map(({ name }) => name)).toEqual(['clientId', 'clientSecret', 'scopes'])
  expect(credentialBlock(robot, { clientId: 'c', scopes: 'a, b' })).toEqual({
    oauth2ClientCredentials: { clientId: 'c', clientSecret: '', scopes: ['a', 'b'] },
  })
  const password = oauth2('password', 'password')
  expect(credentialFields(password).map(({ name }) => name)).toContain('username')
})

test('values of another module than the usual one are not asked for', () => {
  const input = [
    { name: 'all' },
    { name: 'ours', moduleDependencies: { crm: {} } },
    { name: 'others', moduleDependencies: { mail: {} } },
  ]
  expect(metadataFields(provider({ defaultModule: 'crm', metadata: { input } })).map(({ name }) => name)).toEqual([
    'all',
    'ours',
  ])
})

const fields = [
  { name: 'url', label: 'Address', secret: false, initial: 'http://usual' },
  { name: 'user', label: 'User', secret: false },
  { name: 'key', label: 'Key', secret: true },
  { name: 'extra', label: 'Extra', secret: true, optional: true },
]
const gather = (given: { set?: string[]; stdin?: string }, some = fields) =>
  collectValues(
    some,
    { set: given.set ?? [], secretsStdin: given.stdin !== undefined },
    testTerminal(given.stdin === undefined ? {} : { stdin: given.stdin }),
  )

test('a value that an account can be connected without is not missing', async () => {
  const fields = metadataFields(provider({ metadata: { input: [{ name: 'database', optional: true }] } }))
  expect(await collectValues(fields, { set: [], secretsStdin: false }, testTerminal())).toEqual({})
})

test('values come from the command line and standard input; usual ones need nobody', async () => {
  const one = fields.slice(0, 3)
  expect(await gather({ set: ['user=a=b'], stdin: ' k \n' }, one)).toEqual({
    url: 'http://usual',
    user: 'a=b',
    key: ' k ',
  })
  expect(await gather({ stdin: '{"user": "a", "key": "k"}' })).toEqual({ url: 'http://usual', user: 'a', key: 'k' })
})

test('everything that is missing is named at once, and nothing that was given is shown', async () => {
  await expect(gather({})).rejects.toThrow('user (by --set user=…), key (by --secrets-stdin)')
  await expect(gather({ set: ['user=u'], stdin: 'hush' })).rejects.toThrow('JSON object of strings with key, extra')
  await expect(gather({ stdin: '{"key": 1, "hush": "hush"}' })).rejects.toThrow(/^(?!.*hush)/)
  await expect(gather({ set: ['hush'] })).rejects.toThrow('--set name=value')
  await expect(gather({ set: ['nothing=x'] })).rejects.toThrow('no input nothing')
})

test('no value is looked up where every object has something', async () => {
  await expect(gather({ set: ['toString=x'] })).rejects.toThrow('no input toString')
  await expect(gather({}, [{ name: 'constructor', label: 'C', secret: false }])).rejects.toThrow('constructor')
})
