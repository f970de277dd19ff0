import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../testkit/chromium.ts'
import { freePort } from '../../../testkit/free-port.ts'
import { type ConnectingKit, startConnectingKit, type Told } from './connecting.testkit.ts'

/**
 * A page of another origin opens the window of a flow, in a real browser. Left out where the machine has no Chromium.
 */

const listening = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let kit: ConnectingKit
  let browser: Browser
  let page: Page
  let application: Server
  let ours: string
  let groups = 0

  beforeAll(async () => {
    const port = await freePort()
    ours = `http://localhost:${port}`
    kit = await startConnectingKit({ publicUrl: ours, env: { PORT: String(port), MORTISE_HOST: 'localhost' } })
    await kit.makeApp('plain')
    application = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>The application</title>')
    })
    const applicationPort = await listening(application)
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-person': 'ann' } })
    page = await context.newPage()
    await page.goto(`http://127.0.0.1:${applicationPort}/`)
    // As text: what runs in the page knows other globals than what is compiled here.
    await page.evaluate(
      `globalThis.told = []; addEventListener('message', ({ origin, data }) => told.push({ origin, data }))`,
    )
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await kit?.stop()
    application?.close()
  })

  const told = () => page.evaluate<{ origin: string; data: Told }[]>('told')

  /** As the React library does: it asks with its key, and opens what it is answered. */
  async function open(
    enableCSRFProtection: boolean,
    { change = '', apiKey = kit.app.frontendKey } = {},
  ): Promise<{ popup: Page; groupRef: string }> {
    const groupRef = `popup-${++groups}`
    const body = { projectIdOrName: 'default', provider: 'plain', groupRef, consumerRef: 'ada', enableCSRFProtection }
    const request = JSON.stringify({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
    })
    const opened = page.waitForEvent('popup')
    await page.evaluate(`(async () => {
      told.length = 0
      const answer = await fetch('${ours}/v1/oauth-connect', ${request})
      open(await answer.text() + '${change}', 'OAuthPopup', 'width=600,height=600')
    })()`)
    return { popup: await opened, groupRef }
  }

  test.each([false, true])(
    'the window tells the application and closes (enableCSRFProtection: %s)',
    async (isProtected) => {
      const { popup, groupRef } = await open(isProtected)
      await expect.poll(async () => (await told()).length, { timeout: 30_000 }).toBe(1)
      await expect.poll(() => popup.isClosed(), { timeout: 30_000 }).toBe(true)
      expect(await told()).toEqual([
        {
          origin: ours,
          data: {
            eventType: 'AUTHORIZATION_SUCCEEDED',
            data: {
              connection: expect.objectContaining({ provider: 'plain', group: expect.objectContaining({ groupRef }) }),
            },
          },
        },
      ])
    },
    60_000,
  )

  test('a window that fails says why, to the application and to the person, and stays', async () => {
    // The URL of the provider itself, so that it can be changed.
    const { popup } = await open(false, { change: '&prompt=none&scope=nothing', apiKey: kit.app.apiKey })
    await expect.poll(async () => (await told()).length, { timeout: 30_000 }).toBe(1)
    const [{ data } = { data: undefined }] = await told()
    expect(data).toEqual({
      eventType: 'AUTHORIZATION_FAILED',
      message: expect.any(String),
      data: { error: data?.message },
    })
    expect(await popup.textContent('main p')).toBe(data?.message)
    expect(new URL(popup.url()).search).toBe('')
    if (process.env['MORTISE_SCREENSHOTS']) {
      await popup.screenshot({ path: `${process.env['MORTISE_SCREENSHOTS']}/failed.png` })
      await popup.goto(`${ours}/callbacks/v1/oauth`)
      await popup.screenshot({ path: `${process.env['MORTISE_SCREENSHOTS']}/stale.png` })
    }
    await popup.close()
  }, 60_000)

  test('without an opener the window stays, and says that it can be closed', async () => {
    const url = await kit.begin({ groupRef: 'popup-alone' })
    const alone = await page.context().newPage()
    const failures: string[] = []
    alone.on('console', (message) => failures.push(message.text()))
    await alone.goto(url)
    await expect.poll(() => alone.textContent('h1'), { timeout: 30_000 }).toBe('plain is connected')
    if (process.env['MORTISE_SCREENSHOTS'])
      await alone.screenshot({ path: `${process.env['MORTISE_SCREENSHOTS']}/connected.png` })
    expect(failures).toEqual([])
    expect(alone.isClosed()).toBe(false)
  }, 60_000)
})
