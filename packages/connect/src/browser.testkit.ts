import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { build } from '../scripts/build.mjs'
import { type StubServer, startStubServer } from '../stories/stub-server.ts'
import { axeFindings, fitsWindow, focusedName } from './page-checks.testkit.ts'

export { chromiumPath } from '../../server/src/testkit/chromium.ts'

import { chromiumPath } from '../../server/src/testkit/chromium.ts'

export interface PageOptions {
  width?: number
  /** Language of the browser. */
  locale?: string
}

export interface OpenOptions extends PageOptions {
  /** More of the address, such as `&language=de`. */
  query?: string
  /** Uses one page for all such stories, because a page of its own costs a second. Do not close it. */
  isShared?: boolean
  /** Called before the page is loaded. */
  prepare?: (page: Page) => Promise<unknown>
}

export interface BrowserKit {
  server: StubServer
  browser: Browser
  /** Errors of pages and of their content security policy. */
  failures: string[]
  /** Opens an empty page whose errors are recorded. */
  newPage(options?: PageOptions): Promise<Page>
  /** Opens a story, each time as another customer. */
  open(story: string, options?: OpenOptions): Promise<Page>
  /** Expects that axe finds nothing, and that the page is not wider than its window. */
  check(page: Page): Promise<void>
  /** Name of what has the focus, as assistive technology reads it. */
  focused(page: Page): Promise<string>
  stop(): Promise<void>
}

export async function startBrowserKit(): Promise<BrowserKit> {
  const folder = mkdtempSync(path.join(tmpdir(), 'connect-'))
  await build({ outDir: folder })
  const server = await startStubServer(folder)
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  const failures: string[] = []
  let runs = 0
  let shared: Page | undefined
  const kit: BrowserKit = {
    server,
    browser,
    failures,
    async newPage({ width = 800, locale = 'en-US' } = {}) {
      const page = await browser.newPage({ viewport: { width, height: 800 }, locale, bypassCSP: false })
      page.on('pageerror', (error) => failures.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of [45]/.test(message.text())) failures.push(message.text())
      })
      return page
    },
    async open(story, { query = '', isShared = false, prepare, ...options } = {}) {
      if (isShared) shared ??= await kit.newPage(options)
      const page = isShared && shared ? shared : await kit.newPage(options)
      if (isShared) await page.setViewportSize({ width: options.width ?? 800, height: 800 })
      await prepare?.(page)
      await page.goto(`${server.url}/story?name=${story}&run=${++runs}${query}`)
      return page
    },
    async check(page) {
      expect(await axeFindings(page)).toEqual([])
      expect(await fitsWindow(page)).toBe(true)
    },
    focused: focusedName,
    async stop() {
      await browser.close()
      await server.close()
    },
  }
  return kit
}
