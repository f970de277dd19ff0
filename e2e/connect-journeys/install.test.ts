import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../packages/server/src/testkit/chromium.ts'
import { type JourneyKit, startJourneyKit } from './journeys.testkit.ts'
import { choose, match, pick, press, tabTo, type } from './keyboard.testkit.ts'

/** Customers choose what is read, see it, install, and change it later. Left out where there is no Chromium. */
describe.skipIf(chromiumPath === undefined)('installing', () => {
  let kit: JourneyKit
  beforeAll(async () => {
    kit = await startJourneyKit()
  })
  afterAll(async () => {
    await kit?.stop()
    expect(kit?.failures).toEqual([])
  })

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const option = (page: Page, name: string) => page.getByRole('option', { name })
  const contactsOf = async (groupRef: string) =>
    (await kit.installations(groupRef))[0]?.config.content.read.objects['contacts']
  const firstEmail = () => kit.crm.contact('con_0000001')?.email ?? ''

  test('from nothing, by keys alone: connect, match a field, choose more, see real records, and count what arrives', async () => {
    const page = await kit.openForKeys((await kit.session('new', { purpose: 'install', integration: 'crmSync' })).url)
    await heading(page, 'Connect Sample CRM')
    await choose(page, 'API key', /^(API key|Sign in with Sample CRM)$/)
    await type(page, 'API key', kit.crm.apiKey)
    await page.keyboard.press('Enter')
    await heading(page, 'Choose your data')
    await kit.check(page)

    await press(page, 'Continue')
    await page.getByText('1 choice is missing').waitFor()
    await kit.check(page)
    await press(page, 'Contacts: choose a field for Level.')
    await heading(page, 'Fields of Contacts')
    await page.getByText('Which field holds the plan of a contact?').waitFor()
    await kit.check(page)
    await press(page, /^Level/)
    await page.keyboard.type('pla')
    await kit.check(page)
    await option(page, 'Plan').first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('suggested').waitFor()
    await pick(page, 'Choose more fields', 'VIP')
    await page.getByText('1 chosen').waitFor()
    await kit.check(page)
    await press(page, 'Continue')
    await heading(page, 'Choose your data')
    await press(page, 'Continue')

    await heading(page, 'Check a few records')
    await page.getByText(firstEmail()).waitFor()
    await press(page, 'Next record')
    await page.getByText(firstEmail()).waitFor({ state: 'detached' })
    await kit.check(page)
    expect(await kit.installations('new')).toEqual([])
    expect(kit.harbor.dataOf('new').messages).toEqual([])
    await press(page, 'Start sending to Harbor')
    await heading(page, 'Contact sync is set up')
    await page.getByText('250 records read').waitFor()
    await kit.check(page)
    await expect.poll(() => kit.harbor.dataOf('new').contactCount).toBe(250)
    expect(await contactsOf('new')).toMatchObject({
      selectedFields: { vip: true },
      selectedFieldMappings: { level: 'plan', lifecycle: 'stage' },
    })
    await page.context().close()
  })

  test('a change stays in place, by keys alone: another field, and all else as it was', async () => {
    const { id } = await kit.install('changing')
    const before = await contactsOf('changing')
    const page = await kit.openForKeys((await kit.session('changing', { purpose: 'manage' })).url)
    await heading(page, 'Accounts')
    await press(page, 'Change Contact sync')
    await heading(page, 'Choose your data')
    await kit.check(page)
    await press(page, 'Choose fields Contacts')
    await page.getByText('2 chosen').waitFor()
    await pick(page, 'Choose more fields', 'Tags')
    await press(page, 'Continue')
    await page.getByText('changed').waitFor()
    await press(page, 'Continue')
    await press(page, 'Save changes')
    await heading(page, 'Your changes are saved')
    await kit.check(page)
    await press(page, 'Done')
    await heading(page, 'Accounts')
    expect((await kit.installations('changing')).map((one) => one.id)).toEqual([id])
    expect(await contactsOf('changing')).toEqual({
      ...before,
      selectedFields: { ...before?.selectedFields, tags: true },
    })
    await page.context().close()
  })

  test('embedded, by keys alone, with fields and values of the page to match', async () => {
    await kit.connect('values')
    const { token } = await kit.session('values', { purpose: 'install', integration: 'crmSync' })
    const mappedValues = [
      { mappedValue: 'new', mappedDisplayValue: 'New lead' },
      { mappedValue: 'won', mappedDisplayValue: 'Won' },
    ]
    const mappings = {
      contacts: [{ mapToName: 'status', mapToDisplayName: 'Status', fieldName: 'stage', mappedValues }],
    }
    const page = await kit.openForKeys(
      kit.builder.component('mortise-install', { project: 'default', token, integration: 'crmSync', mappings }),
    )
    await heading(page, 'Choose your data')
    await press(page, 'Choose fields Contacts')
    await heading(page, 'Fields of Contacts')
    await match(page, /^Level/, 'Plan')
    await page.getByText('Match each value with a value of Stage.').waitFor()
    // In a list of values, letters choose.
    for (const name of ['New lead', 'Won']) {
      await tabTo(page, name)
      await page.keyboard.type('Lead')
    }
    await kit.check(page)
    await press(page, 'Continue')
    await page.getByText('you chose a value of Stage twice').waitFor()
    await tabTo(page, 'Won')
    await page.keyboard.type('Cust')
    await press(page, 'Continue')
    await heading(page, 'Choose your data')
    await press(page, 'Continue')
    await heading(page, 'Check a few records')
    await press(page, 'Start sending to Harbor')
    await page.getByText('event: installed').waitFor()
    expect(await contactsOf('values')).toMatchObject({
      selectedFieldMappings: { status: 'stage' },
      selectedValueMappings: { stage: { new: 'lead', won: 'customer' } },
    })
    await expect
      .poll(() => JSON.stringify(kit.harbor.dataOf('values').messages.map(({ example }) => example)))
      .toMatch(/"status":"(new|won)"/)
    await page.context().close()
  })
})
