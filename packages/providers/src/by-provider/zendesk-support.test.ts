import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/**
 * What developer.zendesk.com/api-reference/introduction/pagination shows as answers: `page[size]` selects pagination by
 * cursor where the page of the object names it. Every other answer has pages by offset.
 */

const origin = 'https://acme.zendesk.com'

/** Names of the records in answers, by path: the lists with cursors, those without, and those without pages. */
const byCursor: Record<string, string> = {
  '/api/v2/community/posts': 'posts',
  '/api/v2/community/topics': 'topics',
  '/api/v2/help_center/articles/labels': 'labels',
  '/api/v2/job_statuses': 'job_statuses',
  '/api/v2/tags': 'tags',
}
const byOffset: Record<string, string> = {
  '/api/v2/bookmarks': 'bookmarks',
  '/api/v2/channels/twitter/monitored_twitter_handles': 'monitored_twitter_handles',
  '/api/v2/custom_objects': 'custom_objects',
  '/api/v2/custom_roles': 'custom_roles',
  '/api/v2/deletion_schedules': 'deletion_schedules',
  '/api/v2/locales': 'locales',
  '/api/v2/queues': 'queues',
  '/api/v2/resource_collections': 'resource_collections',
  '/api/v2/satisfaction_reasons': 'reasons',
  '/api/v2/sharing_agreements': 'sharing_agreements',
  '/api/v2/slas/policies': 'sla_policies',
  '/api/v2/target_failures': 'target_failures',
  '/api/v2/targets': 'targets',
  '/api/v2/ticket_forms': 'ticket_forms',
  '/api/v2/workspaces': 'workspaces',
}

function zendesk({ url: { pathname, searchParams } }: SeenRequest): Answer {
  const record = (id: number) => [{ id, key: `k${id}`, name: `n${id}` }]
  if (pathname === '/api/v2/custom_statuses') return { body: { custom_statuses: [...record(1), ...record(2)] } }
  const size = searchParams.get('page[size]')
  const withCursor = byCursor[pathname]
  if (withCursor !== undefined && size !== null) {
    const last = searchParams.get('page[after]') === 'xxx'
    const next = last ? null : `${origin}${pathname}.json?page[size]=${size}&page[after]=xxx`
    return {
      body: { [withCursor]: record(last ? 2 : 1), meta: { has_more: !last, after_cursor: 'xxx' }, links: { next } },
    }
  }
  const last = searchParams.get('page') === '2'
  const next = `${origin}${pathname}.json?page=2&per_page=${searchParams.get('per_page') ?? 30}`
  const records = withCursor ?? byOffset[pathname] ?? 'unknown'
  return { body: { [records]: record(last ? 2 : 1), next_page: last ? null : next, previous_page: null, count: 2 } }
}

/** Addresses of next pages end in `.json`, as in the documentation. */
const answer = (request: SeenRequest) => {
  const url = new URL(request.url)
  url.pathname = url.pathname.replace('.json', '')
  return zendesk({ ...request, url })
}

async function read(object: string) {
  await using provider = await openProvider('zendeskSupport', answer, { metadata: { workspace: 'acme' } })
  const records = await readAll(provider.connector, { object, fields: ['name'] })
  return { names: records.map(({ raw }) => raw['name']), asked: asked(provider.seen) }
}

it.each([
  ['posts', '/api/v2/community/posts'],
  ['topics', '/api/v2/community/topics'],
  ['articles/labels', '/api/v2/help_center/articles/labels'],
  ['job_statuses', '/api/v2/job_statuses'],
  ['tags', '/api/v2/tags'],
])('%s are read to the last page by cursor', async (object, path) => {
  expect(await read(object)).toEqual({
    names: ['n1', 'n2'],
    asked: [`GET ${path}?page[size]=100`, `GET ${path}.json?page[size]=100&page[after]=xxx`],
  })
})

it.each([
  ['bookmarks', '/api/v2/bookmarks'],
  ['custom_objects', '/api/v2/custom_objects'],
  ['custom_roles', '/api/v2/custom_roles'],
  ['deletion_schedules', '/api/v2/deletion_schedules'],
  ['locales', '/api/v2/locales'],
  ['monitored_twitter_handles', '/api/v2/channels/twitter/monitored_twitter_handles'],
  ['queues', '/api/v2/queues'],
  ['resource_collections', '/api/v2/resource_collections'],
  ['satisfaction_reasons', '/api/v2/satisfaction_reasons'],
  ['sharing_agreements', '/api/v2/sharing_agreements'],
  ['slas/policies', '/api/v2/slas/policies'],
  ['target_failures', '/api/v2/target_failures'],
  ['targets', '/api/v2/targets'],
  ['ticket_forms', '/api/v2/ticket_forms'],
  ['workspaces', '/api/v2/workspaces'],
])('%s are read to the last page by offset', async (object, path) => {
  expect(await read(object)).toEqual({
    names: ['n1', 'n2'],
    asked: [`GET ${path}?per_page=100`, `GET ${path}.json?page=2&per_page=100`],
  })
})

it('custom statuses are read in one request, without a page size', async () => {
  expect(await read('custom_statuses')).toEqual({ names: ['n1', 'n2'], asked: ['GET /api/v2/custom_statuses'] })
})

it('a list by offset ends with an error at the limit of Zendesk, because it may have more', async () => {
  const full = ({ url }: SeenRequest): Answer => {
    const page = Number(url.searchParams.get('page') ?? 1)
    if (page > 100) return { status: 400, body: { error: 'InvalidPaginationDepth' } }
    const next_page = `${origin}/api/v2/ticket_forms.json?page=${page + 1}&per_page=100`
    const ticket_forms = Array.from({ length: 100 }, (_, index) => ({ id: page * 100 + index }))
    return { body: { ticket_forms, next_page } }
  }
  await using provider = await openProvider('zendeskSupport', full, { metadata: { workspace: 'acme' } })
  const reading = readAll(provider.connector, { object: 'ticket_forms', fields: ['name'] })
  await expect(reading).rejects.toMatchObject({ class: 'list_truncated' })
  expect(provider.seen).toHaveLength(100)
})

it('deleted groups are not read, and a request for one by its id shows that it does not exist', async () => {
  const group = { id: 1, name: 'Sales', deleted: true }
  const answer = ({ url }: SeenRequest): Answer => ({
    body: url.pathname === '/api/v2/groups' ? { groups: [], meta: { has_more: false } } : { group },
  })
  await using provider = await openProvider('zendeskSupport', answer, { metadata: { workspace: 'acme' } })
  await readAll(provider.connector, { object: 'groups', fields: ['name'] })
  expect(provider.seen[0]?.url.searchParams.get('exclude_deleted')).toBe('true')
  expect(await provider.connector.fetchRecord('groups', '1', ['name'])).toBeUndefined()
})
