import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

it('an account of SendGrid in the EU is reached at its own host, and any other where it was before', async () => {
  await using provider = await openProvider('sendGrid', () => ({ body: [] }))
  const origin = (metadata: Record<string, string>) => proxyBase(provider.entry, { metadata }).origin
  expect(origin({})).toBe('https://api.sendgrid.com')
  expect(origin({ apiHost: 'api.eu.sendgrid.com' })).toBe('https://api.eu.sendgrid.com')
})

it('subusers are read with their region, which SendGrid leaves out unless asked', async () => {
  await using provider = await openProvider('sendGrid', () => ({ body: [] }))
  await provider.connector.readPage({ object: 'subusers', fields: ['region'] })
  expect(asked(provider.seen)).toEqual(['GET /v3/subusers?include_region=true&limit=500&offset=0'])
})

it('segments of the first version are read and deleted, and no others are made', async () => {
  await using provider = await openProvider('sendGrid', () => ({ body: {} }))
  const { connector, seen } = provider
  await connector.write({ object: 'segments', type: 'delete', id: 's1', record: {} })
  expect(asked(seen)).toEqual(['DELETE /v3/marketing/segments/s1'])
  const made = connector.write({ object: 'segments', type: 'create', record: { name: 'A' } })
  await expect(made).rejects.toMatchObject({ class: 'unsupported_object' })
  await connector.write({ object: 'segments_v2', type: 'create', record: { name: 'A' } }).catch(() => {})
  expect(asked(seen).at(-1)).toBe('POST /v3/marketing/segments/2.0 {"name":"A"}')
})

it('all contacts come from the files of an export, and those that did not change are left out', async () => {
  const file = (...rows: string[]) => ({
    body: gzipSync(['"EMAIL","UPDATED_AT","CONTACT_ID","plan"', ...rows, ''].join('\n')),
  })
  const sendGrid = ({ method, url: { pathname } }: SeenRequest): Answer => {
    if (method === 'POST') return { status: 202, body: { id: 'x1' } }
    if (pathname === '/file-1') return file('"a@example.com","2026-01-01T00:00:00Z","c1","free"')
    if (pathname === '/file-2') return file('"b@example.com","2026-03-01T00:00:00Z","c2",""')
    if (pathname.endsWith('/contacts/c2'))
      return { body: { id: 'c2', email: 'b@example.com', custom_fields: { plan: 'pro' } } }
    if (pathname.endsWith('/field_definitions'))
      return { body: { custom_fields: [{ id: 'f1', name: 'plan', field_type: 'Text' }] } }
    return {
      body: { status: 'ready', expires_at: '2026-04-01T00:00:00Z', contact_count: 2, urls: ['/file-1', '/file-2'] },
    }
  }
  await using provider = await openProvider('sendGrid', sendGrid)
  const { connector } = provider
  const request = { object: 'contacts', fields: ['id', 'email', 'plan'], jobs: true }
  const found = (await readAll(connector, request)).map(({ id, fields }) => ({ id, fields }))
  expect(found).toEqual([
    { id: 'c1', fields: { id: 'c1', email: 'a@example.com', plan: 'free' } },
    { id: 'c2', fields: { id: 'c2', email: 'b@example.com', plan: null } },
  ])
  expect(provider.seen.find(({ method }) => method === 'POST')?.body).toBe('{"file_type":"csv"}')
  const changed = await readAll(connector, { ...request, since: new Date('2026-02-01T00:00:00Z') })
  expect(changed.map(({ id }) => id)).toEqual(['c2'])
  expect(await connector.fetchRecord('contacts', 'c2', ['plan'])).toMatchObject({ id: 'c2', fields: { plan: 'pro' } })
})
