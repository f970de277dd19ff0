import { startSaasApp } from '@mortise-examples/saas-app'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFindings } from '../packages/connect/src/page-checks.testkit.ts'
import { deploy, sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { chromiumPath } from '../packages/server/src/testkit/chromium.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/**
 * The React page and the Vue page of the example, with a real Mortise behind them: a customer connects an account and
 * installs. Left out where the machine has no Chromium.
 */
describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let mortise: TestApp
  let crm: SampleCrm
  let harbor: Awaited<ReturnType<typeof startSaasApp>>
  let browser: Browser
  const failures: string[] = []
  const person = { id: 'ada', name: 'Ada' }

  beforeAll(async () => {
    const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' }
    mortise = await startTestApp({ env })
    crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
    await mortise.call('PATCH', '/projects/default', { updateMask: ['appName'], project: { appName: 'Harbor' } })
    const destination = { name: 'hook', type: 'webhook', metadata: { url: 'http://127.0.0.1:9' } }
    await mortise.call('POST', '/projects/default/destinations', destination)
    await deploy(mortise, 'sampleCrm')
    harbor = await startSaasApp({
      mortiseUrl: mortise.url,
      apiKey: mortise.apiKey,
      webhookSecret: '',
      customers: ['react', 'vue'].map((id) => ({ id, name: id, person })),
    })
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser?.close()
    await harbor?.close()
    await crm?.close()
    await mortise?.stop()
  })

  async function open(customer: string): Promise<Page> {
    // Colors change at once, so that contrast is measured between colors that stay.
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    await context.addCookies([{ name: 'harbor_customer', value: customer, url: harbor.url }])
    const page = await context.newPage()
    page.on('pageerror', (error) => failures.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') failures.push(message.text())
    })
    await page.goto(`${harbor.url}/${customer}`)
    return page
  }

  async function check(page: Page): Promise<void> {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeFindings(page), colorScheme).toEqual([])
    }
  }

  test.each(['react', 'vue'])('/%s: a customer connects and installs, and each event arrives once', async (name) => {
    const page = await open(name)
    const news = page.getByRole('status', { name: 'What happened' }).getByRole('paragraph')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByLabel('Address').fill(crm.url)
    await page.getByLabel('API key', { exact: true }).fill(crm.apiKey)
    await check(page)
    await page.getByRole('button', { name: 'Connect' }).click()
    await expect.poll(() => news.allTextContents()).toEqual(['Connected: sampleCrm'])
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Start sending to Harbor' }).click()
    await page.getByRole('heading', { name: 'is set up' }).waitFor()
    expect(await news.allTextContents()).toEqual(['Connected: sampleCrm', 'Installed. Your contacts are on their way.'])
    await check(page)
    const installed = await mortise.call<{ group: { groupRef: string } }[]>(
      'GET',
      `/projects/default/integrations/sampleCrm/installations?groupRef=${name}`,
    )
    expect(installed.body).toHaveLength(1)
    await page.context().close()
  })

  test('no policy stood in the way, and nothing failed', () => {
    expect(failures).toEqual([])
  })
})
