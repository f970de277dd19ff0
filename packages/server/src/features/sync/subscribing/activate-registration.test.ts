import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Hook, type SubscribingKit, startSubscribingKit } from './subscribing.testkit.ts'

let kit: SubscribingKit
beforeAll(async () => {
  kit = await startSubscribingKit()
})
afterAll(async () => {
  await kit.stop()
})

const objects = [{ objectName: 'contacts', destination: 'hook', createEvent: { enabled: 'always' } }]
const installed = () => kit.install({ provider: 'hookOffered', objects })

async function post({ callback }: Pick<Hook, 'callback'>, fields: Record<string, string>, secret?: string) {
  const names = Object.entries(fields).map(([name, value]) => `"${name}": "${value}"`)
  const signed = createHmac('sha256', secret ?? '').update(`{${names.join(', ')}}`)
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(secret !== undefined && { 'x-signature': signed.digest('base64') }),
  }
  const to = callback.replace(kit.app.app.services.publicUrl, kit.app.url)
  return (await fetch(to, { method: 'POST', headers, body: new URLSearchParams(fields).toString() })).status
}

const offer = (id: string, verifier = `verifier-${id}`) => ({ name: 'callback.verify', object_id: id, verifier })
const made = { name: 'made', object_id: '1', account_id: '6BApk' }

it('a secret that the provider sends before its response is kept once the provider confirms it', async () => {
  const statuses: number[] = []
  kit.onRegister(async (hook) => {
    statuses.push(await post(hook, made, `verifier-${hook.id}`), await post(hook, offer(hook.id)))
  })
  const { id } = await installed()
  const hook = await kit.hookOf(id)
  await kit.until(() => statuses.length === 2)
  kit.onRegister(async () => undefined)
  expect(statuses).toEqual([401, 200])
  await kit.until(async () => (await post(hook, made, `verifier-${hook.id}`)) === 200)
  expect(await post(hook, made, 'guessed')).toBe(401)
  const [entry] = await kit.until(() => kit.entries(id).length > 0 && kit.entries(id))
  expect(entry).toMatchObject({ subscribeEventType: 'create', rawEvent: made })
  expect(await post(hook, offer(hook.id))).toBe(401)
})

it('a secret that the provider did not send is refused, and so is that of another registration', async () => {
  const { id } = await installed()
  const hook = await kit.hookOf(id)
  await kit.until(async () => (await post(hook, offer(hook.id, 'guessed'))) === 401)
  expect(await post(hook, made, 'guessed')).toBe(401)
  expect(await post(hook, made)).toBe(401)
  const other = await kit.hookOf((await installed()).id)
  await kit.until(() => kit.asked.filter((what) => what.startsWith('POST /hooks')).length > 2)
  expect(await post(hook, offer(other.id))).toBe(401)
  expect(await post({ callback: hook.callback.replace(/registration=.*/, '') }, offer(hook.id))).toBe(404)
  kit.orders.push({ what: `PUT /hooks/${hook.id}/activate`, status: 502 })
  expect(await post(hook, offer(hook.id))).toBe(503)
  expect(await post(hook, offer(hook.id))).toBe(200)
  expect(await post(hook, made, `verifier-${hook.id}`)).toBe(200)
})

it('a secret that does not arrive is requested again, and a webhook that is gone is registered again', async () => {
  const { id } = await installed()
  const hook = await kit.hookOf(id)
  const resent = () => kit.asked.filter((what) => what === `POST /hooks/${hook.id}/resend`).length
  await kit.until(async () => (await post(hook, offer(hook.id, 'guessed'))) === 401)
  expect(resent()).toBe(0)
  kit.app.clock.advance(601_000)
  await kit.until(() => resent() === 1)
  kit.hooks.delete(hook.id)
  kit.app.clock.advance(601_000)
  const again = await kit.hookOf(id)
  expect(resent()).toBe(2)
  await kit.until(async () => (await post(again, offer(again.id))) === 200)
  await kit.until(async () => (await post(again, made, `verifier-${again.id}`)) === 200)
  kit.app.clock.advance(601_000)
  expect(await post(again, { ...made, object_id: '2' }, `verifier-${again.id}`)).toBe(200)
  expect(kit.asked).not.toContain(`POST /hooks/${again.id}/resend`)
})
