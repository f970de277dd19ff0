import { expect, it } from 'vitest'
import { eventNamesOf, parseEvents } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.notion.com/reference shows as answers, as far as the provider file relies on it. */

const source = '248104cd-477e-80af-bc30-000bd28de8f9'
const page = {
  object: 'page',
  id: '59833787-2cf9-4fdf-8782-e53db20768a5',
  created_time: '2026-01-01T19:05:00.000Z',
  last_edited_time: '2026-01-05T19:05:00.000Z',
  in_trash: false,
  parent: { type: 'data_source_id', data_source_id: source },
  url: 'https://www.notion.so/Tuscan-Kale',
  properties: {
    Name: { id: 'title', type: 'title', title: [{ plain_text: 'Tuscan ' }, { plain_text: 'Kale' }] },
    Price: { id: 'BJXS', type: 'number', number: 2.5 },
    'Food group': { id: 'TJmr', type: 'select', select: { id: '96eb', name: 'Vegetable', color: 'green' } },
    Stores: { id: 'mq', type: 'multi_select', multi_select: [{ name: 'Whole Foods' }, { name: 'Gus' }] },
    'Last ordered': { id: 'UsKi', type: 'date', date: { start: '2026-01-02', end: null, time_zone: null } },
    'In stock': { id: 'xp', type: 'checkbox', checkbox: false },
    Photo: { id: 'aTIT', type: 'url', url: null },
    Recipes: { id: 'YfIu', type: 'relation', relation: [{ id: '90eeeed8' }], has_more: false },
  },
}
const old = { ...page, id: 'c1218ae4-80fa-4b34-9cb2-6e9f0d9d9d9d', last_edited_time: '2020-03-17T19:10:00.000Z' }

function list(results: unknown[], next?: string) {
  return { object: 'list', results, next_cursor: next ?? null, has_more: next !== undefined }
}

const block = (id: string, type: string, has_children: boolean) => ({
  object: 'block',
  id,
  type,
  has_children,
  last_edited_time: page.last_edited_time,
})

function notion({ method, url, body }: SeenRequest): Answer {
  const sent = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>
  switch (`${method} ${url.pathname}`) {
    case 'POST /v1/search':
    case `POST /v1/data_sources/${source}/query`:
      return { body: sent['start_cursor'] === 'c2' ? list([old]) : list([page], 'c2') }
    case `GET /v1/data_sources/${source}`: {
      const options = [{ id: '96eb', name: 'Vegetable', color: 'green' }]
      const properties = {
        Name: { id: 'title', name: 'Name', type: 'title', title: {} },
        Price: { id: 'BJXS', name: 'Price', type: 'number', number: { format: 'dollar' } },
        'Food group': { id: 'TJmr', name: 'Food group', type: 'select', select: { options } },
        Stores: { id: 'mq', name: 'Stores', type: 'multi_select', multi_select: { options: [{ name: 'Gus' }] } },
        Ratio: { id: 'Rt', name: 'Ratio', type: 'formula', formula: { expression: '' } },
      }
      return { body: { object: 'data_source', id: source, properties } }
    }
    case `GET /v1/blocks/${page.id}/children`:
      return { body: list([block('b1', 'toggle', true), block('sub-page', 'child_page', true)]) }
    case 'GET /v1/blocks/b1/children':
      return { body: list([block('b1-1', 'column_list', true)]) }
    case 'GET /v1/blocks/b1-1/children':
      return { body: list([block('b1-1-1', 'paragraph', false)]) }
    case `GET /v1/blocks/${old.id}/children`:
      return { status: 404, body: { object: 'error', status: 404, code: 'object_not_found', message: 'Not shared.' } }
    case `GET /v1/pages/${page.id}`:
      return { body: page }
    case `GET /v1/pages/${old.id}`:
      return { body: { ...old, in_trash: true } }
    case 'POST /v1/pages':
    case `PATCH /v1/pages/${page.id}`:
      return { body: { ...page, ...sent } }
    case `PATCH /v1/blocks/${page.id}/children`:
      return { body: list([{ object: 'block', id: 'b2', type: 'paragraph' }]) }
    default: {
      const message = 'body failed validation: body.parent should be defined, instead was `undefined`.'
      return { status: 400, body: { object: 'error', status: 400, code: 'validation_error', message } }
    }
  }
}

const bodies = (seen: readonly SeenRequest[]) =>
  seen.map(({ method, url, body }) => [
    `${method} ${url.pathname}${url.search}`,
    body === '' ? undefined : (JSON.parse(body) as unknown),
  ])

