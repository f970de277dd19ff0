import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../packages/server/src/testkit/chromium.ts'
import { freePort } from '../../packages/server/src/testkit/free-port.ts'
import { allowAccess, type JourneyKit, startJourneyKit } from './journeys.testkit.ts'
import { allowAccessByKeys, choose, hasFocus, press, type } from './keyboard.testkit.ts'

/** Customers give access to an account on the hosted page, at a real CRM. Left out where there is no Chromium. */
describe.skipIf(chromiumPath === undefined)('connecting', () => {
  let kit: JourneyKit
  beforeAll(async () => {
    kit = await startJourneyKit()
  })
  afterAll(async () => {
    await kit?.stop()
    expect(kit?.failures).toEqual([])
  })

  const connections = (groupRef: string) =>
    kit.ok<{ id: string; status: string; authScheme: string }[]>('GET', `/connections?groupRef=${groupRef}`)
  const methods = /^(API key|Sign in with Sample CRM)$/
  const key = (page: Page) => page.getByRole('textbox', { name: 'API key' })
  const submit = (page: Page) => page.getByRole('button', { name: 'Connect Sample CRM' }).click()
  const done = (page: Page) => page.getByRole('heading', { name: 'Sample CRM is connected' }).waitFor()

  test('with a key, by keys alone: what is refused or cannot be reached is said, and nothing typed is lost', async () => {
    const { url } = await kit.session('keyed')
    const page = await kit.openForKeys(url)
    await page.getByRole('heading', { name: 'Connect Sample CRM' }).waitFor()
    await choose(page, 'API key', methods)
    await kit.check(page)
    await press(page, 'Connect Sample CRM')
    await page.getByText('1 field needs your attention').waitFor()
    await kit.check(page)

    // The first entry of the summary leads to the field.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await hasFocus(page, 'API key')
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('Sample CRM refused access').waitFor()
    await page.getByText('this API key is not valid; its owner may have revoked it.', { exact: true }).waitFor()
    await kit.check(page)
    expect(await key(page).inputValue()).toBe('wrong')

    await type(page, 'Address', `http://127.0.0.1:${await freePort()}`)
    await type(page, 'API key', kit.crm.apiKey)
    await page.keyboard.press('Enter')
    await page.getByText('We could not reach Sample CRM').waitFor()
    await kit.check(page)
    expect(await key(page).inputValue()).toBe(kit.crm.apiKey)

    await type(page, 'Address', kit.crm.url)
    await page.keyboard.press('Enter')
    await done(page)
    await kit.check(page)
    expect(await connections('keyed')).toMatchObject([{ status: 'working', authScheme: 'apiKey' }])
    await page.context().close()
  })

  test('by OAuth in a window, which closes at the end, by keys alone', async () => {
    const { url } = await kit.session('popup')
    const page = await kit.openForKeys(url)
    await page.getByRole('heading', { name: 'Connect Sample CRM' }).waitFor()
    await choose(page, 'Sign in with Sample CRM', methods)
    await kit.check(page)
    const [popup] = await Promise.all([page.waitForEvent('popup'), press(page, 'Connect Sample CRM')])
    await page.getByText('Continue in the Sample CRM window').waitFor()
    await kit.check(page)
    await Promise.all([popup.waitForEvent('close'), allowAccessByKeys(popup)])
    await done(page)
    expect(await connections('popup')).toMatchObject([
      { status: 'working', authScheme: 'oauth2/authorizationCodePKCE' },
    ])
    await page.context().close()
  })

  test('a window that is closed and a refusal at the CRM are said, and it can be tried again', async () => {
    const { url } = await kit.session('denied', { schemeName: 'oauth2' })
    const page = await kit.open(url)
    const [closed] = await Promise.all([page.waitForEvent('popup'), submit(page)])
    await closed.getByLabel('Email address').waitFor()
    await closed.close()
    await page.getByText('The window was closed before you allowed access').waitFor()
    await kit.check(page)
    const again = page.getByRole('button', { name: 'Try again' })
    const [denying] = await Promise.all([page.waitForEvent('popup'), again.click()])
    await denying.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Access was denied').waitFor()
    await page.getByText('Access to Sample CRM was not granted.').waitFor()
    await kit.check(page)
    const [allowing] = await Promise.all([page.waitForEvent('popup'), again.click()])
    await allowAccess(allowing)
    await done(page)
    await page.context().close()
  })

  test('by OAuth on the same page, which returns to the step after it, by keys alone', async () => {
    const { url } = await kit.session('redirect', { schemeName: 'oauth2' })
    const page = await kit.openForKeys(url)
    await page.getByRole('heading', { name: 'Connect Sample CRM' }).waitFor()
    // A browser that blocks windows.
    await page.evaluate('window.open = () => null')
    await press(page, 'Connect Sample CRM')
    await page.getByText('Your browser blocked the window').waitFor()
    await kit.check(page)
    await press(page, 'Continue on this page')
    await allowAccessByKeys(page)
    await done(page)
    expect(page.url()).toBe(url)
    await page.context().close()
  })

  test('an authorization belongs to the browser that began it', async () => {
    const { token } = await kit.session('bound', { schemeName: 'oauth2' })
    const asked = await fetch(`${kit.url}/v1/projects/default/connect-info/providers/sampleCrm:connect`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scheme: 'oauth2', values: { 'providerMetadata.url': kit.crm.url } }),
    })
    const flow = (await asked.json()) as { url: string }
    const own = await kit.open(flow.url)
    await own.getByLabel('Email address').waitFor()
    // Another browser cannot begin it again, and cannot end it with the answer of the provider.
    const other = await kit.open(flow.url)
    await expect.poll(() => other.url()).toContain(kit.url)
    expect(await other.textContent('h1')).not.toBe('Sign in')
    // The provider's answer reaches a browser without the cookie of the flow.
    const cookies = await own.context().cookies(kit.url)
    await own.context().clearCookies({ domain: 'localhost' })
    const answered = own.waitForRequest((request) => request.url().includes('code='))
    await allowAccess(own)
    const answer = (await answered).url()
    await own.getByRole('heading').waitFor()
    expect(await connections('bound')).toEqual([])
    await own.context().addCookies(cookies)
    await own.goto(answer)
    await expect.poll(() => connections('bound')).toMatchObject([{ authScheme: 'oauth2/authorizationCodePKCE' }])
    await own.context().close()
    await other.context().close()
  })

  test('scopes that were not given are named, and asked for again', async () => {
    const { url } = await kit.session('scopes', { schemeName: 'oauth2' })
    const page = await kit.open(url)
    const [popup] = await Promise.all([page.waitForEvent('popup'), submit(page)])
    const denied = ['Create, change and delete contacts', 'Read companies']
    await allowAccess(popup, denied)
    await page.getByRole('heading', { name: 'Some permissions are missing' }).waitFor()
    await kit.check(page)
    await page.getByRole('button', { name: 'Continue without them' }).click()
    await done(page)
    const [{ id } = { id: '' }] = await connections('scopes')

    const managed = await kit.open((await kit.session('scopes', { purpose: 'manage' })).url)
    await managed.getByText('Sample CRM did not grant these permissions:').waitFor()
    for (const permission of denied) await managed.getByText(permission, { exact: true }).waitFor()
    await kit.check(managed)
    await managed.getByRole('button', { name: 'Grant permissions Sample CRM' }).click()
    await kit.check(managed)
    const asking = managed.getByRole('button', { name: 'Reconnect Sample CRM' })
    const [second] = await Promise.all([managed.waitForEvent('popup'), asking.click()])
    await allowAccess(second)
    await done(managed)
    await managed.getByRole('button', { name: 'Done' }).click()
    await managed.getByRole('heading', { name: 'Accounts' }).waitFor()
    expect(await managed.getByText('did not grant these permissions').count()).toBe(0)
    expect((await connections('scopes')).map((one) => one.id)).toEqual([id])
    await page.context().close()
    await managed.context().close()
  })
})
