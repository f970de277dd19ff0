import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What typeform.com/developers shows, as far as the provider file relies on it. */

function typeform({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE' || method === 'PATCH') return { status: 204 }
  if (method === 'POST') {
    const given = JSON.parse(body) as { title?: string }
    return given.title === undefined
      ? { status: 400, body: { code: 'VALIDATION_ERROR', description: 'The title is required.' } }
      : { status: 201, body: { id: 'f9', ...given } }
  }
  const size = Number(searchParams.get('page_size'))
  if (pathname === '/forms') {
    const page = Number(searchParams.get('page'))
    if (size > 200) return { status: 400 }
    const items = ['f1', 'f2', 'f3'].slice((page - 1) * size, page * size).map((id) => ({ id }))
    return { body: { items, total_items: 3, page_count: Math.ceil(3 / size) } }
  }
  const form = /^\/forms\/(\w+)\/responses$/.exec(pathname)?.[1]
  if (form === undefined || size > 1000) return { status: 404 }
  // Newest first: the tokens go down.
  const before = Number(searchParams.get('before')?.split('-')[1] ?? 1002)
  const items = Array.from({ length: Math.min(before - 1, size) }, (_, at) => ({ token: `${form}-${before - 1 - at}` }))
  return { body: { items, total_items: before - 1, page_count: Math.ceil((before - 1) / size) } }
}

it('forms are read to the last page', async () => {
  await using provider = await openProvider('typeform', typeform)
  const request = { object: 'forms', fields: ['title'], pageSize: 2 }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['f1', 'f2', 'f3'])
  expect(second.nextPage).toBeUndefined()
})

it('responses of every form are read to the last page, those submitted since', async () => {
  await using provider = await openProvider('typeform', typeform)
  const since = new Date('2026-01-01T01:00:00Z')
  const ids = (await readAll(provider.connector, { object: 'responses', fields: 'all', since })).map(({ id }) => id)
  expect([ids.length, new Set(ids).size]).toEqual([3003, 3003])
  expect(asked(provider.seen).filter((line) => line.includes('/f2/'))).toEqual([
    'GET /forms/f2/responses?page_size=1000&since=1767225600',
    'GET /forms/f2/responses?page_size=1000&before=f2-2&since=1767225600',
  ])
})

it('forms are created and deleted', async () => {
  await using provider = await openProvider('typeform', typeform)
  const { connector, seen } = provider
  const created = await connector.write({ object: 'forms', type: 'create', record: { title: 'Survey' } })
  expect(created.recordId).toBe('f9')
  await connector.write({ object: 'forms', type: 'delete', id: 'f9', record: {} })
  expect(asked(seen)).toEqual(['POST /forms {"title":"Survey"}', 'DELETE /forms/f9'])
  const refused = connector.write({ object: 'forms', type: 'create', record: {} })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'The title is required.' })
})

it('forms and workspaces are updated by a JSON Patch', async () => {
  await using provider = await openProvider('typeform', typeform)
  const { connector, seen } = provider
  await connector.write({ object: 'forms', type: 'update', id: 'f1', record: { title: 'Poll' } })
  await connector.write({ object: 'workspaces', type: 'update', id: 'w1', record: { name: 'Sales' } })
  expect(asked(seen)).toEqual([
    'PATCH /forms/f1 [{"op":"replace","path":"/title","value":"Poll"}]',
    'PATCH /workspaces/w1 [{"op":"replace","path":"/name","value":"Sales"}]',
  ])
})

it('accounts in the EU have another host; others need not name one', async () => {
  await using provider = await openProvider('typeform', () => ({ body: {} }))
  const hostFor = (metadata: Record<string, string>) => proxyBase(provider.entry, { metadata }).host
  expect([hostFor({}), hostFor({ apiHost: 'api.typeform.eu' })]).toEqual(['api.typeform.com', 'api.typeform.eu'])
})
