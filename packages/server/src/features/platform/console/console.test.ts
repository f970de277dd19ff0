import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

async function open(path: string, init: RequestInit = {}) {
  const answer = await fetch(app.url + path, { redirect: 'manual', ...init })
  const policy = new Map(
    (answer.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ')
      return [name, values.join(' ')]
    }),
  )
  return { status: answer.status, headers: answer.headers, text: await answer.text(), policy }
}

describe('the page of the console', () => {
  it.each([
    '/console',
    '/console/projects',
    '/console/projects/default/installations?status=failing&q=a%20b',
    '/console/projects/a%2Fb/',
    '/console/token',
    '/console/assets/a/b',
  ])('%s starts the scripts, which read the path', async (path) => {
    const { status, headers, text } = await open(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<html lang="en">')
    expect(text).toContain('<div id="root"></div>')
    expect(text).toContain('<script type="module" src="/console/assets/main.test.js"></script>')
    expect(text).toContain('<link rel="stylesheet" href="/console/assets/main.test.css">')
    expect(text).toContain('<link rel="modulepreload" href="/console/assets/react.test.js">')
    expect(text).toMatch(/<noscript>[^<]+<\/noscript>/)
    expect(text).toContain('<meta name="theme-color"')
  })

  it('runs only our scripts, and styles only with the nonce of this response', async () => {
    const { text, headers, policy } = await open('/console')
    const nonce = /<meta property="csp-nonce" nonce="([\w&#;+/]{24,})">/.exec(text)?.[1] ?? ''
    const written = nonce.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    expect(written).toMatch(/^[A-Za-z0-9+/]{24}$/)
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': `'self' 'nonce-${written}'`,
      'connect-src': "'self'",
      'img-src': "'self' data:",
      'font-src': "'self'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
    })
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)| style=| on[a-z]+=/)
    expect((await open('/console')).policy.get('style-src')).not.toBe(policy.get('style-src'))
    const names = ['cache-control', 'referrer-policy', 'x-content-type-options', 'cross-origin-opener-policy']
    expect(names.map((name) => headers.get(name))).toEqual(['no-store', 'same-origin', 'nosniff', 'same-origin'])
    expect(headers.get('x-frame-options')).toBe('DENY')
  })

  it('takes no other method, and no path that is not one', async () => {
    expect((await open('/console/projects', { method: 'POST' })).status).toBe(404)
    expect((await open('/consoles')).status).toBe(404)
    expect((await open('/console/%E0%A4%A')).status).toBe(400)
    expect((await open(`/console/${'a'.repeat(600)}`)).status).toBe(400)
  })

  it('is offered at the address of the service', async () => {
    const { status, text } = await open('/')
    expect(status).toBe(200)
    expect(text).toContain('href="/console"')
    expect(text).toContain('href="/docs"')
  })
})

describe('the files of the console', () => {
  it.each([
    ['main.test.js', 'text/javascript; charset=utf-8'],
    ['main.test.css', 'text/css; charset=utf-8'],
  ])('%s may be kept for ever, under the name of its content', async (name, type) => {
    const { status, headers } = await open(`/console/assets/${name}`)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      type,
      'public, max-age=31536000, immutable',
    ])
    expect([headers.get('cross-origin-resource-policy'), headers.get('vary')]).toEqual([
      'same-origin',
      'accept-encoding',
    ])
  })

  it('are those of the build only', async () => {
    for (const name of ['assets.json', '..%2fassets.json', '..%2f..%2ftest-app.ts', 'no-such.js', '%00', '__proto__']) {
      const { status, headers } = await open(`/console/assets/${name}`)
      expect([name, status]).toEqual([name, name === '%00' ? 400 : 404])
      expect(headers.get('content-type')).toBe('application/problem+json')
    }
  })

  it('are missing until they are built, which the page says and looks for', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'console-')), 'browser')
    const node = await startTestNode(app, { MORTISE_ROLES: 'api' }, { consoleAssetsFolder: folder })
    try {
      const before = await fetch(`${node.url}/console/projects`)
      expect([before.status, before.headers.get('refresh')]).toEqual([503, '3'])
      expect(await before.text()).toContain('<code>npm run build</code>')
      expect((await fetch(`${node.url}/console/assets/main.1.js`)).status).toBe(404)
      await mkdir(join(folder, 'assets'), { recursive: true })
      await writeFile(join(folder, 'assets/main.1.js'), 'built()')
      await writeFile(join(folder, 'assets/main.1.js.br'), brotliCompressSync('built()'))
      await writeFile(
        join(folder, 'assets.json'),
        JSON.stringify({ entry: 'assets/main.1.js', files: ['assets/main.1.js'] }),
      )
      const after = await fetch(`${node.url}/console/projects`)
      expect([after.status, after.headers.get('refresh')]).toEqual([200, null])
      expect(await after.text()).toContain('src="/console/assets/main.1.js"')
      const script = await fetch(`${node.url}/console/assets/main.1.js`, { headers: { 'accept-encoding': 'br' } })
      expect([script.headers.get('content-encoding'), await script.text()]).toEqual(['br', 'built()'])
    } finally {
      await node.stop()
    }
  })
})
