import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { createConnectAssets } from './assets.ts'

/** The page of a connect session that the components draw. */

let app: TestApp

beforeAll(async () => {
  app = await startTestApp()
})
afterAll(async () => {
  await app?.stop()
})

const account = { groupRef: 'acme', consumerRef: 'ada', provider: 'hubspot', schemeName: undefined }
const ask = (body: object) =>
  app.call<{ url: string; token: string; issues?: { name: string }[] }>('POST', '/projects/default/connect-sessions', {
    ...account,
    purpose: 'manage',
    ...body,
  })
const change = (updateMask: string[], project: object) =>
  app.call('PATCH', '/projects/default', { updateMask, project })
async function open(body: object, headers: Record<string, string> = {}) {
  const { status, body: session } = await ask(body)
  expect(status, JSON.stringify(session)).toBe(201)
  const answer = await fetch(`${app.url}${new URL(session.url).pathname}`, { redirect: 'manual', headers })
  const text = await answer.text()
  const policy = new Map(
    (answer.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ')
      return [name, values.join(' ')]
    }),
  )
  return { status: answer.status, text, headers: answer.headers, policy, session }
}

const dataBlock = /<script type="application\/json" id="mortise-info">(.*)<\/script>/

test('the page has no inline script or style, names no token, and leads to the form without scripts', async () => {
  const { status, text, headers, policy, session } = await open({ language: 'de' })
  expect(status).toBe(200)
  expect(text).toContain('<html lang="de">')
  expect(text).toContain(`data-purpose="manage" data-project="${app.projectId}"`)
  expect(text).not.toContain(session.token)
  expect(text.replace(dataBlock, '')).not.toMatch(/<style|<script(?![^>]* src=)| style=| on[a-z]+=/)
  expect(text).toContain(`url=${new URL(session.url).pathname}/form`)
  expect(Object.fromEntries(policy)).toEqual({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': "'self'",
    'img-src': "'self' data:",
    'form-action': "'none'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': 'lit-html',
  })
  expect([headers.get('cache-control'), headers.get('referrer-policy'), headers.get('x-frame-options')]).toEqual([
    'no-store',
    'same-origin',
    'DENY',
  ])
})

test('the page contains what the first view needs, which is what its token may read, and nothing ends the block', async () => {
  await change(['appName'], { appName: '</script><script>alert(1)</script>' })
  const { text, session, headers } = await open({})
  expect(text.match(/<script/g)).toHaveLength(2)
  const data = dataBlock.exec(text)?.[1] ?? ''
  expect(data).not.toContain('<')
  const { body } = await app.call<object>('GET', '/projects/default/connect-info', undefined, {
    apiKey: null,
    headers: { authorization: `Bearer ${session.token}` },
  })
  expect(JSON.parse(data)).toEqual(body)
  expect(body).toMatchObject({ appName: '</script><script>alert(1)</script>', session: { purpose: 'manage' } })
  expect(headers.get('cache-control')).toBe('no-store')
  await change(['appName'], { appName: '' })
})

