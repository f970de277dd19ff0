import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SampleCrm, startSampleCrm } from '../../examples/sample-crm/src/index.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * An operator finds why the installation of one customer fails, and mends it. Left out where the machine has no
 * Chromium.
 */

const examples = resolve(import.meta.dirname, '../../examples')
const operator = { email: 'op@example.com', role: 'operator' } as const
const developer = { email: 'dev@example.com', role: 'developer' } as const

describe.skipIf(chromiumPath === undefined)('an operator', () => {
  let app: TestApp
  let crm: SampleCrm
  let other: SampleCrm
  let kit: ConsoleKit
  let integrationId = ''
  let acme = { installation: '', connection: '' }

  beforeAll(async () => {
    crm = await startSampleCrm({ contacts: 10, rateLimit: 0 })
    other = await startSampleCrm({ contacts: 10, rateLimit: 0 })
    const env = { MORTISE_PROVIDERS_DIR: resolve(examples, 'sample-crm/providers') }
    app = await startTestApp({ env })
    kit = await startConsoleKit(app, env)
  })
  afterAll(async () => {
    await kit?.stop()
    await app?.stop()
    await crm?.close()
    await other?.close()
  })

  const project = () => `/projects/${app.projectId}`
  async function call<T extends object>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await app.call<T>(method, `${project()}${path}`, body)
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer.body
  }

  async function install(groupRef: string, account: SampleCrm): Promise<typeof acme> {
    const connection = await call<{ id: string }>('POST', '/connections:generate?verify=true', {
      groupRef,
      groupName: `${groupRef} Inc.`,
      consumerRef: `${groupRef}-admin`,
      provider: 'sampleCrm',
      apiKey: account.apiKey,
      providerMetadata: { url: { value: account.url, source: 'input' } },
    })
    const contacts = { objectName: 'contacts', destination: 'app', selectedFields: { email: true } }
    const content = {
      provider: 'sampleCrm',
      read: { objects: { contacts: { ...contacts, selectedFieldMappings: { lifecycle: 'stage' } } } },
    }
    const installation = await call<{ id: string }>('POST', `/integrations/${integrationId}/installations`, {
      groupRef,
      connectionId: connection.id,
      config: { content },
    })
    return { installation: installation.id, connection: connection.id }
  }

  test('of an empty project learns the first steps', async () => {
    const page = await kit.open('/default/overview', operator)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByText('mortise connect test-customer').waitFor()
    await kit.check(page)
    for (const [path, title] of [
      ['customers', 'No customers yet'],
      ['installations', 'No installations yet'],
      ['connections', 'No connections yet'],
    ]) {
      await page.goto(`${kit.url}/console/default/${path}`)
      await page.getByRole('heading', { name: title ?? '' }).waitFor()
      await kit.check(page)
    }
  })

  test('sees on the overview which customer fails, since when and why, and makes a reconnect link', async () => {
    const sourceYaml = await readFile(resolve(examples, 'manifests/sample-crm.yaml'), 'utf8')
    const [integration] = await call<{ id: string }[]>('PUT', '/integrations:batch', { sourceYaml })
    integrationId = integration?.id ?? ''
    await call('POST', '/destinations', { name: 'app', type: 'webhook', metadata: { url: 'http://127.0.0.1:4999/' } })
    acme = await install('acme', crm)
    await install('globex', other)
    crm.revokeKey()
    await call('POST', `/connections/${acme.connection}:test`)

    const page = await kit.open('/default/overview', operator)
    const failing = page.locator('.failing > li')
    await failing.first().waitFor()
    expect(await failing.count()).toBe(1)
    const text = await failing.first().innerText()
    expect(text).toContain('acme Inc.')
    expect(text).toContain('Credential refused')
    expect(text).toContain('this API key is not valid')
    await kit.check(page)
    await failing.first().getByRole('button', { name: 'Make a reconnect link' }).click()
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByLabel('Link for the customer').waitFor()
    expect(await page.getByLabel('Link for the customer').inputValue()).toContain(`${kit.url}/connect/`)
  })

  test('finds the customer by a part of its name, and reads what happened', async () => {
    const page = await kit.open('/default/overview', operator)
    await page.locator('.failing').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('cme')
    await page.getByRole('option', { name: /acme Inc\..*Customer/ }).waitFor()
    await kit.check(page)
    await page.getByRole('option', { name: /acme Inc\..*Customer/ }).click()
    await page.waitForURL(`${kit.url}/console/default/customers/acme`)
    await page.getByText('The provider refuses the credential.').first().waitFor()
    await page.getByRole('button', { name: /The account was connected/ }).click()
    await page.getByText('Open the connection').waitFor()
    await kit.check(page)
    // An operator may not let customers install.
    await page.getByRole('button', { name: 'Make a link for the customer' }).click()
    await page.getByLabel('What the customer can do').waitFor()
    expect(await page.getByLabel('What the customer can do').locator('option').count()).toBe(1)
  })

  test('tests the connection again after the account was repaired, and sees it work', async () => {
    const page = await kit.open(`/default/connections/${acme.connection}`, operator)
    await page.getByRole('heading', { name: 'The provider refuses this credential' }).waitFor()
    await kit.check(page)
    const { port } = new URL(crm.url)
    await crm.close()
    crm = await startSampleCrm({ contacts: 10, rateLimit: 0, port: Number(port) })
    await page.getByRole('button', { name: 'Test now' }).click()
    await page.getByRole('heading', { name: 'The provider refuses this credential' }).waitFor({ state: 'hidden' })
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await kit.check(page)
  })

  test('pauses and resumes an object, and a page that is open learns of changes', async () => {
    const path = `/default/installations/${integrationId}/${acme.installation}`
    const page = await kit.open(path, operator)
    await page.getByRole('button', { name: 'Actions on contacts' }).click()
    await page.getByRole('menuitem', { name: 'Pause scheduled reads' }).click()
    await page.getByText('Paused on request').waitFor()
    await kit.check(page)
    await page.getByRole('link', { name: 'Time line' }).click()
    await page.getByText('Scheduled reads were paused on request.').waitFor()
    await app.call(
      'POST',
      `//read/v1${project()}/integrations/${integrationId}/installations/${acme.installation}:unpause`,
      {},
    )
    await page.getByText('Scheduled reads were resumed.').first().waitFor()
    await kit.check(page)
    await page.getByRole('link', { name: 'Operations' }).first().click()
    await kit.check(page)
  })

  test('who is a developer edits a config, is told at the field what is wrong, and sees the difference', async () => {
    const page = await kit.open(`/default/installations/${integrationId}/${acme.installation}/config`, developer)
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await kit.check(page)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Schedule').fill('every day')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.getByLabel('Schedule').getAttribute('aria-invalid')).toBe('true')
    await kit.check(page)
    await page.getByLabel('Schedule').fill('*/5 * * * *')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('From version 1 to 2').waitFor()
    await expect
      .poll(() => page.locator('.diff-added').allTextContents())
      .toContain('+         "schedule": "*/5 * * * *",\n')
    await kit.check(page)
  })

  test('meets no error of a page and of its policy', () => {
    expect(kit.failures).toEqual([])
  })
})
