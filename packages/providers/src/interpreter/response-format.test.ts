import { expect, it } from 'vitest'
import { openProvider } from '../testing/open-provider.testkit.ts'
import { connected, readAll } from '../testing/things-reader.testkit.ts'
import { parseBody } from './response-format.ts'

const fieldsOf = async (object: string, body: string) => {
  let found: unknown[] = []
  await connected(
    object,
    () => ({ body }),
    async (connector) => {
      found = (await readAll(connector)).flat().map(({ id, fields }) => ({ id, ...fields }))
    },
  )
  return found
}

it('NDJSON: a record for each line, also if it is one or none', async () => {
  const object = 'read: { path: /things, format: ndjson }'
  expect(await fieldsOf(object, '{"id":1,"name":"a"}\r\n\n{"id":2}\n')).toEqual(
    [{ id: '1', name: 'a' }, { id: '2' }].map((one, at) => ({ ...one, id: at + 1 })),
  )
  expect(await fieldsOf(object, '{"id":1}')).toHaveLength(1)
  expect(await fieldsOf(object, '')).toEqual([])
  await expect(fieldsOf(object, '{"id":1}\n{"id"')).rejects.toThrow('instead of NDJSON')
})

it('CSV: a record for each row, by the names of the first', async () => {
  const object = 'read: { path: /things, format: csv }'
  const rows = '\uFEFFid,name,__proto__\r\n007,"Ada, ""Countess""\nof Lovelace",x\r\n8,,y\r\n'
  expect(await fieldsOf(object, rows)).toMatchObject([
    { id: '007', name: 'Ada, "Countess"\nof Lovelace' },
    { id: '8', name: '' },
  ])
  expect(await fieldsOf(object, 'id,name\n')).toEqual([])
  await expect(fieldsOf(object, 'id,name\n1,"open')).rejects.toThrow('instead of CSV')
})

const xml = "read: { path: /things, format: xml, records: users.user, mayLackRecords: true, id: '@id' }"

it('XML: elements and attributes, of one record, of several and of none', async () => {
  const two = `<?xml version="1.0"?><a:users xmlns:a="urn:a"><a:user id="007"><name>A &amp; B &#233;</name></a:user>
    <a:user id="8"><name><![CDATA[<b>]]></name></a:user></a:users>`
  expect(await fieldsOf(xml, two)).toEqual([
    { id: '007', '@id': '007', name: 'A & B é' },
    { id: '8', '@id': '8', name: '<b>' },
  ])
  expect(await fieldsOf(xml, '<users><user id="7"><name>x</name></user></users>')).toHaveLength(1)
  expect(await fieldsOf(xml, '<users/>')).toEqual([])
})

it.each([
  [
    'a type definition with entities',
    '<!DOCTYPE users [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><users><user id="1">&b;</user></users>',
  ],
  ['an external type definition', '<!doctype users SYSTEM "http://127.0.0.1/x"><users><user id="1"/></users>'],
  ['an open element', '<users><user id="1"></users>'],
  ['deep nesting', `${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`],
  ['text', 'users'],
])('XML with %s is refused', async (_, body) => {
  await expect(fieldsOf(xml, body)).rejects.toThrow('instead of XML')
})

it('XML: many ordinary entities, long texts and names of the language are values', () => {
  const text = '&amp;'.repeat(50_000)
  expect(parseBody(`<a><b>${text}</b></a>`, 'xml')).toEqual({ a: { b: '&'.repeat(50_000) } })
  parseBody('<a><__proto__><polluted>1</polluted></__proto__></a>', 'xml')
  parseBody('__proto__\nx', 'csv')
  parseBody('{"__proto__":{"polluted":1}}', 'ndjson')
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
})

it('an error in JSON or in XML is told in its words', async () => {
  for (const body of ['{"message":"no such list"}', '<message>no such list</message>'])
    await connected(
      xml,
      () => ({ status: 400, body }),
      async (connector) => {
        await expect(readAll(connector)).rejects.toMatchObject({
          class: 'bad_request',
          providerMessage: 'no such list',
        })
      },
    )
})

it('Mixpanel: events are exported day by day', async () => {
  const line = (id: string, name: string) =>
    JSON.stringify({ event: name, properties: { time: 1602611311, $insert_id: id, plan: 'pro' } })
  await using mixpanel = await openProvider(
    'mixpanel',
    ({ url }) => ({
      body:
        url.searchParams.get('from_date') === '2026-01-02'
          ? `${line('i1', 'Signed up')}\n${line('i2', 'Bought')}\n`
          : '',
    }),
    {
      metadata: { workspace: 'data' },
      credential: { scheme: 'basic', username: 'secret', password: '' },
      now: () => Date.parse('2026-01-03T12:00:00Z'),
    },
  )
  const since = new Date('2026-01-03T00:00:00Z')
  const records: unknown[] = []
  let page: string | undefined
  do {
    const read = await mixpanel.connector.readPage({
      object: 'events',
      fields: ['event', 'plan'],
      since,
      ...(page && { page }),
    })
    records.push(...read.records.map(({ id, fields }) => ({ id, ...fields })))
    page = read.nextPage
  } while (page !== undefined)
  expect(records).toEqual([
    { id: 'i1', event: 'Signed up', plan: 'pro' },
    { id: 'i2', event: 'Bought', plan: 'pro' },
  ])
  expect(mixpanel.seen.map(({ url }) => url.pathname + url.search)).toEqual([
    '/api/2.0/export?from_date=2026-01-02&to_date=2026-01-02',
    '/api/2.0/export?from_date=2026-01-03&to_date=2026-01-03',
  ])
})
