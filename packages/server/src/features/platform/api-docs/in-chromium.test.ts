import { readFileSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../testkit/chromium.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

/** The documentation in a real browser. Left out where the machine has no Chromium. */

/** For looking at the pages by hand: a folder for pictures, and the script of axe. */
const { MORTISE_SCREENSHOTS: pictures, MORTISE_AXE: axe } = process.env

function axeFindings(page: Page, file: string): Promise<string[]> {
  const report = 'violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html).join()}`)'
  return page.evaluate(
    `(() => { ${readFileSync(file, 'utf8')}; return axe.run().then(({ violations }) => ${report}) })()`,
  )
}

/** What every page has to be: no wider than the window, without findings of axe. */
async function look(page: Page, name: string): Promise<void> {
  for (const width of [320, 390, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      // As text: what runs in the page knows other globals than what is compiled here.
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(overflow, `${width} px`).toBeLessThanOrEqual(0)
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png` })
      if (axe && width !== 390) expect(await axeFindings(page, axe), `${width} px, ${colorScheme}`).toEqual([])
    }
}

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let app: TestApp
  let browser: Browser
  const failures: string[] = []
  beforeAll(async () => {
    app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  async function open(path: string): Promise<Page> {
    const page = await browser.newPage()
    // What the policy refuses is reported there; so are responses that a test expects.
    page.on('console', (message) => {
      if (!/status of 4/.test(message.text())) failures.push(`${path}: ${message.text()}`)
    })
    await page.goto(`${app.url}${path}`)
    return page
  }

  /** Opens the form of an endpoint with the keyboard, and leaves the focus in its first field. */
  async function openForm(page: Page, id: string): Promise<void> {
    await page.focus(`#${id} details.try > summary`)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
  }
  const status = (page: Page, id: string) => page.textContent(`#${id} [role=status]`)
  const body = (page: Page, id: string) => page.textContent(`#${id} [data-response]`)

  test('you send a request with the keyboard alone, and see status, headers and body', async () => {
    const page = await open('/docs/projects#getProject')
    await openForm(page, 'getProject')
    await page.keyboard.type(app.apiKey)
    await page.keyboard.press('Enter')
    await expect.poll(() => status(page, 'getProject')).toMatch(/^200 OK in \d+ ms$/)
    await look(page, 'sent')
    expect(JSON.parse((await body(page, 'getProject')) ?? '')).toMatchObject({ id: app.projectId })
    expect(await page.textContent('#getProject [data-headers]')).toContain('content-type: application/json')
    expect(failures).toEqual([])
    await page.close()
  })

  test('the key is in no address, no storage and no cookie, and is gone after a reload', async () => {
    const page = await open('/docs/projects')
    await openForm(page, 'getProject')
    await page.keyboard.type(app.apiKey)
    await page.keyboard.press('Enter')
    await expect.poll(() => status(page, 'getProject')).toContain('200 OK')
    const kept = await page.evaluate<string>(
      `[location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.documentElement.outerHTML].join()`,
    )
    expect(kept).not.toContain(app.apiKey)
    expect(await page.inputValue('#updateProject [data-secret]'), 'the other forms of the page').toBe(app.apiKey)
    await page.reload()
    expect(await page.inputValue('#getProject [data-secret]')).toBe('')
    await page.close()
  })

  test('a response is shown as text', async () => {
    const page = await open('/docs/projects')
    await openForm(page, 'updateProject')
    await page.keyboard.type(app.apiKey)
    const appName = '<img src=x onerror=alert(1)>'
    await page.fill('#updateProject textarea', JSON.stringify({ updateMask: ['appName'], project: { appName } }))
    await page.click('#updateProject button[type=submit]')
    await expect.poll(() => body(page, 'updateProject')).toContain(`"appName": ${JSON.stringify(appName)}`)
    expect(await page.locator('#updateProject img').count()).toBe(0)
    await page.close()
  })

  test('a request that deletes is sent after a confirmation only', async () => {
    const { body: topic } = await app.call<{ id: string }>('POST', '/projects/default/topics', { name: 'to-delete' })
    const page = await open('/docs/notifications')
    await openForm(page, 'deleteTopic')
    await page.keyboard.type(app.apiKey)
    await page.fill('#deleteTopic [data-name=topicId]', topic.id)
    const questions: string[] = []
    page.once('dialog', (dialog) => {
      questions.push(dialog.message())
      void dialog.dismiss()
    })
    await page.click('#deleteTopic button[type=submit]')
    expect(questions).toEqual([expect.stringContaining('DELETE')])
    expect(await status(page, 'deleteTopic')).toBe('')
    page.once('dialog', (dialog) => void dialog.accept())
    await page.click('#deleteTopic button[type=submit]')
    await expect.poll(() => status(page, 'deleteTopic')).toMatch(/^204 /)
    expect(await body(page, 'deleteTopic')).toBe('(no body)')
    await page.close()
  })

  test('an endless response shows while it arrives, and stops', async () => {
    const page = await open('/docs/operations')
    await openForm(page, 'streamLogs')
    await page.keyboard.type(app.apiKey)
    await page.keyboard.press('Enter')
    await expect.poll(() => status(page, 'streamLogs')).toContain('200 OK')
    await page.click('#streamLogs [data-stop]')
    await expect.poll(() => status(page, 'streamLogs')).toBe('Stopped.')
    await page.close()
  })

  test.each([
    ['index', '/docs'],
    ['search', '/docs?q=retry'],
    ['guides', '/docs/guides'],
    ['guide', '/docs/guides/provider-files'],
    ['chapter', '/docs/notifications'],
    ['resources', '/docs/resources'],
    ['problem', '/problems/invalid-input'],
    ['providers', '/docs/providers'],
    ['provider', '/docs/providers/hubspot'],
  ])('the page %s fits phones and desktops, in light and dark', async (name, path) => {
    const page = await open(path)
    if (name === 'chapter') await openForm(page, 'createTopic')
    await look(page, name)
    expect(failures).toEqual([])
    await page.close()
  })

  test('without a script, no form shows', async () => {
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
    await page.goto(`${app.url}/docs/projects`)
    expect(await page.locator('details.try').count()).toBe(0)
    await page.context().close()
  })
})
