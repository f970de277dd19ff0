import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { axeFindings, fitsWindow } from '../../packages/connect/src/page-checks.testkit.ts'
import { build } from '../../packages/console/scripts/build.mjs'
import { chromiumPath } from '../../packages/server/src/testkit/chromium.ts'
import { freePort } from '../../packages/server/src/testkit/free-port.ts'
import { startTestNode, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../../packages/server/src/testkit/test-builder.ts'

export { chromiumPath }

type Role = NonNullable<Parameters<typeof signInBuilder>[1]['role']>

/** A node of the service at an address that a browser can sign in at, with the console built from its sources. */
export interface ConsoleKit {
  url: string
  /** What the pages wrote to the console of the browser, and what went wrong in them. */
  failures: string[]
  /** Signs a person in, and opens a path below `/console`. */
  open(path: string, person?: { email: string; role: Role }): Promise<Page>
  /** Expects that axe finds nothing in both themes, and that the page fits into 320 pixels. */
  check(page: Page): Promise<void>
  stop(): Promise<void>
}

const password = 'correct horse battery'
const resting = '.skeleton, .busy'

/** @param more settings of the node, such as the folder of provider files that the first one has */
export async function startConsoleKit(first: TestApp, more: Record<string, string> = {}): Promise<ConsoleKit> {
  const folder = await mkdtemp(join(tmpdir(), 'console-journeys-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  await build({ outDir: join(folder, 'browser') })
  const env = { PORT: String(port), MORTISE_HOST: 'localhost', MORTISE_PUBLIC_URL: url, MORTISE_ROLES: 'api', ...more }
  const node = await startTestNode(first, env, { consoleAssetsFolder: join(folder, 'browser') })
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  const failures: string[] = []
  return {
    url,
    failures,
    async open(path, { email, role } = { email: 'ada@example.com', role: 'owner' }) {
      await signInBuilder(first, { email, role, password })
      const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, locale: 'en-US' })
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
      const page = await context.newPage()
      page.on('pageerror', (error) => failures.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) failures.push(message.text())
      })
      await page.goto(`${url}/signin?next=${encodeURIComponent(`/console${path}`)}`)
      await page.fill('input[name=email]', email)
      await page.fill('input[type=password]', password)
      await page.click('button[type=submit]')
      await page.waitForURL(`${url}/console${path}`)
      return page
    },
    async check(page) {
      await page.locator('main h1').waitFor()
      await expect.poll(() => page.locator(resting).count()).toBe(0)
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await axeFindings(page), `${page.url()}, ${colorScheme}`).toEqual([])
      }
      const before = page.viewportSize()
      await page.setViewportSize({ width: 320, height: 720 })
      expect(await fitsWindow(page), `${page.url()} at 320 pixels`).toBe(true)
      if (before) await page.setViewportSize(before)
    },
    async stop() {
      await browser.close()
      await node.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
