import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * A change of an address would send stored secrets to another receiver: the forms say why they are needed again. Left
 * out where the machine has no Chromium. `MORTISE_SCREENSHOTS` names a folder for pictures.
 */

const developer = { email: 'dora@example.com', role: 'developer' } as const
const waits = { timeout: 30_000 }
const again = 'Enter it again: the stored one is not sent to another receiver.'
const screenshots = process.env['MORTISE_SCREENSHOTS']

describe.skipIf(chromiumPath === undefined)('the form of', () => {
  let app: TestApp
  let kit: ConsoleKit
  beforeAll(async () => {
    app = await startTestApp()
    kit = await startConsoleKit(app)
  })
  afterAll(async () => {
    await kit?.stop()
    await app?.stop()
  })
  const show = async (page: Page, name: string) => {
    if (screenshots) await page.screenshot({ path: `${screenshots}/${name}.png`, fullPage: true })
  }
  async function create(path: string, body: object) {
    const answer = await app.call(`POST`, `/projects/default/${path}`, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  }
  const seen = (page: Page, text: string) => page.getByText(text).first().waitFor(waits)

  test('a destination says which change needs its secrets again, and takes them', async () => {
    const metadata = {
      url: 'https://203.0.114.5/hook',
      headers: { 'X-Key': 'of-the-first' },
      tokenUrl: 'https://203.0.114.5/token',
      clientId: 'mortise',
    }
    await create('destinations', {
      name: 'moved',
      type: 'webhook',
      metadata,
      secrets: { clientSecret: 'secret-of-the-first' },
    })
    const page = await kit.open('/default/destinations/moved', developer)
    await page.getByRole('button', { name: 'Edit', exact: true }).click(waits)
    const form = page.getByRole('dialog')
    await form.getByLabel('URL', { exact: true }).fill('https://203.0.114.6/hook')
    await form.getByRole('button', { name: 'Save destination' }).click()
    const alert = form.getByRole('alert')
    await alert.getByText('Enter the secrets again').waitFor(waits)
    expect(await alert.innerText()).toContain(
      'You changed URL, so the stored secrets would be sent to another receiver.',
    )
    expect(await form.getByText(again).count()).toBe(2)
    // The first of them has the focus: the form is long.
    await expect.poll(() => form.locator('textarea:focus').inputValue()).toBe('X-Key: ***')
    // The rare setting that is needed is shown.
    const secret = form.getByLabel('Client secret', { exact: true })
    expect(await secret.isVisible()).toBe(true)
    await show(page, 'destination-needed')
    await kit.check(page)
    await form.getByLabel('Headers').fill('X-Key: of-the-second')
    await secret.fill('secret-of-the-second')
    await form.getByRole('button', { name: 'Save destination' }).click()
    await seen(page, 'The destination is changed.')
    await show(page, 'destination-saved')
    const { body } = await app.call<{ metadata: object }>(
      'GET',
      '/projects/default/destinations/moved?includeSecrets=true',
    )
    expect(body.metadata).toMatchObject({ url: 'https://203.0.114.6/hook', headers: { 'X-Key': 'of-the-second' } })
    expect(kit.failures).toEqual([])
    await page.context().close()
  }, 120_000)

  test('a provider app says that a further host needs its client secret', async () => {
    const app_ = { provider: 'gitea', clientId: 'mortise', clientSecret: 'secret-of-the-app' }
    await create('provider-apps', app_)
    const page = await kit.open('/default/providers/gitea/apps', developer)
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click(waits)
    await page.getByLabel('Allowed hosts (optional)', { exact: true }).fill('git.acme.example')
    await page.getByRole('button', { name: 'Save app' }).click()
    await seen(page, 'Enter the secrets again')
    await seen(page, 'You changed Allowed hosts')
    expect(await page.getByText(again).count()).toBe(1)
    await show(page, 'app-needed')
    await page.getByLabel('Client secret', { exact: true }).fill('secret-of-the-app')
    await page.getByRole('button', { name: 'Save app' }).click()
    await seen(page, 'App saved')
    expect(kit.failures).toEqual([])
    await page.context().close()
  }, 120_000)
})