test('the page names the script of the language that its component will use', async () => {
  const scriptOf = async (body: object, acceptLanguage: string) =>
    /modulepreload" href="([^"]+)"/.exec((await open(body, { 'accept-language': acceptLanguage })).text)?.[1]
  const german = '/connect/assets/de.test.js'
  expect(await scriptOf({}, 'de-CH,de;q=0.9,en;q=0.8')).toBe(german)
  expect(await scriptOf({}, 'nl, de;q=0.5')).toBe(german)
  expect(await scriptOf({ language: 'de' }, 'en')).toBe(german)
  for (const language of ['en-US,de;q=0.5', 'constructor', '']) expect(await scriptOf({}, language)).toBeUndefined()
  expect(await scriptOf({ language: 'en' }, 'de')).toBeUndefined()
  await change(['connect'], { connect: { language: 'de' } })
  expect(await scriptOf({}, 'en')).toBe(german)
  await change(['connect'], { connect: {} })
})

test('frames are for the origins of the session, which are some of those of the project', async () => {
  const frameOrigins = ['https://app.example.com', 'https://admin.example.com']
  await change(['connect', 'logoUrl'], { connect: { frameOrigins }, logoUrl: 'https://cdn.example.com/logo.svg' })
  const all = await open({})
  expect(all.policy.get('frame-ancestors')).toBe(frameOrigins.join(' '))
  expect(all.policy.get('img-src')).toBe("'self' data: https://cdn.example.com")
  expect(all.headers.has('x-frame-options')).toBe(false)
  const one = await open({ frameOrigins: ['https://admin.example.com'] })
  expect(one.policy.get('frame-ancestors')).toBe('https://admin.example.com')
  const other = await ask({ frameOrigins: ['https://admin.example.com', 'https://evil.example'] })
  expect([other.status, other.body.issues?.map(({ name }) => name)]).toEqual([400, ['frameOrigins[1]']])
  // The origin is removed while the link is open.
  await change(['connect'], { connect: { frameOrigins: ['https://app.example.com'] } })
  const again = await fetch(`${app.url}${new URL(one.session.url).pathname}`)
  expect(again.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  await change(['connect', 'logoUrl'], { connect: {}, logoUrl: '' })
})

test('a logo does not widen the policy', async () => {
  await change(['logoUrl'], { logoUrl: 'https://a;script-src/x' })
  expect((await open({})).policy.get('img-src')).toBe("'self' data:")
  await change(['logoUrl'], { logoUrl: '' })
})

test('scripts have a name for each content, and other names lead nowhere', async () => {
  const script = await fetch(`${app.url}/connect.js`, { redirect: 'manual' })
  expect([script.status, script.headers.get('location'), script.headers.get('access-control-allow-origin')]).toEqual([
    302,
    '/connect/assets/connect.test.js',
    '*',
  ])
  const asset = await fetch(`${app.url}/connect/assets/hosted.test.js`)
  expect([asset.status, asset.headers.get('content-type'), asset.headers.get('cache-control')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ])
  for (const name of ['assets.json', '..%2f..%2ftest-app.ts', 'no-such.js'])
    expect((await fetch(`${app.url}/connect/assets/${name}`)).status).toBe(404)
})

test('scripts are sent as they were compressed, in the best encoding that the client accepts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assets-'))
  const names = { connect: 'c.js', hosted: 'h.js', files: ['c.js', 'h.js'] }
  await writeFile(join(folder, 'assets.json'), JSON.stringify(names))
  for (const name of ['c.js', 'c.js.br', 'c.js.gz', 'h.js']) await writeFile(join(folder, name), name)
  const assets = createConnectAssets(folder)
  const sent = (name: string, accepted: string) => {
    const found = assets.find(name, accepted)
    return [found?.bytes.toString(), found?.encoding]
  }
  expect(sent('c.js', 'gzip, deflate, br, zstd')).toEqual(['c.js.br', 'br'])
  expect(sent('c.js', 'gzip;q=1.0, br;q=0')).toEqual(['c.js.gz', 'gzip'])
  for (const accepted of ['', 'identity', 'gzip;q=0.000', 'brx'])
    expect(sent('c.js', accepted)).toEqual(['c.js', undefined])
  expect(sent('h.js', 'br')).toEqual(['h.js', undefined])
  const answer = await fetch(`${app.url}/connect/assets/hosted.test.js`)
  expect([answer.headers.get('vary'), answer.headers.get('content-length')]).toEqual([
    'accept-encoding',
    String((await answer.arrayBuffer()).byteLength),
  ])
})

test('without the folder there are no scripts, and no error', async () => {
  const assets = createConnectAssets(join(await mkdtemp(join(tmpdir(), 'assets-')), 'missing'))
  expect([assets.entries(), assets.find('hosted.test.js', 'br')]).toEqual([undefined, undefined])
})
