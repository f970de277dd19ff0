import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFindingsIn } from '../../packages/connect/src/page-checks.testkit.ts'
import { chromiumPath } from '../../packages/server/src/testkit/chromium.ts'
import { type BuilderPage, startBuilderPage } from './builder-page.testkit.ts'
import { allowAccess, type JourneyKit, startJourneyKit } from './journeys.testkit.ts'

/** What an integration of the example product reads. */
const contacts = {
  objectName: 'contacts',
  destination: 'demoWebhook',
  requiredFields: [{ fieldName: 'email' }],
  optionalFieldsAuto: 'all',
}

/** The ways into the same steps: a page, a window, a frame, a component. Left out where there is no Chromium. */
describe.skipIf(chromiumPath === undefined)('a customer connects in', () => {
  let kit: JourneyKit
  /** A page of somebody whom the project does not name. */
  let stranger: BuilderPage
  beforeAll(async () => {
    kit = await startJourneyKit()
    stranger = await startBuilderPage(kit.url)
  })
  afterAll(async () => {
    await stranger?.close()
    await kit?.stop()
    expect(kit?.failures).toEqual([])
  })

  const link = async (groupRef: string, body: object = {}) =>
    (await kit.session(groupRef, { schemeName: 'apiKey', ...body })).url
  async function connect(page: Page | FrameLocator): Promise<void> {
    await page.getByRole('textbox', { name: 'API key' }).fill(kit.crm.apiKey)
    await page.getByRole('button', { name: 'Connect Sample CRM' }).click()
  }
  const logged = (page: Page) => page.getByRole('list', { name: 'Log' }).getByRole('listitem').allTextContents()

  /** Expects that axe finds nothing in the page with the frame, and nothing in the frame. */
  async function checkFrame(page: Page): Promise<void> {
    await kit.check(page)
    const [, frame] = page.frames()
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(frame && (await axeFindingsIn(frame)), colorScheme).toEqual([])
    }
  }

  test.each([
    ['en-US', 'Connect Sample CRM', []],
    ['de-DE', 'Sample CRM verbinden', ['connect/assets']],
  ])(
    'a page, whose first step in %s needs no request but its scripts, which are compressed',
    async (locale, button, language) => {
      const page = await (await kit.context({ locale })).newPage()
      const sent: string[] = []
      page.on('request', (request) => sent.push(new URL(request.url()).pathname.split('/').slice(1, 3).join('/')))
      const script = page.waitForResponse(/\/connect\/assets\//)
      await page.goto(await link(`requests-${locale}`))
      await page.getByRole('button', { name: button }).waitFor()
      expect(sent.filter((path) => path !== '')).toEqual([
        expect.stringMatching(/^connect\/[^/]+$/),
        'connect/assets',
        ...language,
      ])
      expect((await script).headers()['content-encoding']).toMatch(/^(br|gzip)$/)
      await page.context().close()
    },
  )

  test('a page, which returns to the product with the connection', async () => {
    const redirectUrl = `${kit.builder.origin}/`
    const page = await kit.open(await link('page', { redirectUrl }))
    await connect(page)
    await page.waitForURL((url) => url.origin === kit.builder.origin)
    const [connection] = await kit.ok<{ id: string }[]>('GET', '/connections?groupRef=page')
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      connectionId: connection?.id,
      status: 'working',
    })
    await page.context().close()
  })

  test('a window, which notifies the page that opened it and closes', async () => {
    const page = await kit.open(kit.builder.popup(await link('window')))
    const opens = page.getByRole('button', { name: 'Open' })
    const [popup] = await Promise.all([page.waitForEvent('popup'), opens.click()])
    await connect(popup)
    await popup.getByRole('heading', { name: 'Sample CRM is connected' }).waitFor()
    await kit.check(popup)
    await Promise.all([popup.waitForEvent('close'), popup.getByRole('button', { name: 'Done' }).click()])
    await expect.poll(() => logged(page)).toEqual(['message: connected', 'message: closed'])
    await page.context().close()
  })

  test('a window, which says nothing to a page that the project does not name', async () => {
    const page = await kit.open(stranger.popup(await link('told')))
    const opens = page.getByRole('button', { name: 'Open' })
    const [popup] = await Promise.all([page.waitForEvent('popup'), opens.click()])
    await connect(popup)
    await Promise.all([popup.waitForEvent('close'), popup.getByRole('button', { name: 'Done' }).click()])
    expect(await logged(page)).toEqual([])
    await page.context().close()
  })

  test('a frame of the product, with the window of the CRM', async () => {
    const page = await kit.open(kit.builder.frame(await link('frame', { schemeName: 'oauth2' })))
    const frame = page.frameLocator('iframe')
    const opens = frame.getByRole('button', { name: 'Connect Sample CRM' })
    await opens.waitFor()
    await checkFrame(page)
    const [popup] = await Promise.all([page.waitForEvent('popup'), opens.click()])
    await checkFrame(page)
    await allowAccess(popup)
    await frame.getByRole('heading', { name: 'Sample CRM is connected' }).waitFor()
    await checkFrame(page)
    await expect.poll(() => logged(page)).toEqual(['message: connected'])
    await page.context().close()
  })

  test('no frame of a page that the project does not name: the browser refuses it', async () => {
    const page = await kit.open(stranger.frame(await link('forbidden')))
    await expect.poll(() => page.frames().at(1)?.url()).toBe('chrome-error://chromewebdata/')
    const refused = kit.failures.splice(0)
    expect(refused.length).toBeGreaterThan(0)
    for (const text of refused) expect(text).toContain('frame-ancestors')
    await page.context().close()
  })

  test('a component in the page of the product, with the window of the CRM', async () => {
    const { token } = await kit.session('component', { schemeName: 'oauth2' })
    const page = await kit.open(
      kit.builder.component('mortise-connect', { project: 'default', provider: 'sampleCrm', token }),
    )
    const opens = page.getByRole('button', { name: 'Connect Sample CRM' })
    await opens.waitFor()
    await kit.check(page)
    const [popup] = await Promise.all([page.waitForEvent('popup'), opens.click()])
    await allowAccess(popup)
    await page.getByRole('heading', { name: 'Sample CRM is connected' }).waitFor()
    expect(await logged(page)).toEqual(['event: connected'])
    await page.context().close()
  })

  test('each tab of the example product, and axe finds nothing', async () => {
    const integration = {
      name: 'sampleCrm',
      displayName: 'Sample CRM',
      provider: 'sampleCrm',
      read: { objects: [contacts] },
    }
    await kit.ok('PUT', '/integrations:batch', {
      sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }),
    })
    await kit.connect('acme')
    const page = await kit.open(`${kit.harbor.url}/integrations`)
    const first = {
      Gallery: 'Set up',
      Install: 'Continue',
      Connect: 'Connect Sample CRM',
      Manage: 'Reconnect Sample CRM',
      'No popups': 'Set up',
      Window: 'Open the window',
    }
    for (const [tab, button] of Object.entries(first)) {
      await page.getByRole('link', { name: tab, exact: true }).click()
      await page.getByRole('button', { name: button }).first().waitFor()
      await kit.check(page)
    }
    await page.getByRole('link', { name: 'Page', exact: true }).click()
    await page.getByRole('link', { name: 'Open the page' }).waitFor()
    await kit.check(page)
    await page.getByRole('link', { name: 'Frame', exact: true }).click()
    await page.frameLocator('iframe').getByRole('button', { name: 'Continue' }).waitFor()
    await checkFrame(page)
    await page.context().close()
  })

  test('a page in the colors of the project, around the component too', async () => {
    const theme = {
      background: '#fdf6e3',
      surface: '#ffffff',
      text: '#222222',
      dark: { background: '#101820', surface: '#182028', text: '#eeeeee' },
    }
    const change = (connect: object) => kit.ok('PATCH', '', { updateMask: ['connect.theme'], project: { connect } })
    const colors = (page: Page) =>
      page.evaluate<string[]>(
        `[getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.querySelector('h1')).color]`,
      )
    await change({ theme })
    const page = await kit.open(await link('colors'), { colorScheme: 'light' })
    await page.getByRole('button', { name: 'Connect Sample CRM' }).waitFor()
    expect(await colors(page)).toEqual(['rgb(253, 246, 227)', 'rgb(34, 34, 34)'])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await colors(page)).toEqual(['rgb(16, 24, 32)', 'rgb(238, 238, 238)'])
    await kit.check(page)
    await change({ theme: { surface: '#ffffff', text: '#000000' } })
    await page.reload()
    await page.getByRole('button', { name: 'Connect Sample CRM' }).waitFor()
    expect(await colors(page)).toEqual([expect.stringMatching(/^color\(srgb 0\.94 0\.94 0\.94\)$/), 'rgb(0, 0, 0)'])
    await change({ theme: {} })
    await page.context().close()
  })
})
