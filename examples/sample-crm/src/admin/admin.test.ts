import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SampleCrm, startSampleCrm } from '../index.ts'

let crm: SampleCrm
beforeEach(async () => {
  crm = await startSampleCrm({ contacts: 100, rateLimit: 0, workspace: '<b>Acme</b>' })
})
afterEach(() => crm.close())

const press = async (action: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) => {
  const body = new URLSearchParams(form)
  const { status } = await fetch(`${crm.url}/admin/${action}`, { method: 'POST', redirect: 'manual', headers, body })
  return status
}
const status = async (key: string) => {
  const answer = await fetch(`${crm.url}/me`, { headers: { 'x-api-key': key } })
  await answer.body?.cancel()
  return answer.status
}

test('the key is revoked with a button, and a new one is created with another', async () => {
  expect(await status('demo-key')).toBe(200)
  expect(await press('revoke-key')).toBe(303)
  expect([crm.apiKey, await status('demo-key'), await status('')]).toEqual(['', 401, 401])
  await press('create-key')
  expect([crm.apiKey, await status('demo-key'), await status(crm.apiKey)]).toEqual([
    expect.stringMatching(/^key_/),
    401,
    200,
  ])
})

test('the page shows the key, the traffic and the name of the workspace as text', async () => {
  await status('wrong')
  const page = await (await fetch(`${crm.url}/admin`)).text()
  expect(page).toContain('demo-key')
  expect(page).toContain('&#60;b&#62;Acme')
  expect(page).toMatch(/Refused \(401\)<\/dt><dd>1</)
})

test('contacts are added and changed, requests fail, and the rate limit is set', async () => {
  const start = new Date()
  await press('add-contact')
  await press('change-contacts')
  expect(crm.contactsChangedSince(start)).toHaveLength(26)
  await press('fail')
  expect(await status('demo-key')).toBe(503)
  crm.failNext(0, 503)
  await press('rate-limit', { perSecond: '1' })
  expect([await status('demo-key'), await status('demo-key'), await status('demo-key')]).toEqual([200, 200, 429])
})

test('a page of another origin presses no button', async () => {
  expect(await press('revoke-key', {}, { origin: 'https://elsewhere.example' })).toBe(403)
  expect(await status('demo-key')).toBe(200)
})