it('pages are searched for, page by page; their properties are fields with plain values', async () => {
  await using provider = await openProvider('notion', notion)
  const request = {
    object: 'pages',
    fields: ['name', 'price', 'food group', 'stores', 'last ordered', 'in stock', 'photo', 'recipes', 'url'],
  }
  const first = await provider.connector.readPage(request)
  expect(first.records).toEqual([
    {
      id: page.id,
      fields: {
        name: 'Tuscan Kale',
        price: 2.5,
        'food group': 'Vegetable',
        stores: ['Whole Foods', 'Gus'],
        'last ordered': '2026-01-02',
        'in stock': false,
        photo: null,
        recipes: ['90eeeed8'],
        url: page.url,
      },
      raw: page,
    },
  ])
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last.nextPage).toBeUndefined()
  const search = {
    filter: { property: 'object', value: 'page' },
    sort: { timestamp: 'last_edited_time', direction: 'descending' },
    page_size: 100,
  }
  expect(bodies(provider.seen)).toEqual([
    ['POST /v1/search', search],
    ['POST /v1/search', { ...search, start_cursor: 'c2' }],
  ])
  expect(provider.seen[0]?.headers).toMatchObject({ authorization: 'Bearer t1', 'notion-version': '2025-09-03' })
})

it('pages that changed end at the first that is older than the window, whose times are cut to the minute', async () => {
  await using provider = await openProvider('notion', notion)
  const request = { object: 'pages', fields: ['name'], since: new Date('2026-01-05T19:05:50Z') }
  const first = await provider.connector.readPage(request)
  expect(first.records).toHaveLength(1)
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [], nextPage: undefined })
})

it('the pages of a data source are an object of their own, filtered by the API, with its properties as fields', async () => {
  await using provider = await openProvider('notion', notion)
  const window = { since: new Date('2026-01-05T00:01:00Z'), until: new Date('2026-01-06T00:00:00Z') }
  const { records } = await provider.connector.readPage({ object: source, fields: ['name'], ...window })
  expect(records[0]).toMatchObject({ id: page.id, fields: { name: 'Tuscan Kale' } })
  await provider.connector.readPage({ object: source, fields: ['name'] })
  expect(bodies(provider.seen).map(([, body]) => body)).toEqual([
    {
      filter: {
        and: [
          { timestamp: 'last_edited_time', last_edited_time: { on_or_after: '2026-01-05T00:00:00.000Z' } },
          { timestamp: 'last_edited_time', last_edited_time: { on_or_before: '2026-01-06T00:00:00.000Z' } },
        ],
      },
      sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
      page_size: 100,
    },
    { sorts: [{ timestamp: 'created_time', direction: 'ascending' }], page_size: 100 },
  ])
  expect((await provider.connector.describeObject(source)).fields).toMatchObject({
    last_edited_time: { valueType: 'datetime', readOnly: true },
    Name: { valueType: 'string', providerType: 'title', isCustom: true },
    Price: { valueType: 'float' },
    'Food group': { valueType: 'singleSelect', values: [{ value: 'Vegetable', displayValue: 'Vegetable' }] },
    Stores: { valueType: 'multiSelect', values: [{ value: 'Gus', displayValue: 'Gus' }] },
  })
})

it('the pages of a data source are searched by its properties, as their types want it', async () => {
  await using provider = await openProvider('notion', notion)
  const search = async (...filters: [string, string | number][]) =>
    provider.connector.search({
      object: source,
      fields: ['name'],
      filters: filters.map(([field, value]) => ({ field, operator: 'eq', value })),
    })
  const { records } = await search(['name', 'Tuscan Kale'], ['Price', 2.5], ['stores', 'Gus'])
  expect(records).toMatchObject([{ id: page.id, fields: { name: 'Tuscan Kale' } }])
  await expect(search(['Cost', 1])).rejects.toMatchObject({ class: 'bad_request' })
  await expect(search(['url', page.url])).rejects.toMatchObject({ class: 'bad_request' })
  await expect(search(['Ratio', 1])).rejects.toMatchObject({ message: expect.stringContaining('"Ratio"') as string })
  expect(bodies(provider.seen).map(([what]) => what)).toEqual([
    `GET /v1/data_sources/${source}`,
    `POST /v1/data_sources/${source}/query`,
  ])
  expect(bodies(provider.seen).at(-1)?.[1]).toEqual({
    filter: {
      and: [
        { property: 'Name', title: { equals: 'Tuscan Kale' } },
        { property: 'Price', number: { equals: 2.5 } },
        { property: 'Stores', multi_select: { contains: 'Gus' } },
      ],
    },
    sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
    page_size: 100,
  })
})

it('pages and data sources are searched by their titles; those that only resemble are left out', async () => {
  const longer = {
    ...page,
    id: 'p2',
    properties: { Dish: { type: 'title', title: [{ plain_text: 'Tuscan Kale Soup' }] } },
  }
  const table = { object: 'data_source', id: source, title: [{ plain_text: 'Gro' }, { plain_text: 'ceries' }] }
  await using provider = await openProvider('notion', ({ body }) => ({
    body: list((JSON.parse(body) as { query: string }).query === 'Groceries' ? [table] : [longer, page], 'c2'),
  }))
  const search = async (object: string, field: string, value: string) =>
    provider.connector.search({ object, fields: [field], filters: [{ field, operator: 'eq', value }] })
  expect((await search('pages', 'title', 'Tuscan Kale')).records).toEqual([
    { id: page.id, fields: { title: 'Tuscan Kale' }, raw: page },
  ])
  expect((await search('data_sources', 'name', 'Groceries')).records).toMatchObject([
    { id: source, fields: { name: 'Groceries' } },
  ])
  await expect(search('pages', 'url', page.url)).rejects.toMatchObject({ class: 'bad_request' })
  expect(bodies(provider.seen)[0]).toEqual([
    'POST /v1/search',
    {
      query: 'Tuscan Kale',
      filter: { property: 'object', value: 'page' },
      sort: { timestamp: 'last_edited_time', direction: 'descending' },
      page_size: 100,
    },
  ])
})

