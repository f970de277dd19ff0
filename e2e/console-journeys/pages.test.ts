import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Installed,
  type ReadingKit,
  startReadingKit,
} from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { signInBuilder } from '../../packages/server/src/testkit/test-builder.ts'
import { tabTo } from '../connect-journeys/keyboard.testkit.ts'
import { type ConsoleKit, chromiumPath, startConsoleKit } from './console.testkit.ts'

/**
 * Every page of the console, with data and without: both themes, 320 pixels, axe, the keyboard, and what a viewer sees.
 * Left out where the machine has no Chromium.
 */

/** The address of each page of the router, below `/console`, and the title of its window. */
const pages: Record<string, { path: (ids: Ids) => string; title: RegExp; empty?: RegExp }> = {
  '/$project/overview': { path: () => '/default/overview', title: /^Overview/, empty: /First steps/ },
  '/$project/settings': { path: () => '/default/settings', title: /^Settings/ },
  '/$project/settings/connect': { path: () => '/default/settings/connect', title: /^Settings/ },
  '/$project/settings/api-keys': { path: () => '/default/settings/api-keys', title: /^Settings/, empty: /No API keys/ },
  '/$project/settings/token-keys': { path: () => '/default/settings/token-keys', title: /^Settings/, empty: /./ },
  '/$project/settings/people': { path: () => '/default/settings/people', title: /^Settings/, empty: /No invites/ },
  '/$project/settings/domains': { path: () => '/default/settings/domains', title: /^Settings/, empty: /./ },
  '/$project/settings/audit-log': { path: () => '/default/settings/audit-log', title: /^Settings/ },
  '/account': { path: () => '/account', title: /^Your account/ },
  '/$project/customers': { path: () => '/default/customers', title: /^Customers/, empty: /No customers yet/ },
  '/$project/customers/$groupRef': { path: () => '/default/customers/group1', title: /^group1/ },
  '/$project/installations': {
    path: () => '/default/installations',
    title: /^Installations/,
    empty: /No installations yet/,
  },
  '/$project/installations/$integrationId/$installationId': {
    path: ({ integrationId, installationId }) => `/default/installations/${integrationId}/${installationId}`,
    title: /^group1 · crm1/,
  },
  '/$project/installations/$integrationId/$installationId/$tab': {
    path: ({ integrationId, installationId }) => `/default/installations/${integrationId}/${installationId}/config`,
    title: /^group1 · crm1/,
  },
  '/$project/connections': { path: () => '/default/connections', title: /^Connections/, empty: /No connections yet/ },
  '/$project/connections/$connectionId': {
    path: ({ connectionId }) => `/default/connections/${connectionId}`,
    title: /^group1 at sampleCrm/,
  },
  '/$project/operations': { path: () => '/default/operations', title: /^Operations/, empty: /No operations yet/ },
  '/$project/operations/$operationId': {
    path: ({ operationId }) => `/default/operations/${operationId}`,
    title: /contacts/,
  },
  '/$project/approvals': { path: () => '/default/approvals', title: /^Approvals/, empty: /No call waits/ },
  '/$project/dead-letters': { path: () => '/default/dead-letters', title: /^Dead letters/, empty: /No dead letters/ },
  '/$project/messages': { path: () => '/default/messages', title: /^Messages/, empty: /No messages yet/ },
  '/$project/messages/$messageId': {
    path: ({ messageId }) => `/default/messages/${messageId}`,
    title: /^Records read/,
  },
  '/$project/destinations': {
    path: () => '/default/destinations',
    title: /^Destinations/,
    empty: /No destinations yet/,
  },
  '/$project/destinations/$destination': { path: () => '/default/destinations/hook', title: /^hook/ },
  '/$project/destinations/$destination/records': {
    path: () => '/default/destinations/kept/records',
    title: /^kept/,
  },
  '/$project/provider-events': {
    path: () => '/default/provider-events',
    title: /^Provider events/,
    empty: /No provider has sent events/,
  },
  '/$project/schema-changes': {
    path: () => '/default/schema-changes',
    title: /^Schema changes/,
    empty: /No schema changes/,
  },
  '/$project/notifications': {
    path: () => '/default/notifications',
    title: /^Notifications/,
    empty: /No notifications are sent/,
  },
  '/$project/integrations': {
    path: () => '/default/integrations',
    title: /^Integrations/,
    empty: /No integrations yet/,
  },
  '/$project/integrations/deploy': { path: () => '/default/integrations/deploy', title: /^Deploy a manifest/ },
  '/$project/integrations/environments': {
    path: () => '/default/integrations/environments',
    title: /^Integrations/,
  },
  '/$project/integrations/$integration': { path: () => '/default/integrations/crm1', title: /^crm1/ },
  '/$project/integrations/$integration/$tab': {
    path: () => '/default/integrations/crm1/revisions',
    title: /^crm1/,
  },
  '/$project/providers': { path: () => '/default/providers', title: /^Providers/ },
  '/$project/providers/$provider': { path: () => '/default/providers/sampleCrm', title: /^Sample CRM/ },
  '/$project/providers/$provider/$tab': { path: () => '/default/providers/hubspot/apps', title: /^HubSpot/ },
  '/$project/explorer': { path: () => '/default/explorer?op=listIntegrations', title: /^Explorer/ },
  '/$project/explorer/$tab': { path: () => '/default/explorer/provider', title: /^Explorer/ },
}
const names = Object.keys(pages)
const withEmpty = Object.values(pages).filter(({ empty }) => empty !== undefined)

