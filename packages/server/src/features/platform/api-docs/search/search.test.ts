import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { queryTerms, searchIndex, termsMax } from './search-index.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

const get = (path: string) => app.call<string>('GET', `/${path}`, undefined, { apiKey: null })
const search = async (query: string) => (await get(`/docs?q=${encodeURIComponent(query)}`)).body
const hrefs = (page: string) => [...page.matchAll(/<h2><a href="([^"]*)"/g)].map(([, href]) => href)

describe('search in the documentation', () => {
  it('finds an endpoint by its name, by parts of it, and by words of its summary', async () => {
    expect(hrefs(await search('createDestination'))[0]).toBe('/docs/destinations#createDestination')
    expect(hrefs(await search('destination create'))).toContain('/docs/destinations#createDestination')
    expect(hrefs(await search('creat destinat'))).toContain('/docs/destinations#createDestination')
  })

  it.each([
    ['a schema', 'HydratedRevision', '/docs/resources#HydratedRevision'],
    ['a problem by its code', 'idempotency-key-reused', '/problems/idempotency-key-reused'],
    ['a webhook', 'installation.created', '/docs/webhooks#installation.created'],
    ['a section of a guide', 'retry schedule', '/docs/guides/receiving-messages#retries'],
    ['a provider', 'hubspot', '/docs/providers/hubspot'],
    ['a misspelled word', 'conection', '/docs/connections#getConnection'],
  ])('finds %s', async (_, query, href) => {
    expect(hrefs(await search(query))).toContain(href)
  })

  it('has a field with a label on every page, which works without a script', async () => {
    for (const path of ['/docs', '/docs/write', '/docs/providers', '/problems/invalid-input', '/docs?q=write']) {
      const { body, headers } = await get(path)
      expect(body).toMatch(/<form role="search" action="\/docs" method="get">\s*<label>.*<input type="search" name="q"/)
      expect(headers.get('content-security-policy')).toContain("form-action 'self'")
    }
  })

  it('says that nothing was found, and shows what was typed as text', async () => {
    const page = await search('zzz<script>"alert(1)')
    expect(page).toContain('No results for “zzz&#60;script&#62;&#34;alert(1)”.')
    expect(page).not.toContain('zzz<')
    expect(page).not.toContain('zzz&#60;script&#62;"')
  })

  it('shows the front page for a query without words', async () => {
    expect(await search('  ')).toBe((await get('/docs')).body)
  })

  it.each([
    ['many words of one letter', 'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(4)],
    [
      'many misspelled words',
      'connecta connectb connectc connectd connecte connectf connectg connecth connecti connectj connectk',
    ],
    ['parts of a name', 'aB'.repeat(100)],
  ])('searches by few terms: %s', async (_, query) => {
    expect(queryTerms(query.slice(0, 200)).length).toBeLessThanOrEqual(termsMax)
    expect((await get(`/docs?q=${encodeURIComponent(query.slice(0, 200))}`)).status).toBe(200)
  })

  it('counts a repeated word once, and completes words of three letters only', () => {
    expect(queryTerms('retry Retry RETRY a')).toEqual(['retry', 'a'])
    const find = searchIndex([{ href: '/x', title: 'Connections', kind: 'Guide', text: '', keywords: '' }])
    expect(['c', 'co', 'con'].map((query) => find(query).length)).toEqual([0, 0, 1])
  })

  it('refuses a query that is too long', async () => {
    expect((await get(`/docs?q=${'a'.repeat(201)}`)).status).toBe(400)
  })
})
