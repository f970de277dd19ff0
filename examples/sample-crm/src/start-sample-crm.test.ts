import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { Contact, SampleCrm, SampleCrmOptions } from './index.ts'
import { startSampleCrm } from './index.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const running: SampleCrm[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((crm) => crm.close()))
})

async function start(options: SampleCrmOptions = {}): Promise<SampleCrm> {
  const crm = await startSampleCrm({ rateLimit: 0, contacts: 1_000, clock: () => noon, ...options })
  running.push(crm)
  return crm
}

interface Page {
  readonly data: readonly Contact[]
  readonly next_cursor: string | null
  readonly total: number
}

const request = (crm: SampleCrm, path: string, init: RequestInit = {}) =>
  fetch(crm.url + path, { ...init, headers: { 'x-api-key': crm.apiKey, ...init.headers } })

async function get<T>(crm: SampleCrm, path: string): Promise<T> {
  const response = await request(crm, path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

async function readAll(crm: SampleCrm, query: string, afterPage: (pages: number) => unknown = () => {}) {
  const all: Contact[] = []
  let cursor: string | null = ''
  for (let pages = 1; cursor !== null; pages++) {
    const page: Page = await get(crm, `/contacts?${query}${cursor && `&cursor=${cursor}`}`)
    all.push(...page.data)
    cursor = page.next_cursor
    await afterPage(pages)
  }
  return all
}

const position = (contact: Contact) => `${contact.updated_at} ${contact.id}`
const distinctIds = (contacts: readonly Contact[]) => new Set(contacts.map((contact) => contact.id)).size

describe('the contacts', () => {
  test('are the same for the same seed, and others for another', async () => {
    const [one, same, other] = await Promise.all([start(), start(), start({ seed: 2 })])
    const path = '/contacts?limit=50'
    const first = await get<Page>(one, path)
    expect(await get<Page>(same, path)).toEqual(first)
    expect((await get<Page>(other, path)).data).not.toEqual(first.data)
  })

  test('are 20,000 by default, with times in the two years before the start', async () => {
    const crm = await start({ contacts: 20_000 })
    const all = await readAll(crm, 'limit=500')
    expect(distinctIds(all)).toBe(20_000)
    expect(all.map((contact) => contact.id)).toEqual(all.map((contact) => contact.id).sort())
    const times = all.map((contact) => Date.parse(contact.updated_at)).sort((a, b) => a - b)
    const yearMs = 365 * 24 * 3_600_000
    expect(times[0]).toBeGreaterThanOrEqual(noon - 2 * yearMs)
    expect(times.at(-1)).toBeLessThan(noon)
    expect(times.filter((time) => time >= noon - yearMs)).toHaveLength(10_000)
    expect(all.filter((contact) => contact.created_at > contact.updated_at)).toEqual([])
  })

  test('of a million are paged without generating the others', async () => {
    const crm = await start({ contacts: 1_000_000 })
    const before = process.cpuUsage()
    const page = await get<Page>(crm, '/contacts?updated_since=2026-02-28T12:00:00Z&limit=500')
    // The processor's time, of both sides: other work on the machine does not count.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(0.5)
    expect(page.data).toHaveLength(500)
    expect(page.total).toBeGreaterThan(1_300)
    expect((await get<Contact>(crm, '/contacts/con_1000000')).id).toBe('con_1000000')
  })

  test.each([1, 2, 3, 7, 500, 501])('are complete in the order of change when there are %d', async (contacts) => {
    const crm = await start({ contacts })
    const all = await readAll(crm, 'updated_since=2000-01-01T00:00:00Z&limit=3')
    expect(all.map(position)).toEqual(all.map(position).sort())
    expect(distinctIds(all)).toBe(contacts)
  })
})

describe('paging', () => {
  test('windows laid end to end hold every contact once, and total counts each', async () => {
    const crm = await start()
    crm.change(10)
    const cuts = ['2000-01-01T00:00:00Z', '2025-01-01T00:00:00Z', '2026-03-01T12:00:00.001Z', '2100-01-01T00:00:00Z']
    const windows = []
    for (const [index, since] of cuts.slice(0, -1).entries()) {
      const query = `updated_since=${since}&updated_before=${cuts[index + 1]}`
      const contacts = await readAll(crm, query)
      expect((await get<Page>(crm, `/contacts?${query}&limit=1`)).total).toBe(contacts.length)
      windows.push(contacts)
    }
    expect(windows.at(-1)).toHaveLength(10)
    expect(windows.flat()).toHaveLength(1_000)
    expect(distinctIds(windows.flat())).toBe(1_000)
  })

  test('loses nothing when contacts change between pages', async () => {
    const crm = await start({ contacts: 300 })
    const seen = await readAll(crm, 'updated_since=2000-01-01T00:00:00Z&limit=20', (pages) => {
      if (pages <= 10) crm.change(7)
    })
    expect(distinctIds(seen)).toBe(300)
    const latest = new Map(seen.map((contact) => [contact.id, contact]))
    for (const contact of latest.values()) expect(contact).toEqual(crm.contact(contact.id))
  })

  test('filters by a time with an offset', async () => {
    const crm = await start()
    const utc = await get<Page>(crm, '/contacts?updated_since=2026-01-01T00:00:00Z')
    expect(await get<Page>(crm, '/contacts?updated_since=2026-01-01T02:00:00%2B02:00')).toEqual(utc)
  })

  test('of companies goes by offset', async () => {
    const crm = await start()
    const page = await get<{ data: { id: string }[]; total: number }>(crm, '/companies?offset=38&limit=5')
    expect(page).toMatchObject({ data: [{ id: 'cmp_039' }, { id: 'cmp_040' }], total: 40 })
  })

  test.each([
    ['limit', '/contacts?limit=0'],
    ['limit', '/contacts?limit=501'],
    ['limit', '/contacts?limit=1e2'],
    ['limit', '/contacts?limit=1&limit=2'],
    ['cursor', '/contacts?cursor='],
    ['cursor', '/contacts?cursor=bm9wZQ'],
    ['cursor', `/contacts?cursor=${Buffer.from('updated:1:1').toString('base64url')}`],
    ['cursor', `/contacts?cursor=${Buffer.from('id:0:1').toString('base64url')}==`],
    ['updated_since', '/contacts?updated_since=yesterday'],
    ['updated_since', '/contacts?updated_since=2026-13-01T00:00:00Z'],
    ['updated_before', '/contacts?updated_before=2026-01-01'],
    ['offset', '/companies?offset=-1'],
    ['path', '/contacts/%zz'],
  ])('answers 400 that names %s: %s', async (field, path) => {
    const response = await request(await start(), path)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_parameter', field } })
  })
})

describe('a change', () => {
  const patch = (crm: SampleCrm, id: string, body: string) =>
    request(crm, `/contacts/${id}`, { method: 'PATCH', body, headers: { 'content-type': 'application/json' } })

  test('by PATCH sets the fields and moves updated_at', async () => {
    const crm = await start()
    const before = await get<Contact>(crm, '/contacts/con_0000007')
    await patch(crm, before.id, '{"stage":"lost","custom_fields":{"vip":true}}')
    await patch(crm, before.id, '{"company":{"name":"New"}}')
    const response = await patch(crm, before.id, '{"company":{"city":"Rome"}}')
    expect(response.status).toBe(200)
    const after = {
      ...before,
      stage: 'lost',
      company: { name: 'New', city: 'Rome' },
      custom_fields: { ...before.custom_fields, vip: true },
      updated_at: '2026-03-01T12:00:00.003Z',
    }
    expect(await response.json()).toEqual(after)
    expect(await get(crm, '/contacts/con_0000007')).toEqual(after)
  })

  test.each([
    ['id', '{"id":"con_0000002"}'],
    ['updated_at', '{"updated_at":"2026-01-01T00:00:00Z"}'],
    ['nickname', '{"nickname":"x"}'],
    ['__proto__', '{"__proto__":{"score":1}}'],
    ['custom_fields.__proto__', '{"custom_fields":{"__proto__":{"vip":true}}}'],
    ['custom_fields.score', '{"custom_fields":{"score":1}}'],
    ['score', '{"score":1.5}'],
    ['stage', '{"stage":"won"}'],
    ['tags', '{"tags":[1]}'],
    ['company', '{"company":{"name":"New","zip":"1"}}'],
    ['company', '{"company":{"name":1}}'],
    ['company', '{"company":{"__proto__":"x"}}'],
    ['custom_fields.renewal_at', '{"custom_fields":{"renewal_at":"soon"}}'],
    ['custom_fields', '{"custom_fields":1}'],
    ['body', '[]'],
    ['body', '{'],
  ])('is refused whole with a 400 that names %s', async (field, body) => {
    const crm = await start()
    const before = crm.contact('con_0000001')
    const response = await patch(crm, 'con_0000001', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { field } })
    expect(crm.contact('con_0000001')).toEqual(before)
  })

  test('is told all that is wrong with it', async () => {
    const response = await patch(await start(), 'con_0000001', '{"stage":"won","score":"1","nickname":"x"}')
    const faults = [
      { field: 'stage', message: 'stage: expected one of lead, customer, lost' },
      { field: 'score', message: 'score: expected a value of type int' },
      { field: 'nickname', message: 'nickname: expected a field that exists and may be written' },
    ]
    const message = faults.map((fault) => fault.message).join('; ')
    expect(await response.json()).toEqual({ error: { code: 'invalid_parameter', message, field: 'stage', faults } })
  })

  test('larger than 64 KB is refused with 413', async () => {
    const response = await patch(await start(), 'con_0000001', JSON.stringify({ last_name: 'x'.repeat(70_000) }))
    expect(response.status).toBe(413)
  })

  test('ordered by the host is what contactsChangedSince and the API tell', async () => {
    const crm = await start()
    const changed = crm.change(25)
    expect(distinctIds(changed)).toBe(25)
    const sorted = changed.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(crm.contactsChangedSince(new Date(noon))).toEqual(sorted)
    expect(await readAll(crm, 'updated_since=2026-03-01T12:00:00Z')).toEqual(sorted)
    expect(distinctIds([...changed, ...crm.change(25)])).toBe(50)
    expect(crm.change(['con_0000003'])).toEqual([crm.contact('con_0000003')])
    expect(() => crm.change(['con_0000003', 'con_9999999'])).toThrow(RangeError)
    expect(() => crm.change(1_001)).toThrow(RangeError)
  })
})

describe('a new contact', () => {
  const post = (crm: SampleCrm, body: unknown) =>
    request(crm, '/contacts', { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })

  test('is answered, found, and last in both orders; the totals count it', async () => {
    const crm = await start()
    const given = { email: 'new@example.com', stage: 'customer', custom_fields: { plan: 'team' } }
    const response = await post(crm, given)
    expect(response.status).toBe(201)
    const created = (await response.json()) as Contact
    expect(created).toEqual({
      id: 'con_0001001',
      first_name: '',
      last_name: '',
      email: 'new@example.com',
      phone: '',
      company: { name: '', city: '' },
      stage: 'customer',
      score: 0,
      tags: [],
      custom_fields: { plan: 'team', vip: false, renewal_at: '2027-03-01T12:00:00.001Z' },
      created_at: '2026-03-01T12:00:00.001Z',
      updated_at: '2026-03-01T12:00:00.001Z',
    })
    expect(await get(crm, '/contacts/con_0001001')).toEqual(created)
    expect((await get<Page>(crm, '/contacts?email=new@example.com')).data).toEqual([created])
    const all = await readAll(crm, 'limit=500')
    expect(all).toHaveLength(1_001)
    expect(all.at(-1)).toEqual(created)
    expect(await get<Page>(crm, '/contacts?limit=1')).toMatchObject({ total: 1_001 })
    const since = '/contacts?updated_since=2026-03-01T12:00:00Z'
    expect(await get<Page>(crm, since)).toMatchObject({ data: [created], total: 1 })
    expect(crm.contactsChangedSince(new Date(0))).toHaveLength(1_001)
  })

  test('can be changed like the others, and keeps the time of its creation', async () => {
    const crm = await start()
    const created = (await (await post(crm, { email: 'new@example.com' })).json()) as Contact
    const path = `/contacts/${created.id}`
    const body = '{"score":7,"custom_fields":{"vip":true}}'
    const changed = (await (await request(crm, path, { method: 'PATCH', body })).json()) as Contact
    const updated_at = '2026-03-01T12:00:00.002Z'
    const custom_fields = { ...created.custom_fields, vip: true }
    expect(changed).toEqual({ ...created, score: 7, custom_fields, updated_at })
    const { data, total } = await get<Page>(crm, '/contacts?updated_since=2026-03-01T12:00:00Z')
    expect([data, total]).toEqual([[changed], 1])
  })

  test('that comes between pages is missed by neither order', async () => {
    const crm = await start({ contacts: 300 })
    for (const query of ['limit=20', 'updated_since=2000-01-01T00:00:00Z&limit=20']) {
      const before = (await get<Page>(crm, '/contacts?limit=1')).total
      const seen = await readAll(crm, query, async (pages) => {
        if (pages <= 5) expect((await post(crm, { email: `${pages}@example.com` })).status).toBe(201)
      })
      expect(distinctIds(seen)).toBe(before + 5)
    }
  })

  test.each<[string[], unknown]>([
    [['email'], {}],
    [['email', 'id', 'stage', 'custom_fields.vip'], { id: 'con_1', stage: 'won', custom_fields: { vip: 'yes' } }],
    [['email'], { email: null }],
    [['__proto__'], '{"email":"a","__proto__":{"score":1}}'],
    [['custom_fields'], { email: 'a', custom_fields: [] }],
  ])('is refused whole with a 400 that names %j', async (fields, body) => {
    const crm = await start()
    const response = await post(crm, body)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { field: string; faults: { field: string }[] } }
    expect([error.field, error.faults.map(({ field }) => field)]).toEqual([fields[0], fields])
    expect(await get<Page>(crm, '/contacts?limit=1')).toMatchObject({ total: 1_000 })
  })

  test('is refused once every id was given, also to one that was deleted', async () => {
    const crm = await start({ contacts: 9_999_998 })
    expect(await (await post(crm, { email: 'a' })).json()).toMatchObject({ id: 'con_9999999' })
    expect((await request(crm, '/contacts/con_9999999', { method: 'DELETE' })).status).toBe(204)
    expect((await post(crm, { email: 'b' })).status).toBe(409)
  })
})

