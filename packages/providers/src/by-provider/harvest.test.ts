import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What help.getharvest.com/api-v2 shows as answers, as far as the provider file relies on it. */

function harvest({ method, url, headers, body }: SeenRequest): Answer {
  if (headers['harvest-account-id'] !== '7') return { status: 404, body: { message: 'Not found.' } }
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { status: 200 }
  if (method !== 'GET') {
    const sent = JSON.parse(body) as { name?: string }
    return sent.name === ''
      ? { status: 422, body: { message: "Name can't be blank" } }
      : { status: method === 'POST' ? 201 : 200, body: { id: 9, ...sent } }
  }
  if (pathname.endsWith('/task_assignments')) {
    const task_assignments = [{ id: 5, project: { id: 3, name: 'P' }, task: { id: 8 } }]
    return { body: { task_assignments, total_entries: 1, links: { next: null } } }
  }
  const last = searchParams.has('cursor')
  const next = last ? null : 'https://api.harvestapp.com/v2/clients?cursor=abc&per_page=2000'
  return { body: { clients: [{ id: last ? 2 : 1, name: 'A' }], total_entries: 2, links: { next } } }
}

const open = () => openProvider('harvest', harvest, { metadata: { accountId: '7' } })

it('clients are read to the last page, those that changed since a time', async () => {
  await using provider = await open()
  const since = new Date('2026-01-01T00:00:00Z')
  const records = await readAll(provider.connector, { object: 'clients', fields: ['name'], since })
  expect(records).toMatchObject([{ id: '1', fields: { name: 'A' } }, { id: '2' }])
  expect(asked(provider.seen)).toEqual([
    'GET /v2/clients?per_page=2000&updated_since=2025-12-31T23:59:59Z',
    'GET /v2/clients?cursor=abc&per_page=2000',
  ])
})

it('clients are created, changed and deleted; a refusal says why', async () => {
  await using provider = await open()
  const { connector } = provider
  const object = 'clients'
  expect(await connector.write({ object, type: 'create', record: { name: 'B' } })).toMatchObject({ recordId: '9' })
  await connector.write({ object, type: 'update', id: '9', record: { name: 'C' } })
  await connector.write({ object, type: 'delete', id: '9', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /v2/clients {"name":"B"}',
    'PATCH /v2/clients/9 {"name":"C"}',
    'DELETE /v2/clients/9',
  ])
  const refused = connector.write({ object, type: 'create', record: { name: '' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: "Name can't be blank" })
})

it('assignments of tasks are written under their project', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const object = 'task_assignments'
  const { records } = await connector.readPage({ object, fields: ['project_id'] })
  expect(records).toMatchObject([{ id: '3/5', fields: { project_id: 3 } }])
  await connector.write({ object, type: 'update', id: '3/5', record: { hourly_rate: 7 } })
  expect(asked(seen).at(-1)).toBe('PATCH /v2/projects/3/task_assignments/5 {"hourly_rate":7}')
})

it('an authorization needs no scope, and a personal access token connects an account, too', async () => {
  await using provider = await openProvider('harvest', harvest, {
    metadata: { accountId: '7' },
    credential: { scheme: 'apiKey', apiKey: 'k1' },
  })
  await provider.connector.readPage({ object: 'clients', fields: [] })
  expect(provider.seen[0]?.headers['authorization']).toBe('Bearer k1')
  expect(provider.entry.authentication[0]).not.toHaveProperty('scopesRequired')
})
