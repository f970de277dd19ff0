import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { build } from '../../packages/console/scripts/build.mjs'
import { chromiumPath } from '../../packages/server/src/testkit/chromium.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../../packages/server/src/testkit/test-builder.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const email = 'ada@example.com'
const password = 'staple battery horse correct'

/** A service with the real console, and somebody who is signed in to it in a browser. */
export interface ConsoleKit {
  app: TestApp
  page: Page
  /** Opens a page of the project `default`. */
  go(path: string): Promise<void>
  /** What a page has to be: without findings of axe, in light and dark, and whole on a small phone. */
  look(name: string): Promise<void>
  stop(): Promise<void>
}

export async function startConsoleKit(): Promise<ConsoleKit> {
  const folder = await mkdtemp(join(tmpdir(), 'console-pages-'))
  const assets = join(folder, 'browser')
  await build({ outDir: assets })
  const port = await freePort()
  const url = `http://localhost:${port}`
  const app = await startTestApp({
    consoleAssetsFolder: assets,
    env: {
      PORT: String(port),
      MORTISE_HOST: 'localhost',
      MORTISE_PUBLIC_URL: url,
      MORTISE_PROVIDERS_DIR: resolve(import.meta.dirname, '../../examples/sample-crm/providers'),
    },
  })
  let browser: Browser | undefined
  const stop = async () => {
    await browser?.close()
    await app.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await signInBuilder(app, { email, password, role: 'owner' })
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox', '--disable-gpu'] })
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await signIn(context, url)
    return {
      app,
      page,
      go: (path) => go(page, `${url}/console/default${path}`),
      look: (name) => look(page, name),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

async function signIn(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${url}/signin?next=/console`)
  await page.fill('input[type=email]', email)
  await page.fill('input[type=password]', password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/console\/default\/overview/)
  return page
}

async function go(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('main h1').waitFor()
}

async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    // As text: what runs in the page knows other globals than what is compiled here.
    const findings = await page.evaluate(
      `(() => { ${axe}; return axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html)) })()`,
    )
    expect(findings, `${name}, ${colorScheme}`).toEqual([])
  }
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} on a phone`).toBeLessThanOrEqual(320)
  await page.setViewportSize({ width: 1440, height: 900 })
}
