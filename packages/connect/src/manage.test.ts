import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scenarios } from '../stories/stories.ts'
import { type BrowserKit, chromiumPath, startBrowserKit } from './browser.testkit.ts'

/** Customers see what works and change it, in a real browser. Left out where the machine has no Chromium. */
describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let kit: BrowserKit
  beforeAll(async () => {
    kit = await startBrowserKit()
  }, 60_000)
  afterAll(() => kit?.stop())

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const tabTo = async (page: Page, name: string) => {
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab')
      if ((await kit.focused(page)) === name) return
    }
    throw new Error(`Tab never reaches ${name}`)
  }
  const enter = async (page: Page, name: string) => {
    await tabTo(page, name)
    await page.keyboard.press('Enter')
  }

  test('by keyboard alone: pause, resume, reconnect a broken account, remove', async () => {
    const page = await kit.open('manage')
    await heading(page, 'Your integrations with Northwind')
    await page.getByText('Couldn’t authenticate you').first().waitFor()
    await enter(page, 'Pause CRM sync')
    await page.getByRole('button', { name: 'Resume CRM sync' }).waitFor()
    await enter(page, 'Resume CRM sync')
    await page.getByRole('button', { name: 'Pause CRM sync' }).waitFor()
    await enter(page, 'Reconnect Zendesk Support')
    await heading(page, 'Reconnect Zendesk Support')
    for (const [label, value] of [
      ['Subdomain', 'acme'],
      ['Email', 'ada@example.com'],
      ['API token', 'good'],
    ] as const) {
      await tabTo(page, label)
      await page.keyboard.type(value)
    }
    await page.keyboard.press('Enter')
    await heading(page, 'Zendesk Support is connected')
    await enter(page, 'Done')
    await heading(page, 'Your integrations with Northwind')
    expect(await page.getByText('Couldn’t authenticate you').count()).toBe(0)
    await enter(page, 'Remove CRM sync')
    await page.getByText('contacts: 2 chosen fields, 1 match').waitFor()
    await enter(page, 'Remove CRM sync')
    await page.getByText('CRM sync was removed').waitFor({ state: 'attached' })
    expect(kit.server.requests.map(({ method, path }) => `${method} ${path.replace('/v1/projects/p/', '')}`)).toEqual([
      'POST /readintegrations/int-crm/installations/ins-1:pause',
      'POST /readintegrations/int-crm/installations/ins-1:unpause',
      'POST connect-info/providers/zendeskSupport:connect',
      'DELETE integrations/int-crm/installations/ins-1',
    ])
    await page.close()
  })

  test('a change in place ends at the list', async () => {
    const page = await kit.open('manage-one')
    await page.getByRole('button', { name: 'Change CRM sync' }).click()
    await page.getByRole('button', { name: 'Choose fields People' }).click()
    await page.getByRole('option', { name: 'Visits' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await heading(page, 'Your changes are saved')
    await page.getByRole('button', { name: 'Done' }).click()
    await heading(page, 'Your integrations with Northwind')
    await page.close()
  })

  test('an account of two integrations is removed by its name, also one copied from a right-to-left text', async () => {
    const page = await kit.open('manage-shared', { query: '&language=ar' })
    await page.getByRole('button', { name: 'Disconnect' }).click()
    const remove = page.locator('#submit')
    await page.getByRole('textbox').fill('Sample')
    expect(await remove.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('textbox').fill('\u2068Sample CRM\u2069')
    await remove.click()
    await heading(page, 'Nothing is connected yet')
    await page.close()
  })

  test('what cannot be done says so at its place', async () => {
    const page = await kit.open('manage-pause-fails')
    await page.getByRole('button', { name: 'Pause CRM sync' }).click()
    await page.getByText('You do not have access to this').waitFor()
    expect(await kit.focused(page)).toContain('You do not have access to this')
    await page.close()
  })

  test('the gallery leads to setting up, and to managing what is there', async () => {
    const page = await kit.open('gallery')
    await page.getByRole('button', { name: 'CRM sync' }).click()
    await heading(page, 'CRM sync')
    await page.getByRole('button', { name: 'Back' }).click()
    await heading(page, 'Integrations of Northwind')
    await page.close()
    const many = await kit.open('gallery-many')
    await many.getByRole('searchbox').fill('39')
    await many.getByRole('button', { name: 'Integration 39' }).click()
    await heading(many, 'Connect Sample CRM')
    await many.close()
  })

  test('the address of a webhook is copied, and its secret is saved and replaced', async () => {
    const page = await kit.open('manage-webhook', { width: 320 })
    await page.getByRole('button', { name: 'Set up webhook CRM sync' }).click()
    await heading(page, 'Set up the webhook at Sample CRM')
    expect(await page.getByLabel('Webhook address').inputValue()).toContain('/installations/ins-1')
    await page.getByText('No secret yet').waitFor()
    await kit.check(page)
    await page.getByRole('button', { name: 'Save secret' }).click()
    await page.getByText('Secret key is required.').waitFor()
    await kit.check(page)
    await page.getByLabel('Secret key', { exact: true }).fill('a secret of the account')
    await page.keyboard.press('Enter')
    await page.getByText('The secret is saved.').waitFor()
    expect(await page.getByLabel('Secret key', { exact: true }).inputValue()).toBe('')
    await page.getByLabel('Secret key', { exact: true }).fill('another secret')
    await page.keyboard.press('Enter')
    await page.getByText('The previous secret is valid until').waitFor()
    const sent = kit.server.requests.filter(({ path }) => path.endsWith('/webhook-secret')).map(({ body }) => body)
    expect(sent).toEqual([{ secret: 'a secret of the account' }, { secret: 'another secret' }])
    await page.getByRole('button', { name: 'Back' }).click()
    await heading(page, 'Your integrations with Northwind')
    await page.close()
    for (const query of ['&theme=dark', '&theme=dark&language=ar', '&language=de']) {
      const other = await kit.open('manage-webhook', { width: 320, query })
      await other.locator('li[part=installation] button').nth(1).click()
      await other.locator('#webhook-secret').waitFor()
      await kit.check(other)
      await other.close()
    }
  })

  const names = Object.keys(scenarios).filter((name) => /manage|integrations/.test(scenarios[name]?.element ?? ''))
  test.each(names)('axe finds nothing on “%s”, and nothing is wider than a phone', async (name) => {
    for (const query of ['', '&theme=dark&language=ar']) {
      const page = await kit.open(name, { query, width: 320, isShared: true })
      await page.locator('mortise-manage, mortise-integrations').getByRole('heading').first().waitFor()
      await kit.check(page)
    }
  })

  test('no policy stood in the way, and nothing failed', () => {
    expect(kit.failures).toEqual([])
  })
})
