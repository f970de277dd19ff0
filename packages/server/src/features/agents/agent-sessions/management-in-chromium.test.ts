import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { auth } from '@modelcontextprotocol/client'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../testkit/chromium.ts'
import { freePort } from '../../../testkit/free-port.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import { DesktopClient } from './desktop-client.testkit.ts'

/** Builders sign in to the MCP server for builders in a real browser. Left out where the machine has no Chromium. */

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
/** For looking at the pages by hand: a folder for pictures. */
const { MORTISE_SCREENSHOTS: pictures } = process.env

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let app: TestApp
  let browser: Browser
  let publicUrl: string
  beforeAll(async () => {
    const port = await freePort()
    publicUrl = `http://localhost:${port}`
    const env = { PORT: String(port), MORTISE_HOST: 'localhost', MORTISE_PUBLIC_URL: publicUrl, MORTISE_ROLES: 'api' }
    app = await startTestApp({ env })
    await signInBuilder(app, { ...ada, role: 'developer' })
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  /** Opens the page that asks, as a client leads to it. */
  async function openConsent(provider: DesktopClient): Promise<Page> {
    expect(await auth(provider as never, { serverUrl: `${publicUrl}/mcp/v1/manage` })).toBe('REDIRECT')
    const context = await browser.newContext({ colorScheme: pictures === undefined ? 'light' : 'dark' })
    const page = await context.newPage()
    await page.goto(provider.opened?.href ?? '')
    await page.getByLabel('Email').fill(ada.email)
    await page.getByLabel('Password').fill(ada.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Connect this agent to Mortise?' }).waitFor()
    return page
  }

  test('a person lets a program on this computer read, with the keyboard', async () => {
    const callback = await startCallback()
    const provider = new DesktopClient(undefined, callback.url)
    const page = await openConsent(provider)
    for (const [name, size] of Object.entries({
      narrow: { width: 320, height: 640 },
      wide: { width: 1440, height: 900 },
    })) {
      await page.setViewportSize(size)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), name).toBe(true)
      if (pictures !== undefined) await page.screenshot({ path: `${pictures}/consent-${name}.png`, fullPage: true })
    }
    expect(await page.getByLabel('Only read').isChecked()).toBe(true)
    await page.getByLabel('Only read').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const received = await callback.received
    expect(received.searchParams.get('iss')).toBe(`${publicUrl}/mcp/v1/manage`)
    const authorizationCode = received.searchParams.get('code') ?? ''
    const options = { serverUrl: `${publicUrl}/mcp/v1/manage`, authorizationCode, iss: `${publicUrl}/mcp/v1/manage` }
    expect(await auth(provider as never, options)).toBe('AUTHORIZED')
    expect(provider.saved?.scope).toBe('read')
    await callback.close()
  })

  test('the page leads to a program with a scheme of its own', async () => {
    const page = await openConsent(new DesktopClient(undefined, 'cursor://anysphere.cursor-mcp/oauth/callback'))
    const said: string[] = []
    page.on('console', (line) => said.push(line.text()))
    const led = page.waitForResponse((answer) => answer.status() === 303)
    await page.getByRole('button', { name: 'Connect' }).click()
    expect((await led).headers()['location']).toMatch(/^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=/)
    expect(said.filter((line) => line.includes('Content Security Policy'))).toEqual([])
  })
})

/** The program: it waits for the browser on a port of this computer. */
async function startCallback() {
  const { promise: received, resolve } = Promise.withResolvers<URL>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1')
    response.end('You can close this page.')
    if (url.pathname === '/callback') resolve(url)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    received,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
