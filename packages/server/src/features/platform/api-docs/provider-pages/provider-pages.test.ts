import { validateManifest } from '@mortise/manifest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'

let app: TestApp
/** The page of each provider, as it is sent, by name. */
const pages = new Map<string, string>()
let list = ''

beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  list = (await get('/docs/providers')).body
  for (const { name } of app.app.services.catalogue.list()) pages.set(name, (await get(`/docs/providers/${name}`)).body)
})
afterAll(() => app?.stop())

const get = (path: string) => app.call<string>('GET', `/${path}`, undefined, { apiKey: null })

/** The text of code blocks, as it is copied. */
function codeBlocks(page: string): string[] {
  return [...page.matchAll(/<pre tabindex="0"><code>(.*?)<\/code>/gs)].map(([, text = '']) =>
    text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  )
}

it('every provider has a page, and the list links to each', () => {
  const linked = [...list.matchAll(/ href="\/docs\/providers\/([\w-]+)"/g)].map(([, name]) => name)
  expect(linked.toSorted()).toEqual([...pages.keys()].toSorted())
  expect([...pages].filter(([, page]) => !page.includes('<section id="overview">'))).toEqual([])
})

it('the list can be filtered by name, capability and authentication', () => {
  const found = [...list.matchAll(/ data-find="([^"]*)"/g)].map(([, words]) => words)
  expect(found).toContainEqual(
    expect.stringMatching(/^hubspot hubspot read write delete search subscribe proxy oauth 2.0/),
  )
})

it('a page says that nobody has checked an entry, and how sure it is', () => {
  expect(pages.get('parallel')).toContain('One source says how to connect')
  expect(pages.get('microsoftOutlook')).toContain('Two sources say how to connect')
  expect(pages.get('trello')).toContain('Compared with documentation on')
  expect(pages.get('trello')).not.toMatch(/sources? says? how to connect/)
  expect(list).toMatch(/ data-find="trello [^"]* documented"/)
  const unchecked = [...list.matchAll(/ data-find="[^"]* unchecked"/g)]
  expect(unchecked.length).toBeGreaterThan(700)
})

it('an entry without objects leads to the provider that describes them', () => {
  expect(pages.get('gmail')).toContain(
    'Objects are in <a href="/docs/providers/google"><code>google</code></a>, module <code>gmail</code>.',
  )
  expect(pages.get('microsoftTeams')).toContain('<a href="/docs/providers/microsoft"><code>microsoft</code></a>.')
  expect(list).toMatch(/ data-find="zohocrm [^"]* zoho crm"/)
})

it('a page says what of the file was compared, what the API does not have, and what nothing was found for', () => {
  const compared = app.app.services.catalogue.list().filter(({ documented }) => documented)
  for (const list of ['absent', 'undocumented'] as const)
    expect(compared.filter(({ documented }) => documented?.[list]).length, list).toBeGreaterThan(0)
  const silent = compared.filter(({ name, documented: { parts = [], absent, undocumented } = {} }) => {
    const page = pages.get(name) ?? ''
    return !(
      page.includes(`</strong>: ${parts.join(', ')}.`) &&
      page.includes(`The API does not have: ${absent?.join(', ')}.`) === (absent !== undefined) &&
      page.includes(`No public documentation was found for: ${undocumented?.join(', ')}.`) ===
        (undocumented !== undefined)
    )
  })
  expect(silent.map(({ name }) => name)).toEqual([])
})

it('the front page and the navigation lead to the list', async () => {
  expect((await get('/docs')).body.match(/ href="\/docs\/providers"/g)).toHaveLength(3)
})

it('every integration that a page shows can be deployed, and every provider that works is shown in one', () => {
  const catalogue = app.app.services.catalogue
  const faults = [...pages].flatMap(([name, page]) => {
    const manifest = codeBlocks(page).find((text) => text.startsWith('specVersion'))
    if (manifest === undefined) return page.includes('class="yes"') ? [`${name}: no integration`] : []
    const { findings } = validateManifest(manifest, { catalogue, strict: true, readIntervalMinMs: 600_000 })
    return findings.map(({ message }) => `${name}: ${message}`)
  })
  expect(faults).toEqual([])
})

it('every request that a page shows is JSON, and says how to connect where something works', () => {
  for (const [name, page] of pages) {
    const bodies = codeBlocks(page).flatMap((text) => / -d '(.*)'$/s.exec(text)?.[1]?.replaceAll("'\\''", "'") ?? [])
    for (const body of bodies) expect(JSON.parse(body), name).toMatchObject({ provider: name })
    expect(bodies.length > 0, name).toBe(page.includes('class="yes"'))
  }
})

it('a page names the redirect URL of this service, and every authentication method', () => {
  const page = pages.get('hubspot') ?? ''
  expect(page).toContain(`<code>${app.app.services.publicUrl}/callbacks/v1/oauth</code>`)
  expect(page).toContain('<h3>OAuth 2.0 (authorization code)</h3>')
  expect(page).toContain('<h3>API key</h3>')
})

it('a provider that does not exist is a problem', async () => {
  expect(await get('/docs/providers/nothing')).toMatchObject({ status: 404, body: { context: { code: 'not-found' } } })
})

it('a page lists the OAuth scopes of each object, with alternatives, by module', () => {
  const [, section = ''] = /<section id="scopes">(.*?)<\/section>/s.exec(pages.get('hubspot') ?? '') ?? []
  expect(section).toContain('<h3>Module <code>crm</code></h3>')
  expect(section).toContain(
    '<th scope="row"><code>tickets</code></th><td><div><code>tickets</code> or <code>crm.objects.tickets.read</code></div></td>',
  )
  expect(section).toContain(
    '<th scope="row">Other objects</th><td><div><code>crm.objects.custom.read</code></div></td>',
  )
  expect(pages.get('microsoft')).toContain('Mortise asks customers for the scopes that your integrations need')
  expect(pages.get('notion')).not.toContain('<section id="scopes">')
})
