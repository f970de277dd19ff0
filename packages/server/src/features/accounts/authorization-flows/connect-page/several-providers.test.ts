import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConnectingKit, startConnectingKit } from '../connecting.testkit.ts'
import { connectProviders } from './connect-page.testkit.ts'

let kit: ConnectingKit

beforeAll(async () => {
  kit = await startConnectingKit({ providers: (server) => connectProviders('http://127.0.0.1:9', server) })
}, 60_000)
afterAll(async () => {
  await kit?.stop()
})

test('a session with several providers lets the customer choose one of them, and no other', async () => {
  const body = { groupRef: 'chooser', consumerRef: 'ada', providers: ['keyed', 'nothing'] }
  const made = await kit.app.call<{ url: string }>('POST', '/projects/default/connect-sessions', body)
  const path = `${new URL(made.body.url).pathname}/form`
  const connections = async () => (await kit.app.call('GET', '/projects/default/connections?groupRef=chooser')).body
  const browser = kit.browser()
  expect((await browser.get(path)).text).toContain(`href="${path}?provider=keyed"`)
  const form = await browser.get(`${path}?provider=nothing`)
  const other = { ...form, text: form.text.replace('value="nothing"', 'value="basic"') }
  expect((await browser.submit(other)).status).toBe(404)
  expect((await browser.get(`${path}?provider=basic`)).status).toBe(404)
  expect(await connections()).toEqual([])
  expect((await browser.submit(form)).location).toBe(path)
  expect(await connections()).toMatchObject([{ provider: 'nothing' }])
})
