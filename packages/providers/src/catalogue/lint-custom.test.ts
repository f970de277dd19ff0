import { describe, expect, it } from 'vitest'
import type { CustomAuthentication } from './format/custom-authentication.ts'
import { lintCustom } from './lint-custom.ts'

const request = { url: 'https://a.example/begin' }
const redirect = { url: 'https://a.example/consent', query: { state: '{{state}}' }, take: { code: 'code' } }
const flawsOf = (scheme: Partial<CustomAuthentication>) =>
  lintCustom([], { scheme: 'custom', inputs: [{ name: 'key' }], ...scheme }, [
    { name: 'place' },
    { name: 'server', kind: 'url' },
  ]).map(({ path, message }) => `${path.join('.')} ${message}`)

describe('the order of a conversation', () => {
  it('what is known by then may be named', () => {
    expect(
      flawsOf({
        multiStep: true,
        headers: { A: '{{made}} {{key}} {{token}}' },
        steps: [
          {
            request: { ...request, query: { a: '{{place}}{{redirectUri}}' } },
            take: { one: 'x' },
            make: { made: '{{one}}' },
          },
          { redirect: { ...redirect, query: { state: '{{state}}', made: '{{made}}' } } },
        ],
        token: {
          assertion: { algorithm: 'RS256', key: '{{key}}', claims: { code: '{{code}}' } },
          request: { ...request, method: 'POST', form: { a: '{{assertion}}' } },
          take: { token: 't' },
        },
      }),
    ).toEqual([])
  })

  it.each<[string, Partial<CustomAuthentication>, string]>([
    [
      'a later secret',
      { multiStep: true, steps: [{ request: { ...request, headers: { A: '{{late}}' } }, take: { late: 'x' } }] },
      'steps.0.request.headers.A uses the variable "late"',
    ],
    ['steps without the flag', { steps: [{ request }] }, 'steps need "multiStep: true"'],
    ['neither request nor redirect', { multiStep: true, steps: [{}] }, 'steps.0 needs one of "request" and "redirect"'],
    ['both', { multiStep: true, steps: [{ request, redirect }] }, 'steps.0 needs one of'],
    [
      'a browser nobody would know again',
      { multiStep: true, steps: [{ redirect: { url: redirect.url } }] },
      'steps.0.redirect must send {{state}}',
    ],
    [
      'a host that a customer chooses',
      { token: { request: { url: '{{key}}/token' }, take: { t: 't' } } },
      'token.request.url starts with the input',
    ],
    [
      'a query inside the URL',
      { token: { request: { url: 'https://a.example/?x={{key}}' }, take: { t: 't' } } },
      'token.request.url must be',
    ],
    [
      'a body of a GET',
      { token: { request: { ...request, form: { a: 'b' } }, take: { t: 't' } } },
      'token.request has a body',
    ],
    ['an input in the place of ours', { inputs: [{ name: 'redirectUri' }] }, 'has the input "redirectUri"'],
    ['a secret in the place of an input', { token: { request, take: { key: 'x' } } }, 'sets "key"'],
    ['a header that nobody fills', { headers: { A: '{{nobody}}' } }, 'headers.A uses the variable "nobody"'],
  ])('%s is a flaw', (_, scheme, flaw) => {
    expect(flawsOf(scheme).join('\n')).toContain(flaw)
  })
})