describe('a deleted contact', () => {
  const remove = (crm: SampleCrm, id: string) => request(crm, `/contacts/${id}`, { method: 'DELETE' })

  test('is gone from every answer and every total', async () => {
    const crm = await start()
    const changed = crm.change(3)
    const untouched = crm.contactsChangedSince(new Date(0))[0]!
    const newest = (await (
      await request(crm, '/contacts', { method: 'POST', body: '{"email":"new@example.com"}' })
    ).json()) as Contact
    const gone = [changed[0]!, untouched, newest].map(({ id }) => id)
    for (const id of gone) {
      const response = await remove(crm, id)
      expect([response.status, await response.text()]).toEqual([204, ''])
    }
    for (const id of gone)
      for (const [method, body] of [
        ['GET', null],
        ['PATCH', '{"score":1}'],
        ['DELETE', null],
      ] as const)
        expect((await request(crm, `/contacts/${id}`, { method, body })).status).toBe(404)
    expect((await get<Page>(crm, `/contacts?email=${untouched.email}`)).data).toEqual([])
    for (const query of ['limit=100', 'updated_since=2000-01-01T00:00:00Z&limit=100']) {
      const all = await readAll(crm, query)
      expect([all.length, distinctIds(all), all.filter(({ id }) => gone.includes(id))]).toEqual([998, 998, []])
      expect((await get<Page>(crm, `/contacts?${query}`)).total).toBe(998)
    }
    expect((await get<Page>(crm, '/contacts?updated_since=2026-03-01T12:00:00Z')).total).toBe(2)
    expect(() => crm.change([untouched.id])).toThrow(RangeError)
    expect(() => crm.change(999)).toThrow(RangeError)
    expect(distinctIds(crm.change(998))).toBe(998)
  })

  test('leaves no gap in pages, nor a page too many', async () => {
    const crm = await start({ contacts: 30 })
    const first = await get<Page>(crm, '/contacts?limit=10')
    // The cursor stands at the first of them.
    for (const number of [10, 11, 12, 29, 30]) await remove(crm, `con_00000${number}`)
    const second = await get<Page>(crm, `/contacts?limit=8&cursor=${first.next_cursor}`)
    expect(second.data.map(({ id }) => Number(id.slice(4)))).toEqual([13, 14, 15, 16, 17, 18, 19, 20])
    const third = await get<Page>(crm, `/contacts?limit=8&cursor=${second.next_cursor}`)
    expect(third.data).toHaveLength(8)
    expect(third.next_cursor).toBeNull()
  })

  test('does not give its id to another one', async () => {
    const crm = await start({ contacts: 1 })
    await remove(crm, 'con_0000001')
    expect(await get<Page>(crm, '/contacts')).toEqual({ data: [], next_cursor: null, total: 0 })
    expect(crm.change(0)).toEqual([])
    const response = await request(crm, '/contacts', { method: 'POST', body: '{"email":"a"}' })
    expect(await response.json()).toMatchObject({ id: 'con_0000002' })
  })
})

