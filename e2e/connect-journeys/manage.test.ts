import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../packages/server/src/testkit/chromium.ts'
import { type JourneyKit, startJourneyKit } from './journeys.testkit.ts'
import { choose, match, press, tabTo, type } from './keyboard.testkit.ts'

/** Customers see what does not work and why, repair it, and remove it. Left out where there is no Chromium. */
describe.skipIf(chromiumPath === undefined)('managing', () => {
  let kit: JourneyKit
  beforeAll(async () => {
    kit = await startJourneyKit({ customers: ['acme', 'globex'] })
  })
  beforeEach(() => {
    if (kit.crm.apiKey === '') kit.crm.createKey()
  })
  afterAll(async () => {
    await kit?.stop()
    expect(kit?.failures).toEqual([])
  })

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const manage = async (groupRef: string) => kit.openForKeys((await kit.session(groupRef, { purpose: 'manage' })).url)
  const statusOf = async (groupRef: string) => (await kit.installations(groupRef))[0]?.connection.status
  /** Revokes the key when all was read, and waits until a read was refused. */
  const revoke = async (groupRef: string, id: string) => {
    await expect.poll(() => kit.harbor.dataOf(groupRef).contactCount).toBe(250)
    kit.crm.revokeKey()
    await kit.makeDue(id)
    await expect.poll(() => statusOf(groupRef)).toBe('bad_credentials')
  }

  test('a key that was revoked, by keys alone: since when and why, and a reconnection that keeps the choices', async () => {
    const { id } = await kit.install('revoked')
    await revoke('revoked', id)
    const [before] = await kit.installations('revoked')
    const page = await manage('revoked')
    await page.getByText('Access refused').first().waitFor()
    await page.getByText('this API key is not valid; its owner may have revoked it.').waitFor()
    await page.getByText(/^since /).waitFor()
    await kit.check(page)

    await press(page, 'Reconnect Sample CRM')
    await heading(page, 'Reconnect Sample CRM')
    await kit.check(page)
    expect(await page.getByLabel('Address').inputValue()).toBe(kit.crm.url)
    await type(page, 'API key', kit.crm.createKey())
    await page.keyboard.press('Enter')
    await heading(page, 'Sample CRM is connected')
    await kit.check(page)
    await press(page, 'Done')
    await heading(page, 'Accounts')
    await expect.poll(() => page.getByText('Access refused').count()).toBe(0)
    const [after] = await kit.installations('revoked')
    expect(after?.config).toEqual(before?.config)
    expect(after?.connection).toMatchObject({ id: before?.connection.id, status: 'working' })
    // It reads again.
    const contact = kit.crm.change(1)[0]
    await expect
      .poll(async () => {
        await kit.makeDue(id)
        return kit.harbor.dataOf('revoked').messages.some(({ records }) => records === 1)
      })
      .toBe(true)
    expect(kit.harbor.dataOf('revoked').contacts[0]?.id).toBe(contact?.id)
    await page.context().close()
  })

  test('paused, resumed and removed, by keys alone, with what is lost by name', async () => {
    await kit.install('removed')
    const page = await manage('removed')
    await heading(page, 'Accounts')
    await press(page, 'Pause Contact sync')
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await kit.check(page)
    await press(page, 'Resume Contact sync', 'Space')
    await page.getByText('Working').first().waitFor()
    await press(page, 'Details of Contact sync')
    await page.getByText('250 records read').waitFor()
    await kit.check(page)
    await press(page, 'Remove Contact sync')
    await heading(page, 'Remove Contact sync?')
    await page.getByText('Contacts: 2 chosen fields, 2 matches').waitFor()
    await kit.check(page)
    await press(page, 'Cancel')
    await heading(page, 'Accounts')
    await press(page, 'Remove Contact sync')
    await page.getByText('Contacts: 2 chosen fields, 2 matches').waitFor()
    await press(page, 'Remove Contact sync')
    await heading(page, 'Nothing is connected yet')
    await kit.check(page)
    expect(await kit.installations('removed')).toEqual([])
    await page.context().close()
  })

  test('the gallery of a product, by keys alone: set up and managed there, each customer for themselves', async () => {
    const page = await kit.openForKeys(`${kit.harbor.url}/integrations`)
    await page.getByText('Not set up').waitFor()
    await kit.check(page)
    await press(page, /Contact sync/)
    await heading(page, 'Connect Sample CRM')
    await choose(page, 'API key', /^(API key|Sign in with Sample CRM)$/)
    await type(page, 'API key', kit.crm.apiKey)
    await page.keyboard.press('Enter')
    await heading(page, 'Choose your data')
    await press(page, 'Choose fields Contacts')
    await heading(page, 'Fields of Contacts')
    await match(page, /^Level/, 'Plan')
    await press(page, 'Continue')
    await heading(page, 'Choose your data')
    await press(page, 'Continue')
    await heading(page, 'Check a few records')
    await press(page, 'Start sending to Harbor')
    await heading(page, 'Contact sync is set up')
    await press(page, 'Done')
    await page.getByText('Working').waitFor()
    await kit.check(page)
    await press(page, /Contact sync/)
    await page.getByRole('button', { name: 'Pause Contact sync' }).waitFor()
    await kit.check(page)
    await tabTo(page, 'Customer')
    await page.keyboard.press('ArrowDown')
    await page.getByText('Not set up').waitFor()
    await page.context().close()
  })
})
