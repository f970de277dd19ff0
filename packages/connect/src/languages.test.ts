import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserKit, chromiumPath, startBrowserKit } from './browser.testkit.ts'

/** The components speak the language of the customer in a real browser. Left out where the machine has no Chromium. */
describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let kit: BrowserKit
  beforeAll(async () => {
    kit = await startBrowserKit()
  }, 60_000)
  afterAll(() => kit?.stop())

  const germanFile = /\/de\.[^/]+\.js$/
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
  const component = (page: Page) => page.locator('mortise-connect')
  const speak = (page: Page, language: string) =>
    component(page).evaluate((element, tag) => Object.assign(element, { language: tag }), language)

  test('the attribute says the language, and only its file is loaded', async () => {
    const files: string[] = []
    const page = await kit.open('form-key', {
      query: '&language=fr-CA',
      locale: 'fr-FR',
      prepare: async (opened) => opened.on('request', (request) => files.push(new URL(request.url()).pathname)),
    })
    await heading(page, 'Connecter Sample CRM')
    expect(await component(page).getAttribute('lang')).toBe('fr-CA')
    expect(files.flatMap((file) => /assets\/(\w+)\./.exec(file)?.[1] ?? [])).toEqual(['connect', 'fr'])
    await page.close()
  })

  test('the language changes in place, and nothing typed is lost', async () => {
    const page = await kit.open('form-key')
    await page.getByLabel('API key', { exact: true }).fill('good')
    await speak(page, 'es')
    await heading(page, 'Conectar Sample CRM')
    expect(await page.getByLabel('Clave de API', { exact: true }).inputValue()).toBe('good')
    await speak(page, 'pt-BR')
    await page.getByRole('button', { name: 'Conectar Sample CRM' }).waitFor()
    await page.close()
  })

  test('the connect session says the language, before the project, and both before the browser', async () => {
    const project = await kit.open('language-project', { locale: 'fr-FR' })
    await heading(project, 'アカウントをNorthwindに接続')
    await project.close()
    const session = await kit.open('language-session', { locale: 'fr-FR' })
    await heading(session, 'Konto mit Northwind verbinden')
    await session.getByText('Womit arbeiten Sie?').waitFor()
    expect(await component(session).getAttribute('lang')).toBe('de-CH')
    await session.close()
    const attribute = await kit.open('language-session', { query: '&language=pt-PT' })
    await heading(attribute, 'Conecte sua conta a Northwind')
    await attribute.close()
  })

  test('the browser says the language otherwise, also of a page that has expired', async () => {
    const page = await kit.open('expired', { locale: 'ja-JP' })
    await page.getByText('このページの有効期限が切れました').waitFor()
    await page.close()
  })

  test('no text is shown in another language before', async () => {
    const held = Promise.withResolvers<void>()
    const page = await kit.open('form-key', {
      query: '&language=de',
      prepare: (opened) => opened.route(germanFile, (route) => held.promise.then(() => route.continue())),
    })
    await page.waitForResponse(/providers\/sampleCrm$/)
    expect(await component(page).getByRole('heading').count()).toBe(0)
    held.resolve()
    await heading(page, 'Sample CRM verbinden')
    await page.close()
  })

  test('a language that loads after the next one was wanted is not used', async () => {
    const held = Promise.withResolvers<void>()
    const page = await kit.open('form-key', {
      prepare: (opened) => opened.route(germanFile, (route) => held.promise.then(() => route.continue())),
    })
    await heading(page, 'Connect Sample CRM')
    const requested = page.waitForRequest(germanFile)
    await speak(page, 'de')
    const url = (await requested).url()
    await speak(page, 'fr')
    await heading(page, 'Connecter Sample CRM')
    held.resolve()
    // A module is loaded once: after this, the import of the component is done, too.
    await page.evaluate(`import(${JSON.stringify(url)}).then(() => undefined)`)
    expect(await component(page).getAttribute('lang')).toBe('fr')
    await heading(page, 'Connecter Sample CRM')
    await page.close()
  })

  test('a language that cannot be loaded is English, and the component works', async () => {
    const page = await kit.open('form-key', {
      query: '&language=de',
      prepare: (opened) => opened.route(germanFile, (route) => route.fulfill({ status: 404 })),
    })
    await page.getByLabel('API key', { exact: true }).fill('good')
    expect(await component(page).getAttribute('lang')).toBe('en')
    await page.getByRole('button', { name: 'Connect Sample CRM' }).click()
    await heading(page, 'Sample CRM is connected')
    await page.close()
  })

  /** Stories with much text, and what to press in them before. */
  const telling: [string, string[]][] = [
    ['providers-mixed', []],
    ['form-long', ['#submit']],
    ['form-several', []],
    ['form-oauth', []],
    ['install-objects', ['#submit']],
    ['install-large', ['[part=picker]']],
    ['install-preview-fails', ['#submit']],
    ['manage', ['summary']],
  ]
  test.each(['de', 'ja'].flatMap((language) => telling.map(([story, presses]) => [language, story, presses] as const)))(
    'in %s, axe finds nothing on “%s”, and no text needs more room than a phone has',
    async (language, story, presses) => {
      const page = await kit.open(story, { query: `&language=${language}`, width: 320, isShared: true })
      await page.locator('h2').first().waitFor()
      for (const selector of presses) await page.locator(selector).first().click()
      if (presses.includes('#submit')) await page.locator('#result').waitFor()
      await kit.check(page)
      const cut = await page
        .locator('button, label, .status')
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent))
      expect(cut).toEqual([])
    },
  )

  test('a long button goes below the name of an object instead of breaking it', async () => {
    const page = await kit.open('install-objects', { query: '&language=fr', width: 320 })
    const label = page.locator('[part=object] label').first()
    await label.waitFor()
    expect((await label.boundingBox())?.width).toBeGreaterThan(140)
    await page.close()
  })

  test('no policy stood in the way, and nothing failed', () => {
    expect(kit.failures).toEqual([])
  })
})
