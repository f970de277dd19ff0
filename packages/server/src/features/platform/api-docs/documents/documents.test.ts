import { glob } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { describeDocument } from './describe-document.ts'

/** The documentation as Markdown, for agents and other programs. */

const docs = fileURLToPath(new URL('../../../../../../../docs', import.meta.url))
/** Where others reach the service. */
const origin = 'https://mortise.example.com'
let app: TestApp
let list: string
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PUBLIC_URL: origin } })
  list = await (await fetch(`${app.url}/llms.txt`)).text()
})
afterAll(() => app?.stop())

const links = () => [...list.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = '']) => link)

describe('llms.txt', () => {
  it('has the form of llmstxt.org: a title, a summary, and sections of links with a line each', () => {
    const [title, , summary] = list.split('\n')
    expect([title, summary?.slice(0, 2)]).toEqual(['# Mortise', '> '])
    expect([...list.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading).at(-1)).toBe('Optional')
    const below = list.slice(list.indexOf('\n## ')).split('\n').filter(Boolean)
    for (const line of below) expect(line).toMatch(/^## \S|^- \[[^\]]+\]\([^)]+\)(: .+\.|: .+…)?$/)
  })

  it('lists every page of the documentation once', async () => {
    const pages = []
    for await (const file of glob('**/*.md', { cwd: docs })) pages.push(`${origin}/docs/${file}`)
    expect(links().toSorted()).toEqual(pages.toSorted())
  })

  it('links to pages that are Markdown, each with its entity tag, for HEAD too', async () => {
    for (const link of links()) {
      const url = link.replace(origin, app.url)
      const answer = await fetch(url)
      const text = await answer.text()
      expect([link, answer.status, answer.headers.get('content-type')]).toEqual([
        link,
        200,
        'text/markdown; charset=utf-8',
      ])
      expect(text).toMatch(/^# /)
      const etag = answer.headers.get('etag') ?? ''
      const again = await fetch(url, { method: 'HEAD', headers: { 'if-none-match': etag } })
      expect([link, again.status, await again.text()]).toEqual([link, 304, ''])
    }
  })
})

describe('a page', () => {
  it('may be stored and is revalidated, and HEAD has its length without its text', async () => {
    const whole = await fetch(`${app.url}/docs/reading.md`)
    expect(whole.headers.get('cache-control')).toBe('public, no-cache')
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff')
    const head = await fetch(`${app.url}/docs/reading.md`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('etag')).toBe(whole.headers.get('etag'))
    expect(Number(head.headers.get('content-length'))).toBe((await whole.arrayBuffer()).byteLength)
    const changed = await fetch(`${app.url}/docs/reading.md`, { headers: { 'if-none-match': '"other"' } })
    expect(changed.status).toBe(200)
  })

  it.each([
    ['/docs/..%2Fpackage.md', 404],
    ['/docs/..%2FREADME.md', 404],
    ['/docs/%2e%2e%2fREADME.md', 404],
    ['/docs/..%5cREADME.md', 404],
    ['/docs/destinations/..%2freading.md', 404],
    ['/docs/..%2f..%2f/etc.md', 404],
    ['/docs/reading%00.md', 400],
    ['/docs/%2Fetc%2Fpasswd.md', 404],
    ['/docs/constructor.md', 404],
    ['/docs/images/demo.md', 404],
    ['/docs/.md', 400],
    ['/docs/reading.md.md', 404],
    [`/docs/${'a'.repeat(600)}.md`, 400],
  ])('is found by its name alone: %s', async (path, status) => {
    const answer = await fetch(`${app.url}${path}`)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(await answer.text()).not.toContain('# ')
  })

  it('stands next to the page for people', async () => {
    const page = await fetch(`${app.url}/docs/guides/reading`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })
})

describe('the line of a page', () => {
  it.each([
    ['# A *title*\n\nIt [does](x.md) `this`. And that.', { title: 'A title', description: 'It does this.' }],
    [
      '# A\n\n<!-- note -->\n\n| a |\n|---|\n| b |\n\nAfter a table:\n\n- c',
      { title: 'A', description: 'After a table.' },
    ],
    ['# A', { title: 'A', description: '' }],
    [`# A\n\n${'b'.repeat(300)}`, { title: 'A', description: `${'b'.repeat(200)}…` }],
    ['', { title: '', description: '' }],
  ])('is its first sentence: %j', (text, described) => {
    expect(describeDocument(text)).toEqual(described)
  })
})
