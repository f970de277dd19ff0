import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeAt } from '../../packages/server/src/features/identity/sign-in/factors/factors.testkit.ts'
import {
  type Installed,
  type ReadingKit,
  startReadingKit,
} from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * An owner invites somebody, changes their role and reads the audit log; the person sees more each time, protects their
 * account and ends their sessions. Left out where the machine has no Chromium.
 */

const email = 'grace@example.com'
const password = 'a compiler for everyone 1952'

describe.skipIf(chromiumPath === undefined)('an owner', () => {
  let service: ReadingKit
  let kit: ConsoleKit
  let installed: Installed
  let owner: Page
  let person: Page
  let secret = ''

  beforeAll(async () => {
    service = await startReadingKit()
    installed = await service.install({ object: { backfill: { defaultPeriod: { fullHistory: true } } } })
    await service.until(async () => (await service.operations(installed)).every(({ status }) => status === 'success'))
    kit = await startConsoleKit(service.app, { MORTISE_PROVIDERS_DIR: service.providersDir })
    owner = await kit.open('/default/settings/people', { email: 'ada@example.com', role: 'owner' })
  })
  afterAll(async () => {
    await kit?.stop()
    await service?.stop()
  })

  const installation = () =>
    `${kit.url}/console/default/installations/${installed.integrationId}/${installed.installationId}`

  /** Signs the person in with the password, in a browser of their own. */
  async function signIn(): Promise<Page> {
    const browser = owner.context().browser()
    if (!browser) throw new Error('the browser is closed')
    const page = await (await browser.newContext({ locale: 'en-US' })).newPage()
    await page.goto(`${kit.url}/signin?next=${encodeURIComponent('/console/account')}`)
    await page.fill('input[name=email]', email)
    await page.fill('input[type=password]', password)
    await page.click('button[type=submit]')
    return page
  }

  test('invites a viewer, who accepts and sees pages without what changes anything', async () => {
    await owner.getByRole('button', { name: 'Invite a person' }).click()
    await owner.getByLabel('Email').fill(email)
    await owner.getByLabel('Role', { exact: true }).selectOption('viewer')
    await kit.check(owner)
    await owner.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = (await owner.getByRole('dialog').locator('code').textContent()) ?? ''
    expect(link).toMatch(/\/signin\/invite\?token=/)
    await owner.getByRole('button', { name: 'Done' }).click()
    await owner.getByRole('grid', { name: 'Invites' }).getByText(email).waitFor()

    const browser = owner.context().browser()
    if (!browser) throw new Error('the browser is closed')
    person = await (await browser.newContext({ locale: 'en-US' })).newPage()
    await person.goto(link)
    await person.getByText('You join as a viewer').waitFor()
    await person.getByLabel('Name').fill('Grace Hopper')
    await person.locator('input[type=password]').fill(password)
    await person.getByRole('button', { name: 'Create account and join' }).click()
    await person.waitForURL((url) => url.pathname !== '/signin/invite' || url.search === '')

    await person.goto(installation())
    await person.getByRole('heading', { name: 'Objects' }).waitFor()
    await person
      .getByRole('row', { name: /contacts/ })
      .getByText('Idle')
      .or(person.getByRole('row', { name: /contacts/ }))
      .first()
      .waitFor()
    expect(await person.getByRole('button', { name: 'Actions on contacts' }).count()).toBe(0)
    await kit.check(person)
    await person.goto(`${kit.url}/console/default/settings/people`)
    await person.getByText('Owners can invite people and change roles.').waitFor()
    expect(await person.getByRole('button', { name: 'Invite a person' }).count()).toBe(0)
    await person.goto(`${kit.url}/console/default/destinations/hook`)
    await expect.poll(() => person.getByRole('button', { name: 'Send a test message' }).isEnabled()).toBe(false)
    await expect.poll(() => person.getByRole('button', { name: 'Edit' }).isEnabled()).toBe(false)
  })

  test('makes the viewer an operator, who can read now', async () => {
    await owner.reload()
    await owner.getByLabel(`Role of ${email}`).selectOption('operator')
    await owner.getByText(`${email} is operator now`).waitFor()
    const before = (await service.operations(installed)).length
    await person.goto(installation())
    await person.getByRole('button', { name: 'Actions on contacts' }).click()
    await person.getByRole('menuitem', { name: 'Read the last 24 hours now' }).click()
    await person.getByText('The read of contacts starts now.').waitFor()
    await service.until(async () => (await service.operations(installed)).length > before)
    // What an operator may not do stays closed.
    await person.goto(`${kit.url}/console/default/destinations/hook`)
    await expect.poll(() => person.getByRole('button', { name: 'Send a test message' }).isEnabled()).toBe(true)
    expect(await person.getByRole('button', { name: 'Edit' }).isEnabled()).toBe(false)
  })

  test('reads in the audit log who changed what, and verifies that nobody changed the log', async () => {
    await owner.goto(`${kit.url}/console/default/settings/audit-log?of=organization`)
    const change = owner.getByRole('row').filter({ hasText: 'Update org builder' }).first()
    await change.waitFor()
    await change
      .getByRole('gridcell')
      .first()
      .click({ position: { x: 4, y: 4 } })
    const entry = owner.getByRole('dialog')
    await entry.getByText(/ada/).first().waitFor()
    await entry.getByRole('heading', { name: 'Before and after' }).waitFor()
    await expect
      .poll(() => entry.locator('.diff-removed').allTextContents())
      .toContainEqual(expect.stringContaining('viewer'))
    expect(await entry.locator('.diff-added').allTextContents()).toContainEqual(expect.stringContaining('operator'))
    await kit.check(owner)
    await owner.keyboard.press('Escape')
    await owner.getByRole('button', { name: 'Verify' }).click()
    await owner.getByText(/The log is intact: \d+ entries verified/).waitFor()
  })

  test('the person adds an authenticator app, and signs in with its code', async () => {
    await person.goto(`${kit.url}/console/account`)
    await person.getByRole('button', { name: 'Add an app' }).click()
    const dialog = person.getByRole('dialog')
    await dialog.getByRole('img', { name: 'QR code of the key' }).waitFor()
    secret = (await dialog.locator('pre code').textContent()) ?? ''
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, new Date()))
    await dialog.getByLabel('Name').fill('Phone')
    await kit.check(person)
    await dialog.getByRole('button', { name: 'Add app' }).click()
    await person.getByRole('heading', { name: 'Store your recovery codes' }).waitFor()
    expect((await dialog.locator('pre code').textContent())?.split('\n').length).toBeGreaterThan(5)
    await person.getByRole('button', { name: 'I have stored them' }).click()
    await person.getByText(/^Authenticator app, added .*, not used yet$/).waitFor()
    await kit.check(person)

    const again = await signIn()
    await again.getByRole('heading', { name: 'Enter the code from your app' }).waitFor()
    // A code works once: the app shows the next one, which is accepted early.
    await again.getByLabel('Code').fill(codeAt(secret, new Date(Date.now() + 30_000)))
    await again.getByRole('button', { name: 'Continue' }).click()
    await again.waitForURL(`${kit.url}/console/account`)

    const sessions = again.getByRole('grid', { name: 'Sessions' })
    await sessions.getByText('This one').waitFor()
    await expect.poll(() => sessions.getByRole('row').count()).toBeGreaterThan(2)
    await again.getByRole('button', { name: 'End all others' }).click()
    await again.getByText(/other sessions? ended/).waitFor()
    await expect.poll(() => sessions.getByRole('row').count()).toBe(2)
    await person.goto(`${kit.url}/console/default/overview`)
    await person.waitForURL(/\/signin\?next=/)
  })

  test('a person without a password signs in again to change factors, long after a sign-in', async () => {
    const page = await kit.open('/account', { email: 'sso@example.com', role: 'developer' })
    const db = service.app.testDatabase.database.system
    await sql`update builders set password = null, idp_provider = 'https://id.example.com' where email = 'sso@example.com'`.execute(
      db,
    )
    await sql`update sessions set proof_time = null`.execute(db)
    await page.reload()
    await page.getByRole('button', { name: 'Add an app' }).click()
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    await kit.check(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/\/signin$/)
  })

  test('meets no error of a page and of its policy', () => {
    expect(kit.failures).toEqual([])
  })
})
