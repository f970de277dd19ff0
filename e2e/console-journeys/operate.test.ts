import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type Installed,
  type ReadingKit,
  startReadingKit,
} from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * An operator finds why the installation of a customer fails, mends it, and sends again what a broken destination did
 * not get. Left out where the machine has no Chromium.
 */

const operator = { email: 'otto@example.com', role: 'operator' } as const
const waits = { timeout: 30_000 }

describe.skipIf(chromiumPath === undefined)('an operator', () => {
  let service: ReadingKit
  let kit: ConsoleKit
  let installed: Installed
  let page: Page
  let endpoint: Server
  let isBroken = true
  /** Ids of messages that the endpoint took, each time. */
  const taken: string[] = []

  beforeAll(async () => {
    endpoint = createServer((request, response) => {
      const id = String(request.headers['webhook-id'])
      request.resume().on('end', () => {
        if (!isBroken) taken.push(id)
        response.writeHead(isBroken ? 400 : 200).end(isBroken ? 'The table of contacts is missing.' : '')
      })
    })
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
    service = await startReadingKit({ contacts: 30 })
    installed = await service.install({ object: { backfill: { defaultPeriod: { fullHistory: true } } } })
    await service.until(async () => (await service.operations(installed)).every(({ status }) => status === 'success'))
    kit = await startConsoleKit(service.app, { MORTISE_PROVIDERS_DIR: service.providersDir })
    page = await kit.open('/default/overview', operator)
  })
  afterAll(async () => {
    await kit?.stop()
    await service?.stop()
    endpoint?.closeAllConnections()
    await new Promise((resolve) => endpoint?.close(resolve))
  })

  test('finds on the overview that the credential of a customer is refused, and mends it', async () => {
    await page.getByText('Every installation works.').waitFor(waits)
    const first = service.crm.apiKey
    service.crm.revokeKey()
    await service.makeDue(installed.installationId)
    // The page learns it by itself.
    await page.getByText('Credential refused').waitFor(waits)
    const attention = page.locator('.failing')
    await attention.getByText(/API key is not valid/).waitFor(waits)
    await kit.check(page)
    await attention.getByRole('link', { name: 'crm1' }).click()
    await page.getByRole('heading', { level: 1, name: /group1/ }).waitFor()
    await page.getByText('Credential refused').waitFor(waits)
    await kit.check(page)
    await page.locator('.page-header').getByRole('link', { name: 'sampleCrm' }).click()
    await page.getByRole('heading', { name: 'The provider refuses this credential' }).waitFor(waits)
    await page.getByRole('button', { name: 'Test now' }).click()
    await page.locator('.toast').getByText('The provider refused the credential').waitFor(waits)
    await kit.check(page)

    await page.getByRole('button', { name: 'Make a reconnect link' }).click()
    await page.getByRole('button', { name: 'Create the link' }).click()
    const link = await page.getByLabel('Link for the customer').inputValue()
    expect(link).toContain('/connect/')
    await kit.check(page)
    await page.keyboard.press('Escape')
    // The CRM takes the key again that the customer had.
    service.crm.createKey(first)
    await page.getByRole('button', { name: 'Test now' }).click()
    await page.locator('.toast').getByText('The provider accepted the credential').waitFor(waits)
    await page
      .locator('.page-header')
      .getByText('Works')
      .or(page.locator('.page-header .status.ok'))
      .first()
      .waitFor(waits)

    await page.goto(`${kit.url}/console/default/installations/${installed.integrationId}/${installed.installationId}`)
    const before = (await service.operations(installed)).length
    await page.getByRole('button', { name: 'Actions on contacts' }).click()
    await page.getByRole('menuitem', { name: 'Read the last 24 hours now' }).click()
    await service.until(async () => {
      const operations = await service.operations(installed)
      return operations.length > before && operations[0]?.status === 'success'
    })
    await page.locator('.page-header').getByText('Healthy').waitFor(waits)
    await page.goto(`${kit.url}/console/default/overview`)
    await page.getByText('Every installation works.').waitFor(waits)
  })

  test('finds the messages that a destination refused, and sends them all again', async () => {
    const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hooks`
    const body = { updateMask: ['metadata.url'], destination: { metadata: { url } } }
    const changed = await service.app.call('PATCH', '/projects/default/destinations/hook', body)
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    await page.goto(`${kit.url}/console/default/installations/${installed.integrationId}/${installed.installationId}`)
    await page.getByRole('button', { name: 'Actions on contacts' }).click()
    await page.getByRole('menuitem', { name: 'Backfill again…' }).click()
    await page.getByRole('button', { name: 'Backfill again' }).click()
    const failed = await service.until(async () => {
      await attemptLast()
      const ids = await messagesOf('failed')
      return ids.length > 0 && (await messagesOf('pending')).length === 0 && ids
    })

    await page.goto(`${kit.url}/console/default/messages?state=failed`)
    await page.getByRole('row').nth(1).waitFor(waits)
    expect(await page.getByRole('row').count()).toBe(failed.length + 1)
    await page.getByRole('grid', { name: 'Messages' }).focus()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    const panel = page.getByRole('dialog', { name: 'Message' })
    await panel
      .getByText(/table of contacts is missing/)
      .first()
      .waitFor(waits)
    await kit.check(page)
    await page.keyboard.press('Escape')

    isBroken = false
    await page.getByRole('button', { name: 'Send again…' }).click()
    await page.getByRole('dialog').getByLabel('Destination').selectOption('hook')
    await kit.check(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByText(`${failed.length} of ${failed.length} sent again`).waitFor(waits)
    await vi.waitFor(async () => expect(await messagesOf('failed')).toEqual([]), waits)
    expect(taken.toSorted()).toEqual(failed.toSorted())
    await page.getByText('No message matches').waitFor(waits)
    await kit.check(page)
  })

  test('meets no error of a page and of its policy', () => {
    expect(kit.failures).toEqual([])
  })

  /** Makes the last of the attempts of a message, which take days, due now. */
  async function attemptLast(): Promise<void> {
    const { sql: db } = service.app.db
    await sql`update messages set attempt = 7, next_attempt_at = now() where state = 'pending' and attempt between 1 and 6
                 and lease_token is null`.execute(db)
    await sql`update destinations set probe_at = now() where probe_at > now()`.execute(db)
  }

  async function messagesOf(state: string): Promise<string[]> {
    const path = `/projects/default/messages?destination=hook&state=${state}`
    const { body } = await service.app.call<{ id: string }[]>('GET', path)
    return body.map(({ id }) => id)
  }
})
