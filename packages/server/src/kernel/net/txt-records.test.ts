import { afterAll, beforeAll, expect, it } from 'vitest'
import { type NameServer, startNameServer, txt } from '../../testkit/name-server.ts'
import { createResolveTxt, type ResolveTxt, TxtLookupFailed } from './txt-records.ts'

let dns: NameServer
let resolveTxt: ResolveTxt
beforeAll(async () => {
  dns = await startNameServer()
  resolveTxt = createResolveTxt({ servers: [dns.address] })
})
afterAll(() => dns?.stop())

it('a record that is split into strings has one value, and several records have several', async () => {
  dns.answers.set('split.example', [txt('split.example', 'one ', 'value'), txt('split.example', 'another')])
  expect((await resolveTxt('split.example')).toSorted()).toEqual(['another', 'one value'])
})

it('a name that does not exist, and one without TXT records, have no values', async () => {
  dns.answers.set('empty.example', [])
  expect([await resolveTxt('missing.example'), await resolveTxt('empty.example')]).toEqual([[], []])
})

it('a server that fails says nothing about the records', async () => {
  dns.answers.set('failing.example', 'SERVFAIL')
  dns.answers.set('refused.example', 'REFUSED')
  await expect(resolveTxt('failing.example')).rejects.toThrow('answered SERVFAIL')
  await expect(resolveTxt('refused.example')).rejects.toThrow('answered REFUSED')
})

it('a server that stays silent is given up at the deadline', async () => {
  dns.answers.set('silent.example', 'silence')
  const impatient = createResolveTxt({ servers: [dns.address], timeoutMs: 100 })
  await expect(impatient('silent.example')).rejects.toThrow(new TxtLookupFailed('no answer in time'))
})
