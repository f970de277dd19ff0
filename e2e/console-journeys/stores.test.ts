import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ReadingKit, startReadingKit } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * People look at the records that a destination stores, and say which destination each group and connection has. Left
 * out where the machine has no Chromium.
 */

const developer = { email: 'dora@example.com', role: 'developer' } as const
const viewer = { email: 'vera@example.com', role: 'viewer' } as const
const waits = { timeout: 30_000 }
/** Of each of two customers: all of them fill a page and a half. */
const contacts = 75

describe.skipIf(chromiumPath === undefined)('of destinations', () => {
  let service: ReadingKit
  let kit: ConsoleKit

  beforeAll(async () => {
    service = await startReadingKit({ contacts })
    await create('kept', 'records')
    const object = { destination: 'kept', backfill: { defaultPeriod: { fullHistory: true } } }
    await service.install({ object })
    await service.install({ object })
    await service.until(async () => {
      const { status, body } = await service.app.call('GET', '/projects/default/records/contacts?pageSize=1000')
      return status === 200 && (body as { results: unknown[] }).results.length === 2 * contacts
    })
    kit = await startConsoleKit(service.app, { MORTISE_PROVIDERS_DIR: service.providersDir })
  })
  afterAll(async () => {
    await kit?.stop()
    await service?.stop()
  })

  async function create(name: string, type: string, metadata: object = {}): Promise<void> {
    const answer = await service.app.call('POST', '/projects/default/destinations', { name, type, metadata })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  }
  const webhook = (name: string) => create(name, 'webhook', { url: `${service.receiver.url}/${name}` })

  test('a viewer finds the record of a customer among those that are stored', async () => {
    const page = await kit.open('/default/destinations/kept', viewer)
    await page.getByRole('link', { name: 'Records', exact: true }).click(waits)
    const grid = page.getByRole('grid', { name: 'Records' })
    await grid.getByRole('row').nth(1).waitFor(waits)
    await page.getByText('100+ records').waitFor()
    await kit.check(page)
    // Further pages come when the reader is near the end.
    await grid.focus()
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await page.getByText(`${2 * contacts} records`).waitFor(waits)
    await page.getByLabel('Customer', { exact: true }).fill('group2')
    await page.getByText(`${contacts} records`, { exact: true }).waitFor(waits)
    await grid.focus()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    const panel = page.getByRole('dialog', { name: 'Record' })
    await panel.getByText('group2').first().waitFor(waits)
    await panel.getByText('email:').first().waitFor()
    await kit.check(page)
    const address = page.url()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.goto(address)
    await panel.getByText('email:').first().waitFor(waits)
    await page.keyboard.press('Escape')
    await page.getByLabel('Customer', { exact: true }).fill('nobody')
    await page.getByText('No record matches').waitFor(waits)
    await kit.check(page)
  })

  test('an empty store says how it fills, and another destination that it stores nothing', async () => {
    await create('unused', 'records')
    const page = await kit.open('/default/destinations/unused/records', viewer)
    await page.getByText('No records yet').waitFor(waits)
    await kit.check(page)
    await page.goto(`${kit.url}/console/default/destinations/hook/records`)
    await page.getByText('This destination stores no records').waitFor(waits)
    await kit.check(page)
  })

  test('a developer adds a destination of a group, changes and removes it', async () => {
    for (const name of ['acme-hook', 'globex-hook']) await webhook(name)
    await create('customers', 'by-group', { default: 'hook' })
    const page = await kit.open('/default/destinations/customers', developer)
    await page.getByText('No group has its own destination').waitFor(waits)
    await page.getByText('All other groups have hook.').waitFor()
    await kit.check(page)
    await page.getByRole('button', { name: 'Add a group' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Customer').fill('acme / north')
    await dialog.getByLabel('Destination').selectOption('acme-hook')
    // Those that pass messages on cannot be chosen.
    expect(await dialog.getByLabel('Destination').innerText()).not.toContain('customers')
    await kit.check(page)
    await dialog.getByRole('button', { name: 'Add group' }).click()
    const row = page.getByRole('grid', { name: 'Groups' }).getByRole('row', { name: /acme \/ north/ })
    await row.getByText('acme-hook').waitFor(waits)
    await kit.check(page)

    await page.getByRole('grid', { name: 'Groups' }).focus()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    const edit = page.getByRole('dialog', { name: 'Destination of acme / north' })
    await edit.getByLabel('Destination').selectOption('globex-hook', waits)
    await kit.check(page)
    await edit.getByRole('button', { name: 'Save' }).click()
    await row.getByText('globex-hook').waitFor(waits)
    expect(await groups()).toMatchObject([{ groupRef: 'acme / north', destinationName: 'globex-hook' }])

    // The group keeps the name of a destination that is deleted, and the page says so.
    expect((await service.app.call('DELETE', '/projects/default/destinations/globex-hook')).status).toBe(204)
    await page.reload()
    await row.getByText('Does not exist').waitFor(waits)
    await kit.check(page)
    await page.getByRole('grid', { name: 'Groups' }).focus()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await edit.getByRole('button', { name: 'Remove' }).click(waits)
    await page.getByText('No group has its own destination').waitFor(waits)
    expect(await groups()).toEqual([])
  })

  test('a developer adds a destination of a connection, changes and removes it', async () => {
    await webhook('sales-hook')
    const page = await kit.open('/default/destinations/customers', developer)
    await page.getByText('No connection has its own destination').waitFor(waits)
    await page.getByRole('button', { name: 'Add a connection' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Customer').fill('nobody')
    await dialog.getByText('This customer has no connection.').waitFor(waits)
    await kit.check(page)
    await dialog.getByLabel('Customer').fill('group2')
    await dialog.getByLabel('Connection').selectOption({ index: 1 }, waits)
    await dialog.getByLabel('Destination').selectOption('sales-hook')
    await kit.check(page)
    await dialog.getByRole('button', { name: 'Add connection' }).click()
    const row = page.getByRole('grid', { name: 'Connections' }).getByRole('row', { name: /group2/ })
    await row.getByText('sales-hook').waitFor(waits)
    await kit.check(page)
    const shown = { groupRef: 'group2', destinationName: 'sales-hook' }
    expect(await connections()).toMatchObject([shown])

    await page.getByRole('grid', { name: 'Connections' }).focus()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    const edit = page.getByRole('dialog', { name: 'Destination of group2' })
    await edit.getByLabel('Destination').selectOption('hook', waits)
    await edit.getByRole('button', { name: 'Save' }).click()
    await row.getByText('hook', { exact: true }).waitFor(waits)
    await page.getByRole('grid', { name: 'Connections' }).focus()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await kit.check(page)
    await edit.getByRole('button', { name: 'Remove' }).click(waits)
    await page.getByText('No connection has its own destination').waitFor(waits)
    expect(await connections()).toEqual([])
  })

  test('a viewer sees the groups, and changes none', async () => {
    await service.app.call('PUT', '/projects/default/destinations/customers/groups/acme', { destination: 'hook' })
    const page = await kit.open('/default/destinations/customers?group=acme', viewer)
    const dialog = page.getByRole('dialog', { name: 'Destination of acme' })
    for (const name of ['Save', 'Remove'])
      expect(await dialog.getByRole('button', { name }).isDisabled(waits), name).toBe(true)
    await kit.check(page)
    await page.keyboard.press('Escape')
    expect(await addButton(page).isDisabled()).toBe(true)
  })

  test('meets no error of a page and of its policy', () => {
    expect(kit.failures).toEqual([])
  })

  const addButton = (page: Page) => page.getByRole('button', { name: 'Add a group' })
  const listOf = async (what: string) =>
    (await service.app.call<object[]>('GET', `/projects/default/destinations/customers/${what}`)).body
  const groups = () => listOf('groups')
  const connections = () => listOf('connections')
})
