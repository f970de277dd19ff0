import { expect, it } from 'vitest'
import { eventNamesOf, parseEvents, webhooksOf } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.ashbyhq.com shows as answers, as far as the provider file relies on it. */

const candidate = (id: string, updatedAt: string) => ({ id, name: `Candidate ${id}`, updatedAt })

function ashby({ method, url, body }: SeenRequest): Answer {
  const sent = JSON.parse(body) as { limit?: number; cursor?: string; name?: string; candidateId?: string }
  const refusal = (code: string, message: string): Answer => ({
    body: { success: false, errors: [code], errorInfo: { code, message } },
  })
  if (method !== 'POST') return { status: 404 }
  if ((sent.limit ?? 0) > 100) return refusal('invalid_input', 'limit must be at most 100')
  switch (url.pathname) {
    case '/candidate.list':
      return sent.cursor === 'c1'
        ? {
            body: {
              success: true,
              results: [candidate('b', '2026-01-02T00:00:00Z')],
              moreDataAvailable: false,
              syncToken: 's',
            },
          }
        : {
            body: {
              success: true,
              results: [candidate('a', '2026-01-01T00:00:00Z')],
              moreDataAvailable: true,
              nextCursor: 'c1',
            },
          }
    case '/candidate.create':
      if (sent.name === undefined) return refusal('invalid_input', 'name is required')
      return { body: { success: true, results: { ...candidate('c', ''), ...sent } } }
    case '/candidate.update':
      return { body: { success: true, results: candidate(sent.candidateId ?? '', '') } }
    case '/candidate.info':
      return { body: { success: true, results: candidate('a', '') } }
    case '/department.list':
      return sent.cursor === undefined
        ? { body: { success: true, results: [{ id: 'd', name: 'D' }], moreDataAvailable: true, nextCursor: 'old' } }
        : refusal('next_cursor_expired', 'Start again without a cursor.')
    case '/user.list': // a key that does not exist
      return { status: 403, body: 'Unauthorized' }
    case '/offer.list':
      return { status: 403, body: { success: false, errors: ['missing_endpoint_permission'] } }
    default:
      return refusal('missing_endpoint_permission', 'The key lacks a permission.')
  }
}

const options = { credential: { scheme: 'basic', username: 'k1', password: '' } } as const

async function idsOf(since?: Date) {
  await using provider = await openProvider('ashby', ashby, options)
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object: 'candidate', fields: ['name'], ...more })).map(
    ({ id }) => id,
  )
  return { ids, requests: asked(provider.seen) }
}

it('candidates are read to the last page; what did not change is left out of a window', async () => {
  const { ids, requests } = await idsOf()
  expect(ids).toEqual(['a', 'b'])
  expect(requests).toEqual(['POST /candidate.list {"limit":100}', 'POST /candidate.list {"limit":100,"cursor":"c1"}'])
  expect((await idsOf(new Date('2026-01-01T12:00:00Z'))).ids).toEqual(['b'])
})

it('candidates are created, changed and read by their ids', async () => {
  await using provider = await openProvider('ashby', ashby, options)
  const { connector, seen } = provider
  const record = { name: 'Ada' }
  expect(await connector.write({ object: 'candidate', type: 'create', record })).toMatchObject({ recordId: 'c' })
  const update = await connector.write({ object: 'candidate', type: 'update', id: 'a', record })
  expect(update).toMatchObject({ recordId: 'a' })
  expect((await connector.fetchRecords('candidate', ['a'], ['name'])).get('a')).toMatchObject({ id: 'a' })
  expect(asked(seen)).toEqual([
    'POST /candidate.create {"name":"Ada"}',
    'POST /candidate.update {"name":"Ada","candidateId":"a"}',
    'POST /candidate.info {"id":"a"}',
  ])
})

it('refusals are errors, though their status is 200', async () => {
  await using provider = await openProvider('ashby', ashby, options)
  const { connector } = provider
  const create = connector.write({ object: 'candidate', type: 'create', record: {} })
  await expect(create).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'name is required' })
  await expect(connector.readPage({ object: 'job', fields: 'all' })).rejects.toMatchObject({ class: 'forbidden' })
})

it('a cursor that has expired starts the read again, and a refused key ends the connection', async () => {
  await using provider = await openProvider('ashby', ashby, options)
  const { connector } = provider
  const { nextPage = '' } = await connector.readPage({ object: 'department', fields: ['name'] })
  const second = connector.readPage({ object: 'department', fields: ['name'], page: nextPage })
  await expect(second).rejects.toMatchObject({ class: 'cursor_gone' })
  await expect(connector.readPage({ object: 'user', fields: 'all' })).rejects.toMatchObject({
    class: 'auth_invalidated',
  })
  await expect(connector.readPage({ object: 'offer', fields: 'all' })).rejects.toMatchObject({ class: 'forbidden' })
})

it('a merge changes one candidate and deletes the other', async () => {
  await using provider = await openProvider('ashby', ashby, options)
  const webhooks = webhooksOf(provider.entry, undefined)
  if (webhooks === undefined) throw new Error('no webhooks')
  const merge = { action: 'candidateMerge', data: { deletedCandidate: { id: 'a' }, mergedCandidate: { id: 'b' } } }
  expect(parseEvents(webhooks, merge, {})).toMatchObject([
    { name: 'candidateMerge', id: 'b' },
    { name: 'candidateMerge.merged', id: 'a' },
  ])
  expect(eventNamesOf(webhooks, 'candidate')).toMatchObject({
    update: ['candidateMerge'],
    delete: ['candidateDelete', 'candidateMerge.merged'],
  })
})

it.each([
  ['job', { includeUnpublishedJobPostingsIds: true }],
  ['jobPosting', { includeUnpublishedJobPostings: true }],
  ['location', { includeArchived: true, includeLocationHierarchy: true }],
  ['interviewerPool', { includeArchivedPools: true, includeArchivedTrainingStages: true }],
  ['sourceTrackingLink', { includeDisabled: true }],
])('%s is read with what Ashby leaves out otherwise', async (object, sent) => {
  const answer = () => ({ body: { success: true, results: [], moreDataAvailable: false } })
  await using provider = await openProvider('ashby', answer, options)
  await provider.connector.readPage({ object, fields: ['id'] })
  expect(JSON.parse(provider.seen[0]?.body ?? '')).toMatchObject(sent)
})

it('a search of jobs sends nothing but its condition', async () => {
  await using provider = await openProvider('ashby', () => ({ body: { success: true, results: [] } }), options)
  const filters = [{ field: 'title', operator: 'eq', value: 'Engineer' }] as const
  await provider.connector.search({ object: 'job', fields: ['title'], filters })
  expect(asked(provider.seen)).toEqual(['POST /job.search {"title":"Engineer"}'])
})

it('interview stages are read for each plan', async () => {
  await using provider = await openProvider(
    'ashby',
    ({ url, body }) => {
      const { interviewPlanId = '' } = JSON.parse(body) as { interviewPlanId?: string }
      const results =
        url.pathname === '/interviewPlan.list' ? [{ id: 'p1' }, { id: 'p2' }] : [{ id: `s-${interviewPlanId}` }]
      return { body: { success: true, results, moreDataAvailable: false } }
    },
    options,
  )
  const stages = await readAll(provider.connector, { object: 'interviewStage', fields: ['interviewPlanId'] })
  expect(stages.map(({ id, raw }) => [id, raw['interviewPlanId']])).toEqual([
    ['s-p1', 'p1'],
    ['s-p2', 'p2'],
  ])
})
