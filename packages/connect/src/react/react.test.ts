import path from 'node:path'
import type { Page } from 'playwright-core'
import { type ComponentProps, createElement, type ElementType, type HTMLAttributes } from 'react'
import { renderToString } from 'react-dom/server'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { policy } from '../../stories/stub-server.ts'
import { type BrowserKit, chromiumPath, startBrowserKit } from '../browser.testkit.ts'
import * as elements from '../index.ts'
import { MortiseConnect, type MortiseInstall, type MortiseIntegrations, type MortiseManage } from './index.ts'

test('a server renders the element without its properties, so that no token is in the page', () => {
  const props = { project: 'p', token: 'connect_secret', getToken: () => 'connect_secret', className: 'box' }
  const html = renderToString(createElement(MortiseConnect, { ...props, onConnected: () => undefined }))
  expect(html).toBe('<mortise-connect class="box"></mortise-connect>')
})

/** Names of the properties that the types of a wrapper add to those of every element; the compiler compares them. */
type Added<Wrapper extends ElementType> = Record<
  Exclude<keyof ComponentProps<Wrapper>, keyof HTMLAttributes<HTMLElement> | 'key' | 'ref' | `on${string}`>,
  boolean
>
const common = {
  ...{ server: true, project: true, token: true, getToken: true, apiKey: true, groupRef: true, consumerRef: true },
  ...{ language: true, theme: true, mode: true, messages: true, windows: true },
} as const
const connect: Added<typeof MortiseConnect> = { ...common, provider: true, connection: true, closable: true }
const install: Added<typeof MortiseInstall> = { ...common, integration: true, mappings: true, closable: true }
const manage: Added<typeof MortiseManage> = { ...common, integration: true }
const integrations: Added<typeof MortiseIntegrations> = common

test.each([
  [elements.MortiseConnect, connect],
  [elements.MortiseInstall, install],
  [elements.MortiseManage, manage],
  [elements.MortiseIntegrations, integrations],
])('the types name exactly the properties of %o', (element, names) => {
  const properties = [...element.elementProperties].filter(([, { state }]) => !state).map(([name]) => name)
  expect(properties.toSorted()).toEqual(Object.keys(names).toSorted())
})

/** The wrapper in a real browser, under a strict policy. Left out where the machine has no Chromium. */
describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let kit: BrowserKit
  let script: string
  beforeAll(async () => {
    const [started, code] = await Promise.all([startBrowserKit(), bundle()])
    kit = started
    script = code
  }, 60_000)
  afterAll(() => kit?.stop())

  async function open(component: string, story: string, props: object = {}): Promise<Page> {
    const page = await kit.newPage()
    await page.clock.install()
    await page.route('**/wrapper?*', (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'content-security-policy': policy },
        body: '<!doctype html><html lang="en"><title>Wrapper</title><div id="root"></div><script type="module" src="/wrapper.js"></script>',
      }),
    )
    await page.route('**/wrapper.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }))
    const query = new URLSearchParams({ component, story, props: JSON.stringify(props) })
    await page.goto(`${kit.server.url}/wrapper?${query}`)
    return page
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const events = (page: Page) => page.evaluate('window.events')

  test.each([
    ['MortiseConnect', 'providers', 'Connect your account to Northwind'],
    ['MortiseInstall', 'install-objects', 'Choose your data'],
    ['MortiseManage', 'manage', 'Your integrations with Northwind'],
    ['MortiseIntegrations', 'gallery', 'Integrations of Northwind'],
  ])('%s draws its element, and axe finds nothing', async (component, story, title) => {
    const page = await open(component, story, component === 'MortiseInstall' ? { integration: 'crmSync' } : {})
    await heading(page, title)
    await kit.check(page)
    await page.close()
  })

  test('each callback runs once, and a rendering with new functions keeps the step', async () => {
    const page = await open('MortiseConnect', 'form-key', { provider: 'sampleCrm', closable: true })
    await page.getByLabel('API key', { exact: true }).fill('refused')
    await page.getByRole('button', { name: 'Connect Sample CRM' }).click()
    await page.getByText('the key was revoked').waitFor()
    await page.getByText('Rendered again').waitFor()
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe('refused')
    await page.getByLabel('API key', { exact: true }).fill('good')
    await page.getByRole('button', { name: 'Connect Sample CRM' }).click()
    await heading(page, 'Sample CRM is connected')
    await page.getByRole('button', { name: 'Done' }).click()
    await expect
      .poll(() => events(page))
      .toEqual([
        ['error', ['kind', 'detail', 'requestId', 'canRetry']],
        ['connected', ['connection']],
        ['closed', []],
      ])
    await heading(page, 'Sample CRM is connected')
    expect(await page.evaluate('window.tokens')).toBe(1)
    await page.close()
  })

  test('a component that is removed sends no request any more', async () => {
    const page = await open('MortiseInstall', 'install-one', { integration: 'supportTickets' })
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Start sending to Northwind' }).click()
    await expect.poll(() => events(page)).toEqual([['installed', ['installation']]])
    const polled = () => page.waitForRequest(/\/status$/)
    const next = polled()
    await page.clock.runFor(10_000)
    await next
    const later: string[] = []
    await page.getByRole('button', { name: 'Leave' }).click()
    page.on('request', (request) => later.push(request.url()))
    await page.clock.runFor(60_000)
    // A request of the page itself comes after all that the component would have sent.
    await page.evaluate('fetch("/wrapper.js").then((answer) => answer.text())')
    expect(later.map((url) => new URL(url).pathname)).toEqual(['/wrapper.js'])
    await page.close()
  })

  test('no policy stood in the way, and nothing failed', () => {
    expect(kit.failures).toEqual([])
  })
})

async function bundle(): Promise<string> {
  const made = await rolldown({
    input: path.join(import.meta.dirname, 'wrapper-page.testkit.jsx'),
    platform: 'browser',
    resolve: { conditionNames: ['mortise-source', 'browser', 'development', 'import', 'default'] },
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    logLevel: 'silent',
  })
  const { output } = await made.generate({ format: 'esm', codeSplitting: false })
  await made.close()
  return output[0].code
}
