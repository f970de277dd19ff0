import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserKit, chromiumPath, startBrowserKit } from './browser.testkit.ts'

/** What a screen reader reads of the main steps. Left out where the machine has no Chromium. */
describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let kit: BrowserKit
  beforeAll(async () => {
    kit = await startBrowserKit()
  }, 60_000)
  afterAll(() => kit?.stop())

  /** Roles and names of everything in the component. Times are those of the test run. */
  const tree = async (page: Page) =>
    `\n${(await page.locator('[part=card]').ariaSnapshot())
      .replaceAll(/\w{3} \d{1,2}, \d{4}, \d{1,2}:\d\d [AP]M/g, 'DATE')
      .replaceAll(/\d+ (seconds?|minutes?|hours?|days?) ago|now/g, 'TIME')}\n`

  test('a list of providers', async () => {
    const page = await kit.open('providers-mixed')
    await page.getByRole('heading', { name: 'Connect your account' }).waitFor()
    await page.getByRole('searchbox').fill('s')
    await page.getByText('providers found').waitFor({ state: 'attached' })
    expect(await tree(page)).toMatchInlineSnapshot(`
      "
      - heading "Connect your account to Northwind" [level=2]
      - paragraph: Choose a provider.
      - search:
        - searchbox "Search providers": s
        - button "Clear"
      - status: 7 providers found
      - list:
        - listitem:
          - button "Salesforce Sign in with your account":
            - strong: Salesforce
            - text: Sign in with your account
        - listitem:
          - button "Sample CRM Connected":
            - strong: Sample CRM
            - text: Connected
        - listitem:
          - button "Several Ways Sign in with your account":
            - strong: Several Ways
            - text: Sign in with your account
        - listitem:
          - button "Bank of Steps Needs your access keys":
            - strong: Bank of Steps
            - text: Needs your access keys
        - listitem:
          - button "HubSpot Sign in with your account":
            - strong: HubSpot
            - text: Sign in with your account
        - listitem:
          - button "WordPress Needs your user name and password":
            - strong: WordPress
            - text: Needs your user name and password
        - listitem:
          - button "Zendesk Support Needs attention":
            - strong: Zendesk Support
            - text: Needs attention
      "
    `)
    await page.close()
  })

  test('a form with errors', async () => {
    const page = await kit.open('form-long')
    await page.getByRole('button', { name: 'Connect Zendesk Support' }).click()
    await page.locator('#result').waitFor()
    expect(await tree(page)).toMatchInlineSnapshot(`
      "
      - heading "Connect Zendesk Support" [level=2]
      - paragraph: Give Northwind access to your Zendesk Support account.
      - group "3 fields need your attention":
        - strong: 3 fields need your attention
        - list:
          - listitem:
            - button "Subdomain is required."
          - listitem:
            - button "Email is required."
          - listitem:
            - button "API token is required."
      - text: Subdomain
      - textbox "Subdomain" [invalid]
      - paragraph: Subdomain is required.
      - paragraph: The first part of the address of your Zendesk.
      - text: Email
      - textbox "Email" [invalid]
      - paragraph: Email is required.
      - paragraph: "For example: ada@example.com"
      - text: API token
      - textbox "API token" [invalid]
      - button "Show API token": Show
      - paragraph: API token is required.
      - paragraph: In Zendesk, open Admin Center, then Apps and integrations.
      - paragraph: "For example: crm_live_4f9c"
      - link "Where do I find this? (API token; opens a new window)":
        - /url: https://example.com/docs/api-keys
      - text: Region
      - combobox "Region":
        - option "Europe" [selected]
        - option "United States"
      - text: Certificate (optional)
      - textbox "Certificate (optional)"
      - paragraph: Only if your administrator asks for it.
      - button "Connect Zendesk Support"
      - status
      "
    `)
    await page.close()
  })

  test('objects, fields and a preview', async () => {
    const page = await kit.open('install-objects')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('#result').waitFor()
    expect(await tree(page)).toMatchInlineSnapshot(`
      "
      - heading "Choose your data" [level=2]
      - paragraph: What should Northwind read from Sample CRM?
      - group "1 choice is missing":
        - strong: 1 choice is missing
        - list:
          - listitem:
            - 'button "People: choose a field for Priority."'
      - list:
        - listitem:
          - checkbox "Read People" [checked]
          - strong: People
          - text: 1 field needs a match
          - button "Choose fields People": Choose fields
        - listitem:
          - checkbox "Read Companies" [checked]
          - strong: Companies
          - text: 1 field
          - button "Choose fields Companies": Choose fields
      - group "Changes in your account":
        - text: Changes in your account
        - paragraph: Northwind can create and change these records in Sample CRM.
        - checkbox "Contacts" [checked]
        - text: Contacts
      - button "Continue"
      "
    `)
    await page.getByRole('button', { name: 'Choose fields People' }).click()
    await page.getByRole('option', { name: 'Birthday' }).click()
    await page.getByText('1 chosen').waitFor()
    expect(await tree(page)).toMatchInlineSnapshot(`
      "
      - button "Back"
      - heading "Fields of People" [level=2]
      - heading "Match fields" [level=3]
      - paragraph: For each of these, choose a field of your Sample CRM account.
      - list:
        - listitem:
          - text: Priority
          - paragraph: Which field has the importance of a contact?
          - button "Priority Choose a field": Choose a field
        - listitem:
          - text: Lifecycle stage (optional)
          - paragraph: Which field has the stage of a contact?
          - button "Lifecycle stage (optional) Stage suggested e.g. lead": Stage suggested e.g. lead
      - heading "Always included" [level=3]
      - list:
        - listitem: Email
        - listitem: Phone as Phone number
      - heading "Choose more fields" [level=3]
      - text: 1 chosen
      - checkbox "Include all fields, and those that are added later"
      - text: Include all fields, and those that are added later
      - combobox "Choose more fields" [expanded]
      - status
      - listbox "Choose more fields":
        - option "Birthday date · e.g. Apr 2, 1990" [selected]
        - option "First name text"
        - option "Last name text"
        - option "Newsletter yes or no · e.g. true"
        - option "Notes of the sales team text · custom"
        - option "Priority of the account choice · custom · e.g. high"
        - option "Stage choice · e.g. lead"
        - option "Visits whole number · e.g. 0"
      - button "Continue"
      "
    `)
    await page.getByRole('button', { name: 'Priority Choose a field' }).click()
    await page.getByRole('option', { name: 'Priority of the account' }).first().click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('+49 30 901820').waitFor()
    expect(await tree(page)).toMatchInlineSnapshot(`
      "
      - button "Back"
      - heading "Check a few records" [level=2]
      - paragraph: This is what Northwind receives. Nothing has been sent yet.
      - group "Check a few records":
        - button "People" [pressed]
        - button "Companies"
      - status: Record 1 of 5
      - button "Previous record" [disabled]
      - button "Next record"
      - term: Email
      - definition: person0@example.com
      - term: Birthday
      - definition: empty
      - term: Visits
      - definition: "0"
      - term: Newsletter
      - definition: "true"
      - term: Phone as Phone number
      - definition: +49 30 901820
      - term: Priority
      - definition: high
      - term: Lifecycle stage
      - definition: lead
      - button "Start sending to Northwind"
      - status
      "
    `)
    await page.close()
  })

  test('a list of what is connected and installed', async () => {
    const page = await kit.open('manage')
    await page.getByRole('heading', { name: 'Your integrations' }).waitFor()
    await page.getByText('Details of CRM sync').click()
    expect(await tree(page)).toMatchInlineSnapshot(`
      "
      - status
      - heading "Your integrations with Northwind" [level=2]
      - heading "Integrations" [level=3]
      - list:
        - listitem:
          - strong: CRM sync
          - text: Working
          - time: Last read TIME
          - group:
            - text: Details of CRM sync
            - list:
              - listitem:
                - strong: Contacts
                - text: Reading your existing records
                - paragraph:
                  - text: 1,204 of 5,300 records read ·
                  - time: Last read TIME
                - progressbar "Contacts"
              - listitem:
                - strong: Companies
                - text: Up to date
                - paragraph:
                  - text: 312 records read ·
                  - time: Last read TIME
          - button "Change CRM sync": Change
          - button "Pause CRM sync": Pause
          - button "Remove CRM sync": Remove
        - listitem:
          - strong: Support tickets
          - text: Access refused
          - time: Last read TIME
          - text: "Message from Zendesk Support:"
          - blockquote: Couldn’t authenticate you (HTTP 401)
          - paragraph: Zendesk Support no longer accepts your saved access. Reconnect to continue.
          - button "Reconnect Zendesk Support"
          - button "Change Support tickets": Change
          - button "Remove Support tickets": Remove
        - listitem:
          - strong: Large CRM
          - text: Paused Not read yet
          - group: Details of Large CRM
          - button "Change Large CRM": Change
          - button "Resume Large CRM": Resume
          - button "Remove Large CRM": Remove
      - heading "Accounts" [level=3]
      - list:
        - listitem:
          - strong: Sample CRM acme
          - text: Working
          - button "Reconnect Sample CRM": Reconnect
          - button "Disconnect Sample CRM": Disconnect
        - listitem:
          - strong: Zendesk Support
          - text: Access refused
          - time: since DATE
          - button "Reconnect Zendesk Support": Reconnect
          - button "Disconnect Zendesk Support": Disconnect
        - listitem:
          - strong: Salesforce
          - text: Needs attention
          - paragraph: "Salesforce did not grant these permissions:"
          - list:
            - listitem:
              - code: api
              - text: To read Accounts
            - listitem:
              - code: refresh_token
          - button "Grant permissions Salesforce": Grant permissions
          - button "Disconnect Salesforce": Disconnect
      - paragraph:
        - text: Last updated TIME
        - button "Refresh"
      "
    `)
    await page.close()
  })
})
