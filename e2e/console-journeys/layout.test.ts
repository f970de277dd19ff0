import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ReadingKit, startReadingKit } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { tabTo } from '../connect-journeys/keyboard.testkit.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * What the console shows where there is little room, and of addresses that do not exist. Left out where the machine has
 * no Chromium.
 */

/** What scrolls sideways if it has more columns than room. */
const tables = '.table-scroller, .scrolls'
const phone = { width: 390, height: 844 }
const laptop = { width: 1_280, height: 800 }

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let service: ReadingKit
  let kit: ConsoleKit
  let page: Page

  beforeAll(async () => {
    service = await startReadingKit()
    const installed = await service.install({ object: { backfill: { defaultPeriod: { fullHistory: true } } } })
    await service.until(async () => (await service.operations(installed)).every(({ status }) => status === 'success'))
    kit = await startConsoleKit(service.app, { MORTISE_PROVIDERS_DIR: service.providersDir })
    page = await kit.open('/default/overview')
  })
  afterAll(async () => {
    await kit?.stop()
    await service?.stop()
  })

  async function go(path: string): Promise<void> {
    await page.goto(`${kit.url}/console${path}`)
    await page.locator('main h1').waitFor()
    await expect.poll(() => page.locator('.skeleton, .busy').count()).toBe(0)
  }

  test('on a phone, a shadow is where a table has more columns, and tabs fade where there are more', async () => {
    await page.setViewportSize(phone)
    for (const path of ['/default/installations', '/default/customers/group1']) {
      await go(path)
      const table = page.locator(tables).first()
      const shadows = () =>
        page.evaluate<boolean[]>(`['::before', '::after'].map((side) =>
          getComputedStyle(document.querySelector(${JSON.stringify(tables)}).parentElement, side).content !== 'none')`)
      expect(await shadows()).toEqual([false, true])
      await table.evaluate((one) => one.scrollTo({ left: one.scrollWidth }))
      await expect.poll(shadows).toEqual([true, false])
    }
    await go('/default/settings')
    await page.locator('.tabs[data-after]').waitFor()
    await page.setViewportSize(laptop)
    await expect.poll(() => page.locator('[data-before], [data-after]').count()).toBe(0)
  })

  test('on a phone, many filters are behind a button, which keys reach', async () => {
    await page.setViewportSize(phone)
    await go('/default/operations')
    const status = page.getByRole('combobox', { name: 'Status' })
    expect(await status.isVisible()).toBe(false)
    await tabTo(page, 'Filters')
    await page.keyboard.press('Enter')
    await status.selectOption('success')
    await page.getByRole('button', { name: 'Filters (1)', expanded: true }).waitFor()
    await kit.check(page)
    await page.setViewportSize(laptop)
    await go('/default/operations')
    expect(await status.isVisible()).toBe(true)
    expect(await page.locator('.filters-toggle').isVisible()).toBe(false)
  })

  test('a customer who does not exist is not found, like anything else', async () => {
    await go('/default/customers/nobody')
    await page.getByRole('heading', { name: 'Group not found' }).waitFor()
    expect(await page.locator('main .card').count()).toBe(0)
    expect(await page.locator('main').getByRole('button').allTextContents()).toContain('Try again')
    expect(await page.getByRole('button', { name: 'Make a link for the customer' }).count()).toBe(0)
    await kit.check(page)
  })

  test('an address of the service that does not exist leads a browser to a page, from where keys lead on', async () => {
    await page.goto(`${kit.url}/nope`)
    await kit.check(page)
    await tabTo(page, 'Open the console')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${kit.url}/console/default/overview`)
  })

  test('a cut text of a list is shown whole when it is pointed at', async () => {
    const groupName = `Company ${'long '.repeat(30)}`.trim()
    await sql`update groups set group_name = ${groupName} where group_ref = 'group1'`.execute(
      service.app.testDatabase.database.system,
    )
    await page.setViewportSize(laptop)
    await go('/default/installations')
    const link = page.getByRole('link', { name: `${groupName} · crm1` })
    // What the integration is stays in sight.
    const integration = link.getByText('crm1')
    expect(await integration.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    await link.hover()
    const cell = page.getByRole('gridcell').filter({ has: link })
    expect(await cell.getAttribute('title')).toContain(groupName)
  })

  test('on a small laptop, the dates of facts are in one line', async () => {
    const [message] = (await service.app.call<{ id: string }[]>('GET', '/projects/default/messages')).body
    await page.setViewportSize(laptop)
    for (const path of [`/default/messages/${message!.id}`, '/default/integrations/crm1']) {
      await go(path)
      const lines = await page
        .locator('.facts dd time')
        .evaluateAll((times) => times.map((time) => [time.textContent, time.getClientRects().length]))
      expect(lines.length).toBeGreaterThan(0)
      for (const [text, count] of lines) expect([text, count]).toEqual([text, 1])
    }
  })

  test('charts have the colors of the theme, and of the next one', async () => {
    await page.setViewportSize(laptop)
    await page.emulateMedia({ colorScheme: 'light' })
    await go('/default/overview')
    const bars = { light: '36,92,148', dark: '132,185,236' }
    await expect.poll(() => colorsOfCharts(page)).toContain(bars.light)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => colorsOfCharts(page)).toContain(bars.dark)
    expect(await colorsOfCharts(page)).not.toContain(bars.light)
    // The name is a part of what opens the menu.
    await expect.poll(() => page.getByRole('button', { name: 'Account' }).isEnabled()).toBe(true)
    const { x, y } = (await page.locator('.account-name').boundingBox())!
    await page.mouse.click(x + 4, y + 4)
    await page.getByRole('menuitem', { name: 'Light theme' }).click()
    await expect.poll(() => colorsOfCharts(page)).toContain(bars.light)
    expect(await colorsOfCharts(page)).not.toContain(bars.dark)
  })
})

/** The opaque colors of the canvases of a page, each once, as `red,green,blue`. */
function colorsOfCharts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...new Set([...document.querySelectorAll('.chart canvas')].flatMap((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const colors = new Set()
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3] === 255) colors.add(data.slice(at, at + 3).join())
    return [...colors]
  }))]`)
}
