import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../../testkit/chromium.ts'
import { freePort } from '../../../../testkit/free-port.ts'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { signInBuilder } from '../../../../testkit/test-builder.ts'
import { password } from './factors.testkit.ts'

/** Somebody sets up a passkey and signs in with it, in a real browser with a virtual authenticator. */

const email = 'ada@example.com'

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let app: TestApp
  let browser: Browser

  beforeAll(async () => {
    const port = await freePort()
    const env = { PORT: String(port), MORTISE_HOST: 'localhost', MORTISE_PUBLIC_URL: `http://localhost:${port}` }
    app = await startTestApp({ env: { ...env, MORTISE_ROLES: 'api' } })
    await signInBuilder(app, { email, password })
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  const heading = (page: Page) => expect.poll(() => page.textContent('h1').catch(() => null), { timeout: 30_000 })
  const enterPassword = async (page: Page) => {
    await page.goto(`${app.app.services.publicUrl}/signin?next=/signin/done`)
    await page.fill('#email', email)
    await page.fill('#password', password)
    await page.click('button[type=submit]')
  }

  test('a passkey is set up and signs in, under the policy of the pages', async () => {
    const page = await (await browser.newContext()).newPage()
    const faults: string[] = []
    page.on('console', (message) => faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await enterPassword(page)
    await heading(page).toBe('You are signed in')
    await page.click('text=Set up a second factor')
    await page.click('text=Set up a passkey')
    await heading(page).toBe('Set up your passkey')
    await page.click('text=Create passkey')
    await heading(page).toBe('Store your recovery codes')
    await page.click('text=I have stored them')
    await page.goto(`${app.app.services.publicUrl}/signin/done`)
    await page.click('text=Sign out')
    await heading(page).toBe('Sign in')

    await enterPassword(page)
    await heading(page).toBe('Use your passkey')
    await page.click('button:has-text("Use passkey")')
    await heading(page).toBe('You are signed in')
    expect(faults).toEqual([])
  }, 120_000)
})
