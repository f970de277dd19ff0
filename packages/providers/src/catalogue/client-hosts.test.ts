import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { hostileHosts } from '../conformance/url-faults.ts'
import { clientUrl } from '../interpreter/client-url.ts'
import { fitsHost, isHostPattern } from '../interpreter/host-pattern.ts'
import { InvalidInputs } from '../provider-error.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import type { ProviderEntry } from './entry.ts'
import { loadCatalogue } from './load-catalogue.ts'
import { readProviderFile } from './read-provider-file.ts'
import { readBuiltInSources } from './read-sources.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })

/** Texts that parsers of URLs have been led astray by, and hosts of somebody else. */
const hostile = [
  ...hostileHosts,
  'evil.com',
  'evil.com:443',
  'x:y@evil.com',
  'evil%2ecom',
  '%00',
  ' ',
  '.',
  '.evil.com',
  'evil.com.',
  'evil.com\n',
  '\nevil.com',
  'evil.com\t/',
  'EVIL.COM',
  'évil.com',
  'xn--vil-9la.com',
  'https://evil.com',
  'http://evil.com',
  '//evil.com',
  '127.0.0.1',
  '[::1]',
  'localhost',
  'accounts.zoho.com.evil.com',
  'evil-talkdeskid.com',
  'eviltalkdeskid.com',
  'coupahost.com',
  'a'.repeat(300),
]

const { sources } = readBuiltInSources()
type Raw = { name: string; [part: string]: unknown }
const raw = new Map(
  sources.map(({ text }) => parse(text, { merge: true, maxAliasCount: -1 }) as Raw).map((file) => [file.name, file]),
)

/**
 * Hosts that a file admits at the end of a URL, read off its text: the literal end of the host, or the lists of its
 * values.
 */