it('blocks are read page by page of the account, with those inside of them; a page that was taken away is passed over', async () => {
  await using provider = await openProvider('notion', notion)
  const { records, nextPage } = await provider.connector.readPage({ object: 'blocks', fields: ['type'] })
  expect(records.map(({ id }) => id)).toEqual(['b1', 'sub-page', 'b1-1', 'b1-1-1'])
  expect(nextPage).toBeUndefined()
})

it('pages are made, changed and put into the trash, blocks appended', async () => {
  await using provider = await openProvider('notion', notion)
  const { connector } = provider
  const record = {
    properties: { Name: { title: [{ text: { content: 'Kale' } }] } },
    "$['properties']['Price']['number']": 3,
  }
  expect(await connector.write({ object: source, type: 'create', record })).toMatchObject({ recordId: page.id })
  await connector.write({ object: 'pages', type: 'update', id: page.id, record: { icon: { emoji: '🥬' } } })
  await connector.write({ object: 'pages', type: 'delete', id: page.id, record: {} })
  const paragraph = { parent_id: page.id, paragraph: { rich_text: [{ text: { content: 'Fresh' } }] } }
  expect(await connector.write({ object: 'blocks', type: 'create', record: paragraph })).toMatchObject({
    recordId: 'b2',
  })
  expect(bodies(provider.seen)).toEqual([
    [
      'POST /v1/pages',
      {
        properties: { Name: { title: [{ text: { content: 'Kale' } }] }, Price: { number: 3 } },
        parent: { type: 'data_source_id', data_source_id: source },
      },
    ],
    [`PATCH /v1/pages/${page.id}`, { icon: { emoji: '🥬' } }],
    [`PATCH /v1/pages/${page.id}`, { in_trash: true }],
    [`PATCH /v1/blocks/${page.id}/children`, { children: [{ paragraph: paragraph.paragraph }] }],
  ])
  expect(connector.canWrite('databases', 'create')).toBe(true)
})

it('a page in the trash, which the API still returns, does not exist', async () => {
  await using provider = await openProvider('notion', notion)
  expect(await provider.connector.fetchRecord('pages', page.id, ['url'])).toMatchObject({ id: page.id })
  expect(await provider.connector.fetchRecord('pages', old.id, ['url'])).toBeUndefined()
})

it('a refusal is told in the words of the provider', async () => {
  await using provider = await openProvider('notion', notion, { credential: { scheme: 'apiKey', apiKey: 'ntn_1' } })
  await expect(
    provider.connector.write({ object: 'comments', type: 'create', record: { rich_text: [] } }),
  ).rejects.toMatchObject({ class: 'bad_request', providerMessage: expect.stringContaining('body.parent') as string })
  expect(provider.seen[0]?.headers['authorization']).toBe('Bearer ntn_1')
})

it('a data source with more pages than a query returns is read to its end, each page once', async () => {
  const all = Array.from({ length: 10_050 }, (_, index) => ({
    object: 'page',
    id: `p${index}`,
    created_time: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 20) * 60_000).toISOString(),
    properties: {},
  }))
  await using provider = await openProvider('notion', ({ body }): Answer => {
    const query = JSON.parse(body) as {
      filter?: { and: { created_time: { on_or_after: string } }[] }
      start_cursor?: string
    }
    const from = query.filter?.and[0]?.created_time.on_or_after ?? ''
    const found = all.filter(({ created_time }) => created_time >= from).slice(0, 10_000)
    const at = Number(query.start_cursor ?? 0)
    const hasMore = at + 100 < found.length
    const next_cursor = hasMore ? String(at + 100) : null
    return { body: { results: found.slice(at, at + 100), has_more: hasMore, next_cursor } }
  })
  const read = await readAll(provider.connector, { object: source, fields: ['id'] })
  expect(read.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
})

// As in developers.notion.com/reference/webhooks-events-delivery.
it('a deleted comment is a deletion', async () => {
  await using provider = await openProvider('notion', notion)
  const { webhooks } = provider.entry.file ?? {}
  if (webhooks === undefined) throw new Error('no webhooks')
  const event = { id: 'e1', type: 'comment.deleted', workspace_id: 'w1', entity: { id: 'c1', type: 'comment' } }
  expect(parseEvents(webhooks, event, {})).toMatchObject([{ name: 'comment.deleted', id: 'c1', account: 'w1' }])
  expect(eventNamesOf(webhooks, 'comments')?.delete).toEqual(['comment.deleted'])
})