describe('the API', () => {
  test('knows its workspace and describes its fields', async () => {
    const crm = await start({ workspace: 'Acme' })
    expect(await get(crm, '/me')).toEqual({ workspace: 'Acme' })
    const contact = await get<Contact>(crm, '/contacts/con_0000001')
    const fields = await get<{ name: string; custom?: true }[]>(crm, '/schema/contacts')
    const names = (custom: boolean) => fields.filter((field) => !!field.custom === custom).map((field) => field.name)
    expect(names(false)).toEqual(Object.keys(contact).filter((name) => name !== 'custom_fields'))
    expect(names(true)).toEqual(Object.keys(contact.custom_fields))
    const company = (await get<{ data: object[] }>(crm, '/companies')).data[0]!
    const companyFields = await get<{ name: string }[]>(crm, '/schema/companies')
    expect(companyFields.map((field) => field.name)).toEqual(Object.keys(company))
  })

  test('finds contacts by the values of their fields', async () => {
    const crm = await start()
    const wanted = await get<Contact>(crm, '/contacts/con_0000900')
    expect((await get<Page>(crm, `/contacts?email=${wanted.email}`)).data).toEqual([wanted])
    const { data } = await get<Page>(crm, `/contacts?stage=customer&plan=team&limit=7`)
    expect(data).toHaveLength(7)
    expect(data.every(({ stage, custom_fields: custom }) => stage === 'customer' && custom.plan === 'team')).toBe(true)
    expect((await get<Page>(crm, '/contacts?email=nobody')).data).toEqual([])
  })

  test('takes fields of the workspace’s own, and their values', async () => {
    const crm = await start()
    const send = async (method: string, path: string, body: unknown) => {
      const response = await request(crm, path, { method, body: JSON.stringify(body) })
      return { status: response.status, body: await response.json() }
    }
    const options = [{ value: 'gold', label: 'Gold' }]
    const tier = { name: 'tier', label: 'Tier', type: 'select' }
    expect(await send('POST', '/schema/contacts', { ...tier, options })).toEqual({
      status: 200,
      body: { ...tier, options, custom: true },
    })
    expect((await send('POST', '/schema/contacts', { ...tier, options })).status).toBe(409)
    expect((await send('POST', '/schema/contacts', { ...tier, name: 'cursor', options })).status).toBe(409)
    expect((await send('POST', '/schema/contacts', { ...tier, name: 'x', type: 'list' })).status).toBe(400)
    expect((await send('PATCH', '/schema/contacts/tier', { label: 'Level' })).body).toMatchObject({
      label: 'Level',
      options,
    })
    expect((await send('PATCH', '/schema/contacts/email', { label: 'E-mail' })).status).toBe(404)
    const custom_fields = { tier: 'gold' }
    expect((await send('PATCH', '/contacts/con_0000001', { custom_fields })).body).toMatchObject({ custom_fields })
    expect((await get<Page>(crm, '/contacts?tier=gold')).data).toMatchObject([{ id: 'con_0000001' }])
  })

  test.each([undefined, 'demo-kez', 'demo-key2'])('answers 401 to the key %s', async (key) => {
    const crm = await start()
    const response = await fetch(`${crm.url}/me`, key ? { headers: { 'x-api-key': key } } : {})
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: { code: 'unauthorized' } })
    expect(crm.counters()).toMatchObject({ requests: 1, unauthorized: 1 })
  })

  test.each([
    [404, 'GET', '/nothing'],
    [404, 'GET', '/contacts/con_0001001'],
    [404, 'GET', '/contacts/__proto__'],
    [404, 'GET', '/contacts/con_0000001/notes'],
    [404, 'PATCH', '/contacts/con_0001001'],
    [404, 'DELETE', '/contacts/con_0001001'],
  ])('answers %d to %s %s', async (status, method, path) => {
    const response = await request(await start(), path, { method, body: method === 'PATCH' ? '{}' : null })
    expect(response.status).toBe(status)
  })

  test.each([
    ['DELETE', '/contacts', 'GET, POST'],
    ['POST', '/contacts/con_0000001', 'GET, PATCH, DELETE'],
    ['DELETE', '/schema/contacts', 'GET, POST'],
    ['GET', '/schema/contacts/plan', 'PATCH'],
    ['POST', '/companies', 'GET'],
  ])('answers 405 to %s %s, and says %s', async (method, path, allow) => {
    const response = await request(await start(), path, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
  })

  test('answers 429 with whole seconds once the burst is spent, and goes on as time passes', async () => {
    let now = noon
    const crm = await start({ rateLimit: 0.5, rateBurst: 2, clock: () => now })
    expect((await request(crm, '/me')).status).toBe(200)
    expect((await request(crm, '/me')).status).toBe(200)
    const refused = await request(crm, '/contacts')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('2')
    now += 2_000
    expect((await request(crm, '/contacts?limit=7')).status).toBe(200)
    expect((await request(crm, '/me')).status).toBe(429)
    expect(crm.counters()).toMatchObject({ requests: 5, rateLimited: 2, pages: 1, records: 7 })
    crm.setRateLimit(0)
    expect((await request(crm, '/me')).status).toBe(200)
  })

  test('fails as often as it was told to', async () => {
    const crm = await start()
    crm.failNext(2, 503)
    const statuses = []
    for (let turn = 0; turn < 3; turn++) statuses.push((await request(crm, '/me')).status)
    expect(statuses).toEqual([503, 503, 200])
    expect(crm.counters().failed).toBe(2)
  })

  test('closes with connections open, and frees its port', async () => {
    const crm = await start()
    await request(crm, '/me')
    const idle = connect(crm.port, '127.0.0.1')
    await new Promise((resolve) => idle.once('connect', resolve))
    const ended = new Promise((resolve) => idle.once('close', resolve))
    idle.on('error', () => {})
    await crm.close()
    await crm.close()
    await ended
    await start({ port: crm.port })
    await expect(start({ port: crm.port })).rejects.toThrow('EADDRINUSE')
  })
})
