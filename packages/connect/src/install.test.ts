import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scenarios } from '../stories/stories.ts'
import { type BrowserKit, chromiumPath, startBrowserKit } from './browser.testkit.ts'

/** Customers install and change integrations in a real browser. Left out where the machine has no Chromium. */
describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let kit: BrowserKit
  beforeAll(async () => {
    kit = await startBrowserKit()
  }, 60_000)
  afterAll(() => kit?.stop())

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** Presses Tab until this has the focus. */
  const tabTo = async (page: Page, name: string) => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab')
      if ((await kit.focused(page)).includes(name)) return
    }
    throw new Error(`Tab never reaches ${name}`)
  }

  test('a webhook that the customer sets up is a step after the installation, now or later', async () => {
    for (const isLater of [false, true]) {
      const page = await kit.open('install-webhook', { query: `&run=${isLater}` })
      await heading(page, 'Choose your data')
      await page.getByRole('button', { name: 'Choose fields People' }).click()
      await page.getByRole('button', { name: 'Choose a field' }).click()
      await page.getByRole('combobox', { name: 'Sample CRM field' }).fill('priority')
      await page.keyboard.press('Enter')
      for (let pages = 0; pages < 2; pages++) await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Start sending to Northwind' }).click()
      await heading(page, 'Set up the webhook at Sample CRM')
      await kit.check(page)
      if (!isLater) {
        await page.getByLabel('Secret key', { exact: true }).fill('a secret of the account')
        await page.getByRole('button', { name: 'Save secret' }).click()
      }
      await page.getByRole('button', { name: isLater ? 'Do this later' : 'Continue' }).click()
      await heading(page, 'CRM sync is set up')
      await page.close()
    }
  })

  test('by keyboard alone: connect, choose, match, preview, install', async () => {
    const page = await kit.open('install-connect')
    await page.getByLabel('API key', { exact: true }).waitFor()
    await tabTo(page, 'API key')
    await page.keyboard.type('good')
    await press(page, 'Enter')
    await heading(page, 'Choose your data')
    await tabTo(page, 'Continue')
    await press(page, 'Enter')
    await expect.poll(() => kit.focused(page)).toContain('1 choice is missing')
    await press(page, 'Tab', 'Enter')
    await heading(page, 'Fields of People')
    await expect.poll(() => kit.focused(page)).toContain('Choose a field')
    await press(page, 'Enter')
    await page.getByRole('combobox', { name: 'Sample CRM field' }).waitFor()
    await page.keyboard.type('priority')
    await press(page, 'Enter')
    await expect.poll(() => kit.focused(page)).toContain('Priority of the account')
    await tabTo(page, 'Choose more fields')
    await page.keyboard.type('birth')
    await page.getByText('1 field found').waitFor({ state: 'attached' })
    await press(page, 'Enter')
    await page.getByText('1 chosen').waitFor()
    await tabTo(page, 'Continue')
    await press(page, 'Enter')
    await heading(page, 'Choose your data')
    await tabTo(page, 'Continue')
    await press(page, 'Enter')
    await heading(page, 'Check a few records')
    await page.getByText('+49 30 901820').waitFor()
    await tabTo(page, 'Next record')
    await press(page, 'Enter')
    await page.getByText('+49 30 901821').waitFor()
    await tabTo(page, 'Start sending to Northwind')
    await press(page, 'Enter')
    await heading(page, 'CRM sync is set up')
    await page.getByText('1,204 of 5,300 records read').waitFor()
    expect(kit.server.requests.at(-1)).toMatchObject({
      method: 'POST',
      body: {
        groupRef: 'acme',
        connectionId: 'new-sampleCrm',
        config: {
          content: {
            read: {
              objects: {
                contacts: {
                  selectedFields: { birthday: true },
                  selectedFieldMappings: { lifecycle: 'stage', priority: 'cf_priority' },
                },
              },
            },
          },
        },
      },
    })
    await page.close()
  })

  test('a change sends only what changed, and marks it before', async () => {
    const page = await kit.open('install-change')
    await page.getByRole('button', { name: 'Choose fields People' }).click()
    await page.getByRole('option', { name: 'Visits' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('changed').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await heading(page, 'Your changes are saved')
    expect(kit.server.requests.at(-1)).toMatchObject({
      method: 'PATCH',
      body: {
        updateMask: ['config.content.read.objects.contacts'],
        installation: {
          config: {
            content: {
              read: { objects: { contacts: { schedule: '*/5 * * * *', selectedFields: { birthday: true } } } },
            },
          },
        },
      },
    })
    await page.close()
  })

  test('a config that is refused says why, loses nothing, and can be tried again', async () => {
    const page = await kit.open('install-save-fails')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Start sending' }).click()
    await page.getByText('the field “subject” does not exist').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'Support tickets is set up')
    await page.close()
  })

  test('an account that refuses access says so in the words of the provider, and is connected again', async () => {
    const page = await kit.open('install-refused')
    await heading(page, 'Reconnect Sample CRM')
    await page.getByText('This key was revoked.', { exact: true }).waitFor()
    await page.getByText('Sample CRM no longer accepts your saved access. Reconnect to continue.').waitFor()
    await page.getByRole('button', { name: 'Reconnect Sample CRM' }).click()
    await page.getByRole('textbox', { name: 'API key' }).waitFor()
    await page.close()
  })

  test('5,000 fields are a few rows of the page, and every one of them is reached', async () => {
    const page = await kit.open('install-large')
    const search = page.getByRole('combobox', { name: 'Choose more fields' })
    await search.fill('field 4999')
    await page.getByRole('option', { name: 'Legacy field 4999' }).waitFor()
    await search.fill('')
    await press(page, 'ArrowDown', 'PageDown', 'PageDown')
    expect(await page.getByRole('option').count()).toBeLessThan(30)
    const active = await search.getAttribute('aria-activedescendant')
    expect(active).toBe('option-11')
    expect(await page.locator(`#${active}`).isVisible()).toBe(true)
    await page.close()
  })

  test.each(Object.keys(scenarios).filter((name) => scenarios[name]?.element === 'mortise-install'))(
    'axe finds nothing on “%s”, and nothing is wider than a phone',
    async (name) => {
      for (const query of ['', '&theme=dark&language=ar']) {
        const page = await kit.open(name, { query, width: 320, isShared: true })
        await page.locator('mortise-install').getByRole('heading').or(page.locator('#result')).first().waitFor()
        await kit.check(page)
      }
    },
  )

  test('axe finds nothing on an object, in a list of fields, in a preview and at the end', async () => {
    const page = await kit.open('install-objects', { width: 320 })
    await page.getByRole('button', { name: 'Choose fields People' }).click()
    await page.getByRole('button', { name: 'Priority' }).click()
    await kit.check(page)
    await page.getByRole('option', { name: 'Priority of the account' }).first().click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('+49 30 901820').waitFor()
    await kit.check(page)
    await page.getByRole('button', { name: 'Start sending' }).click()
    await page.getByText('1,204 of 5,300').waitFor()
    await kit.check(page)
    await page.close()
  })

  test('no policy stood in the way, and nothing failed', () => {
    expect(kit.failures).toEqual([])
  })
})
