import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../../../../providers/src/testing/http-server.testkit.ts'
import { chromiumPath } from '../../../../testkit/chromium.ts'
import { freePort } from '../../../../testkit/free-port.ts'
import { type ConnectingKit, startConnectingKit } from '../connecting.testkit.ts'
import { connectProviders } from './connect-page.testkit.ts'

/**
 * Customers connect accounts in a real browser, with a mouse and with a keyboard. Left out where the machine has no
 * Chromium.
 */

const listening = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let kit: ConnectingKit
  let provider: TestServer
  let application: Server
  let browser: Browser
  let context: BrowserContext
  let redirectUrl: string
  let groups = 0
  const failures: string[] = []

  beforeAll(async () => {
    const port = await freePort()
    const isGood = (key: unknown) => key === 'good'
    provider = await startServer(({ headers }) => ({ status: isGood(headers['x-key']) ? 200 : 401, body: {} }))
    kit = await startConnectingKit({
      publicUrl: `http://localhost:${port}`,
      env: { PORT: String(port), MORTISE_HOST: 'localhost' },
      providers: (server) => connectProviders(provider.origin, server),
    })
    await kit.app.call('PATCH', '/projects/default', { updateMask: ['appName'], project: { appName: 'Acme CRM' } })
    await kit.makeApp('plain')
    await kit.makeApp('several')
    application = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(`<!doctype html><title>The application</title><h1>Back</h1>`)
      request.resume()
    })
    redirectUrl = `http://127.0.0.1:${await listening(application)}/back`
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
    context = await browser.newContext({ extraHTTPHeaders: { 'x-person': 'ann' } })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await kit?.stop()
    await provider?.[Symbol.asyncDispose]()
    application?.close()
  })

  async function open(body: object): Promise<{ page: Page; groupRef: string }> {
    const groupRef = `chromium-${++groups}`
    const answer = await kit.app.call<{ url: string }>('POST', '/projects/default/connect-sessions', {
      groupRef,
      groupName: 'Acme Ltd',
      consumerRef: 'ada',
      ...body,
    })
    const page = await context.newPage()
    // What a policy refuses is told there; that a form was answered with 400 is, too.
    page.on('console', (message) => {
      if (!/status of 400/.test(message.text())) failures.push(message.text())
    })
    await page.goto(`${answer.body.url}/form`)
    return { page, groupRef }
  }
  const shoot = async (page: Page, name: string) => {
    const folder = process.env['MORTISE_SCREENSHOTS']
    if (!folder) return
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` })
    }
    await page.setViewportSize({ width: 360, height: 740 })
    await page.screenshot({ path: `${folder}/${name}-phone.png`, fullPage: true })
    await page.setViewportSize({ width: 1280, height: 720 })
  }
  const heading = (page: Page) => page.textContent('h1')
  const statuses = async (groupRef: string) =>
    (await kit.app.call<{ status: string }[]>('GET', `/projects/default/connections?groupRef=${groupRef}`)).body.map(
      ({ status }) => status,
    )

  test('a key is typed wrong, then right, with the keyboard alone; the browser ends at the application', async () => {
    const { page, groupRef } = await open({ provider: 'keyed', redirectUrl })
    expect([await page.title(), await heading(page)]).toEqual([
      'Connect Keyed to Acme CRM · Acme CRM',
      'Connect Keyed to Acme CRM',
    ])
    await shoot(page, 'form')
    await page.keyboard.press('Tab')
    await page.keyboard.type('acme')
    // Past the link that explains the field.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('bad')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.textContent('[role=alert]').catch(() => null), { timeout: 30_000 })
      .toContain('refused')
    await shoot(page, 'refused')
    expect(await page.inputValue('[name="providerMetadata.workspace"]')).toBe('acme')
    expect(await page.inputValue('[name=apiKey]')).toBe('')
    await page.fill('[name=apiKey]', 'good')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url(), { timeout: 30_000 }).toContain(redirectUrl)
    expect(new URL(page.url()).searchParams.get('status')).toBe('working')
    expect(await statuses(groupRef)).toEqual(['working'])
    await page.close()
  }, 60_000)

  test('the way through the provider ends on the page, in the same window', async () => {
    const { page, groupRef } = await open({ provider: 'plain' })
    await shoot(page, 'oauth')
    await page.click('button')
    await expect.poll(() => heading(page), { timeout: 30_000 }).toBe('plain is connected')
    await shoot(page, 'connected')
    expect(await statuses(groupRef)).toEqual(['working'])
    await page.close()
  }, 60_000)

  test('every control has a label, what describes it is there, and nothing sticks out of a phone', async () => {
    const { page } = await open({ provider: 'custom' })
    await page.setViewportSize({ width: 320, height: 640 })
    await page.selectOption('select', 'eu')
    await page.fill('[name="customAuth.account"]', ' ')
    await page.fill('[name="customAuth.key"]', 'k')
    await page.fill('textarea', 'no document')
    await page.click('button')
    await expect.poll(() => page.textContent('.fault').catch(() => null), { timeout: 30_000 }).toContain('required')
    await shoot(page, 'faults')
    // As text: what runs in the page knows other globals than what is compiled here.
    const seen = await page.evaluate<Record<string, unknown>>(`({
      unlabelled: [...document.querySelectorAll('input:not([type=hidden]),select,textarea')].filter((one) => one.labels.length !== 1).length,
      dangling: [...document.querySelectorAll('[aria-describedby]')].flatMap((one) => one.getAttribute('aria-describedby').split(' ')).filter((id) => !document.getElementById(id)),
      twice: [...document.querySelectorAll('[id]')].filter((one) => document.querySelectorAll('#' + one.id).length > 1).length,
      wide: document.documentElement.scrollWidth > innerWidth,
      focus: document.activeElement.name,
      headings: document.querySelectorAll('h1').length,
      lang: document.documentElement.lang,
    })`)
    expect(seen).toEqual({
      unlabelled: 0,
      dangling: [],
      twice: 0,
      wide: false,
      focus: 'customAuth.account',
      headings: 1,
      lang: 'en',
    })
    await page.close()
  }, 60_000)

  test('another way is a link away, and no policy stood in the way of any page', async () => {
    const { page } = await open({ provider: 'several' })
    await shoot(page, 'several')
    await page.click('a.second')
    await expect.poll(() => page.locator('[name=apiKey]').count(), { timeout: 30_000 }).toBe(1)
    await page.close()
    expect(failures).toEqual([])
  }, 60_000)
})
