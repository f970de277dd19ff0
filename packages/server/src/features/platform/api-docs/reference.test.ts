import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import type { OpenApiView } from './index.ts'
import { isForBrowsers } from './openapi-view.ts'

let app: TestApp
let view: OpenApiView
/** Text of every page by path. */
const pages = new Map<string, string>()
let headers: Headers

beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  view = (await app.call<OpenApiView>('GET', '/openapi.json', undefined, { apiKey: null })).body
  const first = await app.call<string>('GET', '//docs', undefined, { apiKey: null })
  headers = first.headers
  const waiting = ['/docs', ...linksOf(first.body)]
  for (const path of waiting) {
    const [page = ''] = path.split('#')
    if (!/^\/(docs|problems)\b/.test(page) || pages.has(page)) continue
    const answer = await app.call<string>('GET', `/${page}`, undefined, { apiKey: null })
    expect([page, answer.status]).toEqual([page, 200])
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    pages.set(page, answer.body)
    waiting.push(...linksOf(answer.body))
  }
})
afterAll(() => app?.stop())

function linksOf(text: string): string[] {
  return [...text.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href)
}
const anchorsOf = (text: string) => [...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)

describe('the pages of the reference', () => {
  it('are offered at the address of the service', async () => {
    const answer = await app.call<string>('GET', '//', undefined, { apiKey: null })
    expect(linksOf(answer.body)).toContain('/docs')
  })

  it('break a path before its slashes, and say one character of one', () => {
    const page = pages.get('/docs/write') ?? ''
    expect(page).toContain('<code>/write<wbr>/v1<wbr>/projects<wbr>/{projectIdOrName}')
    expect(page).toContain('at least 1 character<')
  })

  it('show every endpoint for programs and every webhook, each in one place', () => {
    const shown = [...pages]
      .filter(([path]) => /^\/docs\/(?!resources$|problems$|providers\b|guides\b)/.test(path))
      .flatMap(([, text]) => anchorsOf(text).filter((id) => id !== 'content'))
    const declared = Object.values(view.paths)
      .flatMap((methods) => Object.values(methods))
      .filter((endpoint) => !isForBrowsers(endpoint))
      .map(({ operationId }) => operationId)
    expect(shown.toSorted()).toEqual([...declared, ...Object.keys(view.webhooks ?? {})].toSorted())
  })

  it('leave out what only browsers open', () => {
    const text = [...pages.values()].join('')
    const page = ['showOAuthCallback', 'submitOAuthCallback', 'showConnectPage', 'showSignInPage', 'startOAuth']
    expect(page.filter((id) => text.includes(`id="${id}"`))).toEqual([])
    expect(text).toContain('id="oauthConnect"')
  })

  it('show every schema', () => {
    const shown = anchorsOf(pages.get('/docs/resources')!).filter((id) => id !== 'content')
    expect(shown.toSorted()).toEqual(Object.keys(view.components.schemas).toSorted())
  })

  it('lead to every problem', () => {
    const linked = linksOf(pages.get('/docs/problems')!).filter((href) => href.startsWith('/problems/'))
    const codes = [...app.app.services.problems.keys()].map((code) => `/problems/${code}`)
    expect(linked.toSorted()).toEqual(codes.toSorted())
  })

  it('have no link that leads nowhere', () => {
    const broken: string[] = []
    const anchors = new Map([...pages].map(([path, text]) => [path, new Set(anchorsOf(text))]))
    for (const [path, text] of pages)
      for (const href of linksOf(text)) {
        const [page = '', anchor] = href.split('#')
        const target = anchors.get(page === '' ? path : page)
        const isThere = target !== undefined && (!anchor || target.has(anchor))
        if (!isThere && page !== '/v1/openapi.json' && !/^https?:/.test(page)) broken.push(`${path}: ${href}`)
      }
    expect(broken).toEqual([])
  })

  it('load nothing but one script of this service, and may not', async () => {
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self'")
    const [script = '', path = '', integrity = ''] =
      /<script type="module" src="(\/docs\/assets\/[\w-]+\.js)" integrity="(.*?)"><\/script>/.exec(
        pages.get('/docs') ?? '',
      ) ?? []
    const served = await app.call<string>('GET', `/${path}`, undefined, { apiKey: null })
    const digest = `sha256-${hash('sha256', served.body, 'base64')}`
    expect(integrity.replaceAll('&#61;', '=')).toBe(digest)
    expect(policy).toContain(`script-src '${digest}';`)
    expect(served.headers.get('cache-control')).toContain('immutable')
    expect(served.body.length).toBeLessThan(6_000)
    for (const text of pages.values()) {
      // The search form of every page sends to this service only.
      expect(
        text
          .replace(script, '')
          .replaceAll(' action="/docs"', '')
          .match(/<script| (src|srcset|action|poster|data)=|<link|<img|<iframe|@import|url\(/g),
      ).toBeNull()
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
      expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}'`)
      expect(text.match(/ (style|on\w+)="/g), 'nothing that the policy forbids').toBeNull()
    }
  })

  it('have one heading of the first order, a language, and a way past the navigation', () => {
    for (const [path, text] of pages) {
      expect([path, text.match(/<h1>/g)?.length]).toEqual([path, 1])
      expect(text).toContain('<html lang="en">')
      expect(text).toContain('<a class="skip" href="#content">')
      const ids = anchorsOf(text)
      expect(ids.length, `${path} has no anchor twice`).toBe(new Set(ids).size)
    }
  })

  it('show a request that can be copied, with the body of the example', () => {
    const text = pages.get('/docs/notifications')!
    expect(text).toContain('curl -X POST')
    expect(text).toMatch(/X-Api-Key: YOUR_KEY/)
    expect(pages.get('/docs/sign-in')).not.toMatch(/createSession[\s\S]{0,3000}X-Api-Key: YOUR_KEY/)
  })

  it('that do not exist are a problem', async () => {
    expect(await app.call('GET', '//docs/nothing', undefined, { apiKey: null })).toMatchObject({
      status: 404,
      body: { context: { code: 'not-found' } },
    })
  })
})
