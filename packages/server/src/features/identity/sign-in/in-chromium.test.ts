import { readFileSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { chromiumPath } from '../../../testkit/chromium.ts'
import { freePort } from '../../../testkit/free-port.ts'
import { readable, startSmtp, type TestSmtp } from '../../../testkit/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'

/**
 * People reset a forgotten password in a real browser, with the keyboard alone. Left out where the machine has no
 * Chromium.
 */

const email = 'ada@example.com'
const next = 'staple battery horse correct'
/** For looking at the pages by hand: a folder for pictures, and the script of axe. */
const { MORTISE_SCREENSHOTS: pictures, MORTISE_AXE: axe } = process.env

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let smtp: TestSmtp
  let app: TestApp
  let silent: TestApp
  let browser: Browser
  const failures: string[] = []

  beforeAll(async () => {
    const port = await freePort()
    smtp = await startSmtp()
    const env = { PORT: String(port), MORTISE_HOST: 'localhost', MORTISE_PUBLIC_URL: `http://localhost:${port}` }
    app = await startTestApp({ env: { ...env, MORTISE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` } })
    silent = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
    await signInBuilder(app, { email, password: 'correct horse battery' })
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
    await silent?.stop()
    await smtp?.close()
  })

  const heading = (page: Page) => page.textContent('h1')
  /** What every page has to be: named, labelled, whole on a small phone. */
  async function look(page: Page, name: string): Promise<void> {
    await page.setViewportSize({ width: 320, height: 640 })
    // As text: what runs in the page knows other globals than what is compiled here.
    const seen = await page.evaluate<Record<string, unknown>>(`({
      unlabelled: [...document.querySelectorAll('input:not([type=hidden],[hidden])')].filter((one) => one.labels.length !== 1).length,
      dangling: [...document.querySelectorAll('[aria-describedby]')].flatMap((one) => one.getAttribute('aria-describedby').split(' ')).filter((id) => !document.getElementById(id)),
      twice: [...document.querySelectorAll('[id]')].filter((one) => document.querySelectorAll('#' + one.id).length > 1).length,
      wide: document.documentElement.scrollWidth > innerWidth,
      headings: document.querySelectorAll('h1').length,
      lang: document.documentElement.lang,
    })`)
    expect(seen, name).toEqual({ unlabelled: 0, dangling: [], twice: 0, wide: false, headings: 1, lang: 'en' })
    if (pictures) await page.screenshot({ path: `${pictures}/${name}-phone.png`, fullPage: true })
    await page.setViewportSize({ width: 1280, height: 720 })
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${colorScheme}.png` })
      if (axe)
        expect(
          await page.evaluate(
            `(() => { ${readFileSync(axe, 'utf8')}; return axe.run().then(({ violations }) => violations.map(({ id }) => id)) })()`,
          ),
          `${name}, ${colorScheme}`,
        ).toEqual([])
    }
  }

  test('a forgotten password is reset with the keyboard alone, and the token leaves the address bar', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    page.on('console', (message) => {
      if (!/status of 400/.test(message.text())) failures.push(message.text())
    })
    await page.goto(`${app.app.services.publicUrl}/signin`)
    await look(page, 'sign-in')
    for (const _ of ['email', 'password', 'button', 'link']) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => heading(page), { timeout: 30_000 }).toBe('Forgot your password?')
    await look(page, 'forgot')
    await page.keyboard.press('Tab')
    await page.keyboard.type(email)
    await page.keyboard.press('Enter')
    await expect.poll(() => heading(page), { timeout: 30_000 }).toBe('Check your email')
    await look(page, 'sent')

    await vi.waitFor(() => expect(smtp.received).toHaveLength(1), { timeout: 30_000 })
    const link = /^http\S+\/signin\/reset\?token=\S+$/m.exec(readable(smtp.received[0]!.text))![0]
    await page.goto(link)
    expect(page.url()).toBe(`${app.app.services.publicUrl}/signin/reset`)
    expect(await heading(page)).toBe('Choose a new password')
    expect(await page.content()).not.toContain(new URL(link).searchParams.get('token'))
    await look(page, 'reset')
    await page.keyboard.press('Tab')
    await page.keyboard.type('password1234')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.textContent('[role=alert]').catch(() => null), { timeout: 30_000 })
      .toContain('easy to guess')
    await look(page, 'refused')
    await page.keyboard.press('Tab')
    await page.keyboard.type(next)
    await page.keyboard.press('Enter')
    await expect.poll(() => heading(page), { timeout: 30_000 }).toBe('Password changed')
    await look(page, 'changed')

    await page.goto(link)
    await expect.poll(() => heading(page), { timeout: 30_000 }).toBe('This link is not valid')
    await look(page, 'not-valid')
    expect(failures.filter((text) => !/status of 404/.test(text))).toEqual([])
    await context.close()
  }, 60_000)

  test('without a mail server the page says whom to ask', async () => {
    const page = await browser.newPage()
    await page.goto(`${silent.url}/signin/forgot`)
    expect(await page.textContent('main')).toContain('Ask an owner of your organization')
    await look(page, 'ask')
    await page.close()
  }, 60_000)
})
