import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type SampleCrm, startSampleCrm } from '../../examples/sample-crm/src/index.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { tabTo } from '../connect-journeys/keyboard.testkit.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * An operator finds out what happened and mends it, in a real browser: operations, messages, destinations and
 * notifications. Left out where the machine has no Chromium.
 */

const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: sampleCrm
    read:
      objects:
        - objectName: contacts
          destination: events
          schedule: "0 3 * * *"
          requiredFields: [{ fieldName: email }]
          backfill: { defaultPeriod: { fullHistory: true } }
`
const waits = { timeout: 20_000 }

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let app: TestApp
  let kit: ConsoleKit
  let page: Page
  let crm: SampleCrm
  let receiver: Server
  const received: string[] = []

  beforeAll(async () => {
    crm = await startSampleCrm({ contacts: 30, rateLimit: 0 })
    receiver = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']))
      request.resume().on('end', () => response.end('thanks'))
    })
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    const providers = resolve(import.meta.dirname, '../../examples/sample-crm/providers')
    app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providers } })
    kit = await startConsoleKit(app)
    const base = `/projects/${app.projectId}`
    const call = async (method: string, path: string, body: unknown) => {
      const answer = await app.call<{ id: string }>(method, path, body)
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
      return answer.body
    }
    await call('PUT', `${base}/integrations:batch`, { sourceYaml: manifest })
    const connection = await call('POST', `${base}/connections:generate?verify=true`, {
      groupRef: 'acme',
      groupName: 'Acme',
      consumerRef: 'ada',
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: { value: crm.url, source: 'input' } },
    })
    const objects = { contacts: { objectName: 'contacts', destination: 'events', selectedFieldMappings: {} } }
    await call('POST', `${base}/integrations/crm/installations`, {
      groupRef: 'acme',
      connectionId: connection.id,
      config: { content: { provider: 'sampleCrm', read: { objects } } },
    })
    page = await kit.open('/default/operations')
  }, 120_000)
  afterAll(async () => {
    await kit?.stop()
    await app?.stop()
    await crm?.close()
    await new Promise((done) => receiver.close(done))
  })

  async function go(path: string): Promise<void> {
    await page.goto(`${kit.url}/console/default${path}`)
    await page.locator('main h1').waitFor()
  }

  test('a read is found by its customer, opened by keyboard, and has an address that can be sent', async () => {
    await go('/operations?groupRef=acme')
    const row = page.getByRole('row').filter({ hasText: 'Backfill of contacts' })
    await row.getByText('Success').waitFor(waits)
    await row.getByText('Acme').waitFor()
    await kit.check(page)
    await page.getByRole('grid', { name: 'Operations' }).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('dialog', { name: 'Operation' })
    await panel.getByText('30 records read').first().waitFor()
    const address = page.url()
    expect(address).toMatch(/groupRef=acme&open=/)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.goto(address)
    await panel.getByRole('link', { name: 'Open the page' }).click()
    await page.getByRole('heading', { name: 'Messages made' }).waitFor()
    await page.getByRole('grid', { name: 'Messages of the operation' }).getByText('missing').waitFor()
    await kit.check(page)
  }, 60_000)

  test('filters get a name, which brings them back', async () => {
    await go('/operations?status=failure')
    await page.getByText('No operation matches').waitFor()
    await page.getByRole('button', { name: 'Saved views' }).click()
    await page.getByRole('menuitem', { name: 'Save these filters…' }).click()
    await page.getByLabel('Name').fill('Failed reads')
    await page.getByRole('button', { name: 'Save view' }).click()
    await go('/operations')
    await page.getByRole('button', { name: 'Saved views' }).click()
    await page.getByRole('menuitem', { name: 'Failed reads' }).click()
    await page.waitForURL(/status=failure/)
  }, 60_000)

  test('messages wait for a destination that is missing; creating it sends them, and one is sent again', async () => {
    await go('/destinations')
    await page.getByRole('link', { name: 'Create events' }).click(waits)
    const form = page.getByRole('dialog')
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('events')
    await form.getByLabel('URL').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`)
    await form.getByRole('button', { name: 'Create destination' }).click()
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByText('It arrived').waitFor(waits)
    await page.getByText('thanks').waitFor()
    await page.getByText('Half arrive within').waitFor({ timeout: 45_000 })
    await kit.check(page)
    await go('/messages?destination=events')
    await page.getByRole('row').filter({ hasText: 'Delivered' }).first().waitFor(waits)
    await kit.check(page)
    await page.getByRole('row').getByRole('link', { name: 'Records read' }).first().click()
    await page.getByRole('heading', { name: 'Send it from a terminal' }).waitFor()
    await kit.check(page)
    const id = page.url().split('/').at(-1)
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('1 of 1 sent again').waitFor(waits)
    await vi.waitFor(() => expect(received.filter((one) => one === id)).toHaveLength(2), waits)
  }, 120_000)

  test('by keys alone: the records that are there are sent again, of one customer, and the page shows how far', async () => {
    await go('/destinations/events')
    await page.getByText('Send a test message').waitFor()
    await tabTo(page, 'Resend records')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Resend records to events' })
    await dialog.getByLabel('Integration').locator('option', { hasText: 'crm' }).waitFor({ state: 'attached' })
    await kit.check(page)
    await dialog.getByLabel('Object').focus()
    await page.keyboard.type('contacts')
    await page.keyboard.press('Tab')
    await page.keyboard.type('nobody')
    await page.keyboard.press('Enter')
    await dialog.getByText('This project has no group of this ref.', { exact: false }).waitFor(waits)
    await kit.check(page)
    await dialog.getByLabel('Customer').fill('acme')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const done = page.locator('section').filter({ hasText: 'Newest resend' })
    await done.getByText('Done').waitFor(waits)
    await done.getByText('30', { exact: true }).waitFor()
    await done.getByRole('link', { name: 'acme' }).waitFor()
    await kit.check(page)
  }, 60_000)

  test('a resend can be stopped while it reads', async () => {
    // The read is tried again later.
    crm.failNext(1_000, 503)
    await go('/destinations/events')
    await page.getByRole('button', { name: 'Resend records' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resend records' }).click()
    const running = page.locator('section').filter({ hasText: 'Resending all records' })
    await running.getByText('0 of 1 installation done', { exact: false }).waitFor(waits)
    await kit.check(page)
    await running.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop the resend' }).click()
    await page.locator('section').filter({ hasText: 'Newest resend' }).getByText('Stopped').waitFor(waits)
    crm.failNext(0, 503)
  }, 60_000)

  test('a failed read says why in the words of the provider, and leads to the connection', async () => {
    await go('/operations?readType=backfill')
    await page.getByRole('row').getByRole('link', { name: 'Backfill of contacts' }).last().click()
    crm.revokeKey()
    await page.getByRole('button', { name: 'Backfill again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Backfill again' }).click()
    const failure = page.getByRole('region', { name: 'Why it failed' })
    await failure.getByText('this API key is not valid', { exact: false }).first().waitFor(waits)
    await failure.getByRole('link', { name: 'Open the connection' }).waitFor()
    await kit.check(page)
    await go('/destinations/events')
    await page.getByRole('button', { name: 'Resend records' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resend records' }).click()
    const resend = page.getByRole('region', { name: 'What the newest resend did not read' })
    await resend.getByText('The newest resend is incomplete: 1 of 1 read failed').waitFor(waits)
    await resend.getByRole('link', { name: 'acme' }).waitFor()
    await kit.check(page)
  }, 60_000)

  test('a topic is made and routed, and the picture shows its lines', async () => {
    await go('/notifications')
    await page.locator('main').getByRole('button', { name: 'Create topic' }).first().click()
    await page.getByLabel('Name').fill('errors')
    await page.getByRole('dialog').getByRole('button', { name: 'Create topic' }).click()
    const panel = page.getByRole('dialog', { name: 'Routes' })
    await panel.getByLabel('connection.error').click()
    await expect.poll(() => page.locator('.route-lines path').count()).toBe(1)
    await panel.getByLabel('events', { exact: true }).click()
    await expect.poll(() => page.locator('.route-lines path').count()).toBe(2)
    const routes = await app.call<{ eventType: string }[]>(
      'GET',
      `/projects/${app.projectId}/notification-event-topic-routes`,
    )
    expect(routes.body.map(({ eventType }) => eventType)).toEqual(['connection.error'])
    await kit.check(page)
    await panel.getByLabel('connection.error').click()
    await expect.poll(() => page.locator('.route-lines path').count()).toBe(1)
  }, 60_000)

  test('pages without anything yet say what will be there', async () => {
    await go('/provider-events')
    await page.getByText('No provider has sent events').waitFor()
    await kit.check(page)
    await go('/schema-changes')
    await page.getByText('No schema changes').waitFor()
    await kit.check(page)
  }, 60_000)

  test('a viewer sees everything, and learns who can change it', async () => {
    const viewer = await kit.open('/default/destinations/events', { email: 'vi@example.com', role: 'viewer' })
    const send = viewer.getByRole('button', { name: 'Send a test message' })
    await send.waitFor()
    expect(await send.isDisabled()).toBe(true)
    expect(await send.getAttribute('title')).toBe('An operator can do this.')
    for (const name of ['Resend records', 'Pause', 'Edit', 'Delete', 'Rotate the secret'])
      expect(await viewer.getByRole('button', { name, exact: true }).isDisabled(), name).toBe(true)
    await viewer.close()
    expect(kit.failures).toEqual([])
  }, 60_000)
})
