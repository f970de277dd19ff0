import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scenarios } from '../stories/stories.ts'
import { type BrowserKit, chromiumPath, startBrowserKit } from './browser.testkit.ts'

/** Customers connect accounts in a real browser, under a strict policy. Left out where the machine has no Chromium. */
describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let kit: BrowserKit
  beforeAll(async () => {
    kit = await startBrowserKit()
  }, 60_000)
  afterAll(() => kit?.stop())

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const focused = (page: Page) => kit.focused(page)

  test('by keyboard alone: search, a gap, a refused key, a good key', async () => {
    const page = await kit.open('providers')
    await heading(page, 'Connect your account to Northwind')
    await page.keyboard.press('Tab')
    await page.keyboard.type('sample')
    await page.getByText('1 provider found').waitFor({ state: 'attached' })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByLabel('API key', { exact: true }).waitFor()
    expect(await focused(page)).toBe('Connect Sample CRM')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toContain('1 field needs your attention')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await focused(page)).toBe('API key')
    await page.keyboard.type('refused')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toContain('Sample CRM refused access')
    await page.getByText('the key was revoked').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe('refused')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('good')
    await page.keyboard.press('Enter')
    await heading(page, 'Sample CRM is connected')
    expect(await focused(page)).toBe('Sample CRM is connected')
    await page.close()
  })

  test('a window of the provider ends the step; a denied one says so', async () => {
    const page = await kit.open('form-oauth')
    await page.getByRole('button', { name: 'Connect HubSpot' }).click()
    await heading(page, 'HubSpot is connected')
    expect(page.context().pages()).toHaveLength(1)
    await page.close()
    const denied = await kit.open('form-oauth-domain')
    await denied.getByLabel('Domain').fill('deny')
    await denied.getByRole('button', { name: 'Connect Salesforce' }).click()
    await denied.getByText('access_denied: the user declined').waitFor()
    await denied.close()
  })

  test('by keyboard alone: what an account did not grant is named, and asked for again', async () => {
    const page = await kit.open('permissions')
    await heading(page, 'Some permissions are missing')
    expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(
        /crm\.objects\.contacts\.read\s+To read People and Companies\s+To create and change People/,
      ),
      expect.stringMatching(/View and change tickets\s+To receive changes of Tickets/),
      'content',
    ])
    await page.locator('#submit:not([aria-disabled])').waitFor()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Grant permissions')
    await page.keyboard.press('Enter')
    await heading(page, 'HubSpot is connected')
    expect(kit.server.requests.at(-1)?.body).toMatchObject({ scheme: 'oauth2', connectionId: 'con-1' })
    await page.close()
  })

  test('a customer continues without permissions, unless something is always read', async () => {
    const page = await kit.open('permissions')
    await page.getByRole('button', { name: 'Continue without them' }).click()
    await heading(page, 'HubSpot is connected')
    await page.close()
    const required = await kit.open('permissions-required')
    await required.getByText('Northwind does not work without these permissions').waitFor()
    expect(await required.getByRole('button').allInnerTexts()).toEqual(['Grant permissions'])
    await required.close()
  })

  test('a closed window is noticed within a second', async () => {
    const page = await kit.open('form-oauth-domain')
    await page.getByLabel('Domain').fill('wait')
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Connect Salesforce' }).click(),
    ])
    await popup.waitForURL(/provider/)
    await popup.close()
    await page.getByText('The window was closed before you allowed access').waitFor({ timeout: 1_000 })
    await page.close()
  })

  test('where windows are blocked, the page itself goes to the provider and returns', async () => {
    const page = await kit.open('form-oauth')
    await page.evaluate('window.open = () => null')
    await page.getByRole('button', { name: 'Connect HubSpot' }).click()
    await page.getByText('Your browser blocked the window').waitFor()
    await page.getByRole('button', { name: 'Continue on this page' }).click()
    await heading(page, 'HubSpot is connected')
    expect(new URL(page.url()).searchParams.has('connectionId')).toBe(false)
    await page.close()
  })

  test('a step on a page of the provider opens by a click of its own', async () => {
    const page = await kit.open('form-steps')
    await page.getByLabel('Account number').fill('12')
    await page.getByRole('button', { name: 'Connect Bank of Steps' }).click()
    await page.getByRole('button', { name: 'Continue at Bank of Steps' }).click()
    await heading(page, 'Bank of Steps is connected')
    await page.close()
  })

  test('the theme of the project has colors for dark pages, and the page comes before both', async () => {
    const colors = async (query: string, variables = '') => {
      const page = await kit.open('branded', { query })
      await heading(page, 'Connect your account to Northwind')
      const element = page.locator('mortise-connect')
      await element.evaluate((one, text) => one.style.setProperty('--mortise-text', text), variables)
      const colors = await element.evaluate((one) => {
        const card = getComputedStyle(one.shadowRoot?.querySelector('.card') as Element)
        return [card.backgroundColor, card.color, card.fontFamily]
      })
      await page.close()
      return colors
    }
    expect(await colors('&theme=light')).toEqual(['rgb(253, 248, 255)', 'rgb(42, 17, 64)', 'Georgia, serif'])
    expect(await colors('&theme=dark')).toEqual(['rgb(36, 26, 51)', 'rgb(244, 236, 255)', 'Georgia, serif'])
    expect((await colors('&theme=dark', '#010203'))[1]).toBe('rgb(1, 2, 3)')
  })

  test.each(Object.keys(scenarios).filter((name) => scenarios[name]?.element === 'mortise-connect'))(
    'axe finds nothing on “%s”, and nothing is wider than a phone',
    async (name) => {
      for (const query of ['', '&theme=dark']) {
        const page = await kit.open(name, { query, width: 320, isShared: true })
        await page
          .locator('mortise-connect')
          .getByRole(name === 'loading' ? 'status' : 'heading')
          .or(page.locator('#result'))
          .first()
          .waitFor()
        await kit.check(page)
      }
    },
  )

  test('leaves room to type between a prefix and a long suffix on a phone', async () => {
    const page = await kit.open('form-oauth-domain', { width: 320 })
    const box = await page.getByLabel('Domain').boundingBox()
    expect(box?.width).toBeGreaterThan(150)
    await page.close()
  })

  test('no policy stood in the way, and nothing failed', () => {
    expect(kit.failures).toEqual([])
  })
})
