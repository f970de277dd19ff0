import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ProxyingKit,
  secretKey,
  startProxyingKit,
} from '../../packages/server/src/features/provider-calls/proxying/proxying.testkit.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * A developer works in the console: changes a manifest and deploys it, promotes it to another project, registers an
 * app, connects a test account, and calls the API and a provider. Left out where the machine has no Chromium.
 */

const developer = { email: 'dev@example.com', role: 'developer' } as const

/** A provider whose requests need a secret of the provider app. */
const ads = (url: string) => `
name: ads
displayName: Ads
baseUrl: ${url}
authentication:
  - { scheme: oauth2, grantType: authorizationCode, authUrl: '${url}/authorize', tokenUrl: '${url}/token' }
appMetadata:
  providerParams:
    - { name: developerToken, displayName: Developer token, prompt: From the API center of your manager account., secret: true, required: true }
    - { name: region, displayName: Region, default: eu }
headers: { developer-token: '{{app.developerToken}}', x-region: '{{app.region}}' }
`

describe.skipIf(chromiumPath === undefined)('a developer', () => {
  let service: ProxyingKit
  let kit: ConsoleKit
  beforeAll(async () => {
    service = await startProxyingKit({ env: { MORTISE_ROLES: 'all' }, files: (url) => ({ ads: ads(url) }) })
    await service.install('keyed', 'acme')
    kit = await startConsoleKit(service.app, { MORTISE_PROVIDERS_DIR: service.folder })
  })
  afterAll(async () => {
    await kit?.stop()
    await service?.stop()
  })

  const revisions = async (integration: string) =>
    (await service.app.call<unknown[]>('GET', `${service.base}/integrations/${integration}/revisions`)).body.length

  test('sees findings while typing, what a deploy changes, and deploys a new revision', async () => {
    const page = await kit.open('/default/integrations/keyed', developer)
    await kit.check(page)
    await page.getByRole('link', { name: 'Edit and deploy' }).click()
    const editor = page.getByRole('textbox', { name: 'Manifest' })
    const deploy = page.getByRole('button', { name: 'Deploy to default' })
    await editor.waitFor()
    await expect.poll(() => deploy.isEnabled()).toBe(false)

    await editor.press('Control+End')
    await editor.pressSequentially('  - name: second')
    await page.getByText(/^\d+ error/).waitFor()
    await expect.poll(() => deploy.isEnabled()).toBe(false)

    await editor.press('Control+a')
    const manifest =
      'specVersion: 1.0.0\nintegrations:\n  - { name: keyed, provider: keyed, displayName: Keyed accounts }\n'
    // As text: what runs in the page knows other globals than what is compiled here.
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(manifest)})`)
    await editor.press('Control+v')
    await page.getByText('1 installation uses the new revision.').waitFor()
    await expect.poll(() => page.locator('.diff-removed').allTextContents()).toContain('-     proxy:\n')
    await kit.check(page)
    const before = await revisions('keyed')
    await deploy.click()
    await page.waitForURL(/\/integrations\/keyed$/)
    expect(await revisions('keyed')).toBe(before + 1)

    await page.getByRole('link', { name: 'Revisions' }).click()
    await expect
      .poll(() => page.locator('.diff-added').allTextContents())
      .toContain('+     displayName: Keyed accounts\n')
    await kit.check(page)
    await service.deploy(
      'specVersion: 1.0.0\nintegrations: [{ name: keyed, provider: keyed, proxy: { enabled: true } }]',
    )
  })

  test('promotes an integration to another project of the organization', async () => {
    const { orgId } = (await service.app.call<{ orgId: string }>('GET', service.base)).body
    const page = await kit.open('/default/overview')
    const project = { name: 'staging', appName: 'Staging', orgId }
    const staging = await page.evaluate(`(async () => {
      const token = await fetch('/console/token', { method: 'POST', headers: { 'x-mortise-console': '1' } })
      const { accessToken } = await token.json()
      const answer = await fetch('/v1/projects', {
        method: 'POST',
        headers: { authorization: 'Bearer ' + accessToken, 'content-type': 'application/json' },
        body: ${JSON.stringify(JSON.stringify(project))},
      })
      return answer.status
    })()`)
    expect(staging).toBe(201)
    await page.goto(`${kit.url}/console/default/integrations/environments`)
    await page
      .getByRole('row', { name: /^keyed / })
      .getByRole('button', { name: 'Not deployed' })
      .click()
    expect(page.url()).toContain('?integration=keyed&to=staging')
    await page.getByRole('button', { name: 'Deploy to staging' }).click()
    await expect.poll(() => page.getByRole('row', { name: /^keyed / }).textContent()).toMatch(/Same/)
    await kit.check(page)
  })

  test('finds what an entry is based on, and the provider with its objects', async () => {
    const page = await kit.open('/default/providers', developer)
    await page.getByRole('searchbox', { name: 'Name' }).fill('gmail')
    await page.getByRole('combobox', { name: 'Evidence' }).selectOption('documentation')
    await page.getByText('No provider matches').waitFor()
    await page.getByRole('combobox', { name: 'Evidence' }).selectOption('twoSources')
    await page.getByRole('link', { name: 'Gmail' }).click()
    await page.getByText('Two sources say how to connect').waitFor()
    await page.getByRole('link', { name: 'google', exact: true }).click()
    await page.getByText(/^Compared with documentation on /).waitFor()
  })

  test('finds a provider, registers an app, and gets a link to connect a test account', async () => {
    const page = await kit.open('/default/providers', developer)
    await page.getByRole('searchbox', { name: 'Name' }).fill('hubspot')
    await page.getByRole('link', { name: 'HubSpot' }).click()
    await page.getByRole('link', { name: 'Apps' }).click()
    await page.getByRole('button', { name: 'Add an app' }).click()
    await page.getByText(`${kit.url}/callbacks/v1/oauth`).waitFor()
    await page.getByLabel('Client id').fill('a-client')
    await page.getByLabel('Client secret').fill('the-secret-of-the-app')
    await page.getByRole('button', { name: 'Add app' }).click()
    // HubSpot needs scopes: the service says so at the field.
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Scopes to request').fill('oauth crm.objects.contacts.read')
    await kit.check(page)
    await page.getByRole('button', { name: 'Add app' }).click()
    await page.getByText('Requests scopes').waitFor()
    expect(await page.content()).not.toContain('the-secret-of-the-app')
    await kit.check(page)
    await page.getByRole('button', { name: 'Create a test link' }).click()
    const link = page.getByRole('link', { name: 'Connect an account' })
    expect(await link.getAttribute('href')).toContain(`${kit.url}/connect/`)

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('checkbox', { name: 'oauth', exact: true }).uncheck()
    await page.getByRole('button', { name: 'Save app' }).click()
    await page.getByText('App saved').waitFor()
    const apps = await service.app.call<{ scopes: string[] }[]>('GET', `${service.base}/provider-apps`)
    expect(apps.body.map(({ scopes }) => scopes)).toEqual([['crm.objects.contacts.read']])
  })

  test('calls the API; a request that may change something asks first, and no secret is kept', async () => {
    const page = await kit.open('/default/explorer', developer)
    await page.getByRole('searchbox', { name: 'Find an endpoint' }).fill('createProviderApp')
    await page.getByRole('link', { name: 'POST createProviderApp' }).click()
    await page.getByRole('textbox', { name: 'Body' }).waitFor()
    await kit.check(page)
    await page.getByRole('button', { name: 'Send POST' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This may change the project default').waitFor()
    await dialog.getByRole('button', { name: 'Send POST' }).click()
    await page.getByText('200 OK').waitFor()
    const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')
    expect(stored).toContain('a-client')
    expect(stored).not.toContain('a-client-secret')
    expect(stored).not.toMatch(/eyJ/)
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Python')
    await page.getByText('os.environ["MORTISE_API_KEY"]').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('Nothing sent yet.').waitFor()
  })

  test('enters the settings that a provider requires of its apps', async () => {
    const page = await kit.open('/default/providers/ads/apps?app=new', developer)
    await page.getByLabel('Client id').fill('a-client')
    await page.getByLabel('Client secret').fill('the-secret-of-the-app')
    const token = page.getByLabel('Developer token')
    expect([await token.getAttribute('type'), await token.evaluate((input) => input.matches(':invalid'))]).toEqual([
      'password',
      true,
    ])
    await kit.check(page)
    await token.fill(' developer-token-7f3a91 ')
    await page.getByRole('button', { name: 'Add app' }).click()
    await page.locator('.field-error').getByText('begins or ends with a space').waitFor()
    await token.fill('developer-token-7f3a91')
    await page.getByRole('button', { name: 'Add app' }).click()
    await page.getByText('Client id and secret are stored').waitFor()
    expect(await page.content()).not.toContain('developer-token-7f3a91')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByText('Leave it empty to keep it.').nth(1).waitFor()

    await sql`update provider_apps set encrypted_params = null where provider = 'ads'`.execute(service.app.db.sql)
    await page.goto(`${kit.url}/console/default/providers/ads/apps`)
    await page.getByText('Lacks Developer token').waitFor()
    await kit.check(page)
  })

  test('calls a provider with the account of a customer', async () => {
    service.provider.answers((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"contacts":[{"name":"Grace Hopper"}]}'),
    )
    const page = await kit.open('/default/explorer/provider?integration=keyed&groupRef=acme&path=/contacts', developer)
    await page.getByText('Healthy').waitFor()
    await page.getByRole('button', { name: 'Send GET' }).click()
    await page.getByText('200 OK').waitFor()
    await page.getByRole('searchbox', { name: 'Search in the body' }).fill('grace')
    await page.getByText('"Grace Hopper"').waitFor()
    expect(await page.content()).not.toContain(secretKey)
    await kit.check(page)
  })

  test('may do more than a viewer, who sees everything and learns who can change it', async () => {
    const page = await kit.open('/default/integrations', { email: 'viewer@example.com', role: 'viewer' })
    await page.getByText('Developers can deploy.').waitFor()
    await page.getByRole('link', { name: 'keyed', exact: true }).first().click()
    await page.getByText('Developers see what validation finds.').waitFor()
    expect(await page.getByRole('link', { name: /^Edit/ }).count()).toBe(0)
    await kit.check(page)
    for (const [path, text] of [
      ['/default/integrations/keyed/settings', 'Developers can delete integrations.'],
      ['/default/integrations/deploy', 'Developers can deploy manifests'],
      ['/default/integrations/environments?integration=keyed&to=staging', 'Developers of staging can deploy this.'],
      ['/default/providers/hubspot', 'Operators can connect test accounts.'],
      ['/default/providers/hubspot/apps?app=new', 'Developers can add apps.'],
      ['/default/explorer/provider', 'Developers can call providers'],
      ['/default/explorer?op=deleteIntegration', 'Your role does not include this'],
    ] as const) {
      await page.goto(`${kit.url}/console${path}`)
      await page.getByText(text).first().waitFor()
    }
  })

  test('meets no error of a page and of its policy', () => {
    expect(kit.failures).toEqual([])
  })
})
