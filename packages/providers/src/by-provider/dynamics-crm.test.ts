import { expect, it } from 'vitest'
import { eventNamesOf } from '../interpreter/webhooks/event-names.ts'
import { parseEvents } from '../interpreter/webhooks/parse-events.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'
import { entryFor } from '../webhook-cases/webhook-case.testkit.ts'

/** What the recorded answers of Dynamics do not show: what it is asked. */

const open = (answer: (request: SeenRequest) => Answer) =>
  openProvider('dynamicsCRM', answer, { metadata: { workspace: 'acme', region: 'crm4' } })
const root = '/api/data/v9.2'

it('records are asked for by window and filter, with the columns that are wanted, or all', async () => {
  await using at = await open(() => ({ body: { value: [{ contactid: 'c1', fullname: 'Ann' }] } }))
  const since = new Date('2026-01-01T00:00:00Z')
  const filters = [{ field: 'lastname', operator: 'eq', value: "O'Hara" }] as const
  const { records } = await at.connector.readPage({ object: 'contacts', fields: ['fullname'], since, filters })
  expect(records).toMatchObject([{ id: 'c1', fields: { fullname: 'Ann' } }])
  await at.connector.readPage({ object: 'contacts', fields: 'all', pageSize: 5 })
  expect(asked(at.seen)).toEqual([
    `GET ${root}/contacts?$select=fullname&$filter=modifiedon ge 2026-01-01T00:00:00.000Z and lastname eq 'O''Hara'`,
    `GET ${root}/contacts`,
  ])
  expect(at.seen[1]?.headers['prefer']).toContain('odata.maxpagesize=5')
})

it('a record that was made is named by a header, and an update makes none', async () => {
  await using at = await open(({ method }) => ({
    status: 204,
    headers: method === 'POST' ? { 'OData-EntityId': `https://acme.test${root}/contacts(9fd4a450-cb0c)` } : {},
  }))
  const record = { lastname: 'Lee' }
  const made = await at.connector.write({ object: 'contacts', type: 'create', record })
  expect(made).toMatchObject({ success: true, recordId: '9fd4a450-cb0c' })
  await at.connector.write({ object: 'contacts', type: 'update', id: '9fd4a450-cb0c', record })
  expect(asked(at.seen)).toEqual([
    `POST ${root}/contacts {"lastname":"Lee"}`,
    `PATCH ${root}/contacts(9fd4a450-cb0c) {"lastname":"Lee"}`,
  ])
  expect(at.seen[1]?.headers['if-match']).toBe('*')
})

it('a table of the customer’s own is described by the name of its set, and its key follows from that', async () => {
  const text = (LogicalName: string) => ({
    LogicalName,
    AttributeTypeName: { Value: 'StringType' },
    IsValidForCreate: true,
    IsCustomAttribute: true,
  })
  const owner = { LogicalName: 'ownerid', AttributeTypeName: { Value: 'OwnerType' }, Targets: ['systemuser', 'team'] }
  const half = { ...text('owneridname'), AttributeOf: 'ownerid' }
  await using at = await open(({ url }) => {
    if (url.pathname.endsWith('/EntityDefinitions'))
      return { body: { value: [{ LogicalName: 'new_project', Attributes: [text('new_name'), owner, half] }] } }
    if (url.pathname.includes('EntityDefinitions')) return { status: 404, body: {} }
    return { body: { value: [{ new_projectid: 'p1', new_name: 'Bridge' }] } }
  })
  const { fields } = await at.connector.describeObject('new_projects')
  expect(fields).toMatchObject({
    new_name: { valueType: 'string', isCustom: true, readOnly: false },
    _ownerid_value: { readOnly: true, referenceTo: ['systemusers', 'teams'] },
  })
  expect(Object.keys(fields)).toHaveLength(2)
  const query = "$select=LogicalName&$filter=EntitySetName eq 'new_projects'&$expand=Attributes"
  expect(asked(at.seen)[0]).toBe(`GET ${root}/EntityDefinitions?${query}`)
  expect(at.seen.filter(({ url }) => url.pathname.endsWith('/EntityDefinitions'))).toHaveLength(1)
  const { records } = await at.connector.readPage({ object: 'new_projects', fields: 'all' })
  expect(records).toMatchObject([{ id: 'p1' }])
})

it.each([
  ['contacts', 'contactid'],
  ['tasks', 'activityid'],
  ['new_projects', 'new_projectid'],
])('more columns of %s than a URL has room for are requested by the ids of the rows', async (object, key) => {
  const names = Array.from({ length: 700 }, (_, at) => `new_a_rather_long_column_name_${at}`)
  const rows = ['c1', 'c2']
  await using at = await open(({ url }) => {
    const columns = url.searchParams.get('$select')?.split(',') ?? []
    const one = /\((\w+)\)$/.exec(url.pathname)?.[1]
    const wanted = rows.filter((id) => one === undefined || id === one)
    const records = wanted.map((id) => ({
      [key]: id,
      ...Object.fromEntries(columns.map((name) => [name, `${id} ${name}`])),
    }))
    const versioned = records.map((record) => ({ ...record, versionnumber: 7 }))
    return { body: one === undefined ? { value: versioned } : versioned[0] }
  })
  const { records } = await at.connector.readPage({ object, fields: names })
  const whole = (id: string) => Object.fromEntries(names.map((name) => [name, `${id} ${name}`]))
  expect(records.map(({ id, fields }) => [id, fields])).toEqual(rows.map((id) => [id, whole(id)]))
  const filters = at.seen.map(({ url }) => url.searchParams.get('$filter'))
  expect(new Set(filters.slice(1))).toEqual(new Set([`${key} eq c1 or ${key} eq c2`]))
  expect(Math.max(...at.seen.map(({ url }) => url.href.length))).toBeLessThan(9_000)
  at.seen.length = 0
  expect((await at.connector.fetchRecord(object, 'c1', names))?.fields).toEqual(whole('c1'))
  expect(at.seen.length).toBeGreaterThan(1)
})

it('the event of a synchronous step, whose deletion can still be undone, deletes nothing', async () => {
  const { webhooks } = (await entryFor('dynamicsCRM')).file ?? {}
  if (webhooks === undefined) throw new Error('no webhooks')
  const deletion = { MessageName: 'Delete', PrimaryEntityName: 'contact', PrimaryEntityId: 'c1' }
  const namesOf = (Mode: number) => parseEvents(webhooks, { ...deletion, Mode }, {}).map(({ name }) => name)
  expect(eventNamesOf(webhooks, 'contacts')?.delete).toEqual(namesOf(1))
  expect(namesOf(0)).toEqual(['contact.Delete.uncommitted'])
})