function admits(entry: ProviderEntry, template: string, host: string): boolean {
  const fixed = /^https:\/\/([^/?#{]+)(?:[/?#]|$)/.exec(template)?.[1]
  if (fixed !== undefined) return host === fixed
  const end = (/^https?:\/\/[^/?#]*\}\}([^/?#{}]*)/.exec(template)?.[1] ?? '').toLowerCase()
  if (end !== '') return host.endsWith(end) && end.split('.').length > 2
  const file = raw.get(entry.name) ?? { name: '' }
  const lists = ['inputs', 'variables'].flatMap((part) => (file[part] as { hosts?: string[] }[] | undefined) ?? [])
  return lists.some(({ hosts = [] }) =>
    hosts.some((one) => {
      const name = one.replace(/^\*\./, '')
      return host === name || host.endsWith(`.${name}`)
    }),
  )
}

/** URLs at which the client of a provider app authenticates, of all files. */
const ofApps = catalogue
  .list()
  .flatMap((entry) =>
    entry.authentication.flatMap((scheme) =>
      scheme.scheme === 'oauth2' && scheme.grantType?.startsWith('authorizationCode')
        ? [scheme.authUrl, scheme.tokenUrl, scheme.refreshUrl].flatMap((template) =>
            template === undefined ? [] : [{ entry, template }],
          )
        : [],
    ),
  )

describe('over all provider files', () => {
  it('no value of a customer leads the client secret to a host that the file does not admit', () => {
    expect(ofApps.length).toBeGreaterThan(200)
    const reached: string[] = []
    let refused = 0
    for (const { entry, template } of ofApps) {
      const names = [...new Set([...template.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name))]
      for (const name of names) {
        for (const value of hostile) {
          const others = Object.fromEntries(names.map((other) => [other, 'sample']))
          try {
            const url = clientUrl(entry, template, { metadata: { ...others, [name]: value } }, [])
            if (!admits(entry, template, url.hostname)) reached.push(`${entry.name} ${name}=${value}: ${url.href}`)
          } catch (error) {
            if (!(error instanceof InvalidInputs)) throw error
            refused++
          }
        }
      }
    }
    expect(reached).toEqual([])
    expect(refused).toBeGreaterThan(500)
  })

  it.each([
    ['zoho', { zoho_token_domain: 'accounts.zoho.eu' }, 'https://accounts.zoho.eu/oauth/v2/token'],
    ['zoho', { zoho_token_domain: 'accounts.zohocloud.ca' }, 'https://accounts.zohocloud.ca/oauth/v2/token'],
    ['zoho', { zoho_token_domain: 'accounts.zoho.uk' }, 'https://accounts.zoho.uk/oauth/v2/token'],
    ['talkdesk', { workspace: 'acme' }, 'https://acme.talkdeskid.com/oauth/token'],
    [
      'talkdesk',
      { workspace: 'acme', talkdesk_token_domain: 'talkdeskid.eu' },
      'https://acme.talkdeskid.eu/oauth/token',
    ],
    ['coupa', { workspace: 'acme.coupahost.com' }, 'https://acme.coupahost.com/oauth/token'],
  ])('the hosts of %s are admitted: %j', (name, metadata, url) => {
    const entry = catalogue.find(name) as ProviderEntry
    const scheme = entry.authentication.find((one) => one.scheme === 'oauth2')
    expect(clientUrl(entry, scheme?.tokenUrl ?? '', { metadata: metadata as Record<string, string> }, []).href).toBe(
      url,
    )
  })
})

describe('a host that the provider app allows', () => {
  const coupa = catalogue.find('coupa') as ProviderEntry
  const url = (workspace: string, allowed: string[]) =>
    clientUrl(coupa, 'https://{{workspace}}/oauth/token', { metadata: { workspace } }, allowed).host

  it('is admitted, by its name or below it', () => {
    expect(url('spend.acme.example', ['spend.acme.example'])).toBe('spend.acme.example')
    expect(url('spend.acme.example', ['*.acme.example'])).toBe('spend.acme.example')
  })

  it('admits no other', () => {
    for (const other of ['acme.example', 'spend.acme.example.evil.com', 'evilacme.example', 'spendacme.example'])
      expect(() => url(other, ['*.acme.example', 'spend.acme.example.']), other).toThrow(InvalidInputs)
  })

  it('of a value that is a whole URL must be asked by https', () => {
    const entry = { ...coupa, inputs: [{ name: 'url', kind: 'url' as const, hosts: [] }] }
    const whole = (value: string, allowed: string[]) =>
      clientUrl(entry, '{{url}}/token', { metadata: { url: value } }, allowed).href
    expect(whole('https://git.acme.example/', ['git.acme.example'])).toBe('https://git.acme.example/token')
    for (const value of [
      'http://git.acme.example',
      'https://git.acme.example:8443',
      'https://evil.com/git.acme.example',
    ])
      expect(() => whole(value, ['git.acme.example']), value).toThrow(InvalidInputs)
    expect(whole('http://127.0.0.1:4200', ['127.0.0.1:4200'])).toBe('http://127.0.0.1:4200/token')
    expect(() => whole('http://127.0.0.1:4201', ['127.0.0.1:4200'])).toThrow(InvalidInputs)
  })
})

it('patterns are host names of two labels at least', () => {
  expect(['a.example', '*.a.example', '10.0.0.1'].filter((text) => !isHostPattern(text))).toEqual([])
  expect(
    [
      'com',
      '*.com',
      '*',
      '',
      '*.',
      'a.*.com',
      '*.a.*.b.com',
      'a.*.b.*.c.com',
      '**.a.com',
      'a.com/',
      'a.com:1',
      'A.com',
    ].filter(isHostPattern),
  ).toEqual([])
  expect(fitsHost(['*.a.example'], 'a.example')).toBe(false)
  expect(fitsHost(['*.a.example'], 'x.y.a.example')).toBe(true)
})

describe('the check of a file', () => {
  const flaws = (authentication: string, more = '') =>
    readProviderFile(
      'test.yaml',
      `name: test\nbaseUrl: https://a.example\n${more}\nauthentication:\n  - ${authentication}\n`,
    ).faults?.map(({ path, message }) => `${path} ${message}`) ?? []
  const code = (tokenUrl: string) =>
    `{ scheme: oauth2, grantType: authorizationCode, authUrl: 'https://a.example/a', tokenUrl: '${tokenUrl}' }`
  const input = (more = '') => `inputs: [{ name: x${more} }]`

  it.each([
    ['a host of the customer', code('https://{{x}}/token'), input(', kind: host'), 'lets "x" choose the host'],
    [
      'a host of the customer for refresh tokens',
      code("https://a.example/t', refreshUrl: 'https://{{x}}/token"),
      input(', kind: host'),
      'lets "x" choose the host',
    ],
    ['a URL of the customer', code('{{x}}/token'), input(', kind: url'), 'lets "x" choose the host'],
    ['the end of a host', code('https://id.{{x}}/token'), input(), 'lets "x" choose the host'],
    ['a top level domain', code('https://{{x}}.com/token'), input(), 'must end its host with "x" alone'],
    ['a public suffix', code('https://{{x}}.co.uk/token'), input(), 'ends its host with "co.uk"'],
    [
      'an end without a dot',
      code('https://{{x}}evil.example.com/token'),
      input(', hosts: [a.com]'),
      'must end its host with "x" alone',
    ],
    [
      'a start without a dot',
      code('https://id-{{x}}/token'),
      input(', hosts: [a.com]'),
      'must end its host with "x" alone',
    ],
    ['a list with a public suffix', code('https://{{x}}/t'), input(", hosts: ['*.co.uk']"), 'contains "*.co.uk"'],
    [
      'a default that is not listed',
      code('https://{{x}}/t'),
      input(', hosts: [a.com], default: b.com'),
      'does not contain the default',
    ],
    [
      'values of the app at a host of the customer',
      `{ scheme: custom, appInputs: [{ name: key }], inputs: [{ name: id }], headers: { K: '{{token}}' },
    token: { request: { url: 'https://{{x}}/t', headers: { K: '{{key}}' } }, take: { token: t } } }`,
      input(', hosts: [a.com]'),
      'lets "x" choose the host, which receives values of the provider app',
    ],
    [
      'values of the app with every request',
      "{ scheme: custom, appInputs: [{ name: key }], inputs: [{ name: id }], headers: { K: '{{key}}' } }",
      `modules: { m: { baseUrl: 'https://{{x}}' } }\n${input(', kind: host')}`,
      'lets "x" choose the host, which receives values of the provider app',
    ],
  ])('refuses %s', (_, authentication, more, message) => {
    expect(flaws(authentication, more).join('\n')).toContain(message)
  })

  it.each([
    ['a host below a domain', code('https://{{x}}.id.example.com/token'), input()],
    ['listed hosts', code('https://{{x}}/token'), input(', hosts: [id.example.com]')],
    ['hosts that the provider app names', code('{{x}}/token'), input(', kind: url, hosts: []')],
    [
      'a client that the customer brings',
      "{ scheme: oauth2, grantType: clientCredentials, tokenUrl: '{{x}}/token' }",
      input(', kind: url'),
    ],
  ])('takes %s', (_, authentication, more) => {
    expect(flaws(authentication, more)).toEqual([])
  })

  it('is admitted with any one label in place of a star inside', () => {
    expect(isHostPattern('api.*.a.example')).toBe(true)
    const hosts = ['api.eu.a.example', 'api.a.example', 'api..a.example', 'api.x.y.a.example', 'xapi.eu.a.example']
    expect(hosts.filter((host) => fitsHost(['api.*.a.example'], host))).toEqual(['api.eu.a.example'])
  })
})