/** What scrolls sideways if it has more columns than room. */
const tables = '.table-scroller, .scrolls'

type Ids = Installed & { operationId: string; messageId: string }

const owner = { email: 'ada@example.com', role: 'owner' } as const
const viewer = { email: 'vera@example.com', role: 'viewer' } as const

test('each page of the router is looked at here', () => {
  const source = readFileSync(new URL('../../packages/console/src/routes.tsx', import.meta.url), 'utf8')
  const found = [...source.matchAll(/\bpage\(\s*'([^']+)'/g)].map(([, path]) => path)
  expect(found.length).toBeGreaterThan(30)
  expect(found.toSorted()).toEqual(names.toSorted())
})

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let service: ReadingKit
  let kit: ConsoleKit
  let ids: Ids
  let page: Page
  /** Requests that were refused or failed. */
  const refused: string[] = []

  beforeAll(async () => {
    service = await startReadingKit()
    ids = await fill(service)
    const { app } = service
    const { orgId } = (await app.call<{ orgId: string }>('GET', '/projects/default')).body
    const { headers } = await signInBuilder(app, { email: 'first@example.com', role: 'owner' })
    const created = { name: 'empty', appName: 'Empty', orgId }
    expect((await app.call('POST', '/projects', created, { apiKey: null, headers })).status).toBe(201)
    kit = await startConsoleKit(app, { MORTISE_PROVIDERS_DIR: service.providersDir })
    page = await kit.open('/default/overview', owner)
    watch(page)
  })
  afterAll(async () => {
    await kit?.stop()
    await service?.stop()
  })

  function watch(watched: Page) {
    watched.on('response', (response) => {
      if (response.status() >= 400)
        refused.push(`${response.status()} ${response.request().method()} ${response.url()}`)
    })
    watched.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText
      // What a page that is left no longer needs.
      if (reason !== 'net::ERR_ABORTED') refused.push(`${reason} ${request.url()}`)
    })
  }

  async function go(watched: Page, path: string): Promise<void> {
    refused.length = 0
    kit.failures.length = 0
    await watched.goto(`${kit.url}/console${path}`)
    await watched.locator('main h1').waitFor()
    await expect.poll(() => watched.locator('.skeleton, .busy').count()).toBe(0)
  }

  test.each(names)('%s', async (name) => {
    const { path = () => '', title = /^$/ } = pages[name] ?? {}
    await go(page, path(ids))
    expect(await page.title()).toMatch(title)
    expect(await page.title()).toMatch(/ · Mortise$/)
    await kit.check(page)
    expect(refused).toEqual([])
    expect(kit.failures).toEqual([])
  })

  test.each(withEmpty)('nothing yet: $empty', async ({ path, empty = /^$/ }) => {
    await go(page, path(ids).replace('/default/', '/empty/'))
    await page.locator('main').getByText(empty).first().waitFor()
    for (const command of await page.locator('.command', { hasText: /^mortise (?!login)/ }).allTextContents())
      expect(command).toContain('--project empty')
    await kit.check(page)
    expect(refused).toEqual([])
    expect(kit.failures).toEqual([])
  })

  test.each(names)('%s shows all columns of its tables on a small laptop', async (name) => {
    await page.setViewportSize({ width: 1_280, height: 800 })
    await go(page, pages[name]?.path(ids) ?? '')
    expect(
      await page.locator(tables).evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth)),
    ).toEqual(Array(await page.locator(tables).count()).fill(0))
  })

  test('a long name stays in its card, and the chosen tab in sight', async () => {
    await sql`update groups set group_name = ${'x'.repeat(100)} where group_ref = 'group2'`.execute(
      service.app.testDatabase.database.system,
    )
    for (const width of [1_280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await go(page, '/default/overview')
      const item = page.locator('.failing > li').first()
      expect(await item.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
      const text = page.locator('.failing-text').first()
      expect(await text.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    }
    await go(page, '/default/settings/audit-log')
    const chosen = await page.locator('.tabs [aria-current=page]').boundingBox()
    expect((chosen?.x ?? 390) + (chosen?.width ?? 0)).toBeLessThan(390)
  })

  test('by keys alone: to a list, to a row and back, and to any page', async () => {
    await page.setViewportSize({ width: 1_280, height: 900 })
    await go(page, '/default/overview')
    await tabTo(page, 'Operations')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/default\/operations$/)
    const grid = page.getByRole('grid', { name: 'Operations' })
    await grid.getByRole('row').nth(2).waitFor()
    await tabTo(page, 'Operations')
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key)
    const panel = page.getByRole('dialog', { name: 'Operation' })
    await panel.waitFor()
    expect(page.url()).toMatch(/open=/)
    expect(await grid.getAttribute('aria-activedescendant')).toBe('Operations-0')
    await expect.poll(() => focusIn(page, '[role=dialog]')).toBe(true)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    expect(page.url()).not.toMatch(/open=/)
    await expect.poll(() => focusIn(page, '[role=grid]')).toBe(true)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search by name or id' }).waitFor()
    await page.keyboard.type('destin')
    await page.getByRole('option', { name: 'Destinations' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/default\/destinations$/)
    await page.getByRole('heading', { name: 'Destinations', level: 1 }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('group1')
    await page.getByRole('option', { name: 'group1' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/default\/(customers|installations|connections)\//)
  })

  describe('a viewer', () => {
    let seen: Page
    beforeAll(async () => {
      seen = await kit.open('/default/overview', viewer)
      watch(seen)
    })

    // What belongs to each person themselves is no matter of their role.
    test.each(names.filter((name) => name !== '/account'))('%s has no button that is refused', async (name) => {
      const { path = () => '' } = pages[name] ?? {}
      await go(seen, path(ids))
      // Audit logs are for owners and developers: the page says so.
      expect(refused.filter((one) => !one.startsWith('403 GET'))).toEqual([])
      refused.length = 0
      for (const label of await labelsOfButtons(seen)) {
        const button = seen.locator('main').getByRole('button', { name: label, exact: true, disabled: false }).first()
        if (!(await button.isVisible())) continue
        await button.click({ timeout: 5_000 })
        const confirm = seen.locator('[role=dialog] .button.primary:enabled, [role=dialog] .button.danger:enabled')
        if ((await confirm.count()) > 0) await confirm.first().click()
        await seen.keyboard.press('Escape')
        await seen.keyboard.press('Escape')
        if (new URL(seen.url()).pathname !== new URL(path(ids), `${kit.url}/console/`).pathname)
          await seen.goto(`${kit.url}/console${path(ids)}`)
      }
      // An action that the service answers late is busy until then.
      await expect.poll(() => seen.locator('.busy').count()).toBe(0)
      // The page may have loaded while its buttons were listed.
      expect(refused.filter((one) => !one.startsWith('403 GET'))).toEqual([])
    })
  })
})

const backfilled = { backfill: { defaultPeriod: { fullHistory: true } } }

/** Two customers are read; the key of the second one is revoked afterwards, and one topic is routed. */
async function fill(service: ReadingKit): Promise<Ids> {
  const { app, crm } = service
  const project = '/projects/default'
  const first = await service.install({ object: backfilled })
  const second = await service.install({ object: backfilled })
  const messages = async () =>
    (
      await app.call<{ id: string; state: string }[]>(
        'GET',
        `${project}/messages?installationId=${first.installationId}`,
      )
    ).body
  await service.until(async () => (await service.operations(first)).every(({ status }) => status === 'success'))
  await service.until(async () => (await service.operations(second)).every(({ status }) => status === 'success'))
  const message = await service.until(async () => (await messages()).find(({ state }) => state === 'delivered'))
  crm.revokeKey()
  await service.makeDue(second.installationId)
  await service.until(async () => {
    const { body } = await app.call('GET', `/projects/default/connections/${second.connectionId}`)
    return body['status'] === 'bad_credentials'
  })
  const kept = await app.call('POST', `${project}/destinations`, { name: 'kept', type: 'records', metadata: {} })
  expect(kept.status).toBe(201)
  const topic = await app.call<{ id: string }>('POST', `${project}/topics`, {
    name: 'errors',
  })
  expect(topic.status).toBeLessThan(300)
  const [operation] = await service.operations(first)
  return { ...first, operationId: operation?.id ?? '', messageId: message.id }
}

function focusIn(page: Page, selector: string): Promise<boolean> {
  return page.evaluate<boolean>(`document.activeElement?.closest(${JSON.stringify(selector)}) != null`)
}

/** Names of the enabled buttons of the page, each once. */
async function labelsOfButtons(page: Page): Promise<string[]> {
  const labels = await page
    .locator('main button:enabled')
    .evaluateAll((buttons) =>
      buttons.map((button) => (button.getAttribute('aria-label') ?? button.textContent ?? '').trim()),
    )
  return [...new Set(labels)].filter((label) => label !== '').slice(0, 25)
}
