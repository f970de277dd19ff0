import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What the recorded answers of Jira do not show: what it is asked. */

const site = '/ex/jira/c1/rest/api/3'
const open = (answer: (request: SeenRequest) => Answer) =>
  openProvider('atlassian', answer, { module: 'jira', metadata: { workspace: 'acme', cloudId: 'c1' } })

it('a search is bounded, goes on by its token, and asks for all fields unless some are wanted', async () => {
  await using at = await open(({ url }) => ({
    body: url.searchParams.has('nextPageToken')
      ? { issues: [{ id: '2', key: 'A-2', fields: {} }], isLast: true }
      : { issues: [{ id: '1', key: 'A-1', fields: { summary: 'One' } }], nextPageToken: 'n' },
  }))
  const first = await at.connector.readPage({ object: 'issues', fields: 'all', pageSize: 1 })
  expect(first.records).toMatchObject([{ id: '1', fields: { key: 'A-1', summary: 'One' } }])
  const rest = { object: 'issues', fields: ['summary'], page: first.nextPage ?? '' }
  expect((await at.connector.readPage(rest)).nextPage).toBeUndefined()
  const bounded = 'jql=created >= "1970-01-01" ORDER BY key'
  expect(asked(at.seen)).toEqual([
    `GET ${site}/search/jql?${bounded}&fields=*all&maxResults=1`,
    `GET ${site}/search/jql?${bounded}&fields=summary&maxResults=100&nextPageToken=n`,
  ])
})

it('windows are numbers, which no time zone bends, and values of filters stay values', async () => {
  await using at = await open(() => ({ body: { issues: [] } }))
  const since = new Date('2026-01-01T00:01:00Z')
  const until = new Date('2026-01-02T00:00:00Z')
  const filters = [{ field: 'status', operator: 'eq', value: 'To "do" OR 1 = 1' }] as const
  await at.connector.readPage({ object: 'issues', fields: ['summary'], since, until, filters })
  expect(at.seen[0]?.url.searchParams.get('jql')).toBe(
    'updated >= 1767225600000 AND updated <= 1767312000000 AND status = "To \\"do\\" OR 1 = 1" ORDER BY key',
  )
})

it('of issues that are made together, each is told what is wrong with it', async () => {
  await using at = await open(() => ({
    status: 201,
    body: {
      issues: [{ id: '7', key: 'A-7' }],
      errors: [
        {
          status: 400,
          elementErrors: { errorMessages: [], errors: { project: 'No such project' } },
          failedElementNumber: 0,
        },
      ],
    },
  }))
  const items = [{ record: { summary: 'One' } }, { record: { summary: 'Two' } }]
  const result = await at.connector.writeBatch({ object: 'issues', type: 'create', items, allOrNone: false })
  expect(result).toMatchObject({ status: 'partial', successCount: 1, failureCount: 1 })
  expect(result.results).toMatchObject([
    { success: false, errors: [{ message: 'project: No such project' }] },
    { success: true, recordId: '7' },
  ])
  expect(asked(at.seen)).toEqual([
    `POST ${site}/issue/bulk {"issueUpdates":[{"fields":{"summary":"One"}},{"fields":{"summary":"Two"}}]}`,
  ])
})

it('comments are read of the issues that changed, and only those that did themselves', async () => {
  await using at = await open(({ url }) => ({
    body: url.pathname.endsWith('/comment')
      ? {
          comments: [
            { id: '10', updated: '2026-01-03T00:00:00.000+0000' },
            { id: '11', updated: '2025-01-03T00:00:00.000+0000' },
          ],
        }
      : { issues: [{ id: '1' }] },
  }))
  const since = new Date('2026-01-01T00:01:00Z')
  const { records } = await at.connector.readPage({ object: 'comments', fields: 'all', since })
  expect(records.map(({ id }) => id)).toEqual(['10'])
  expect(asked(at.seen)).toEqual([
    `GET ${site}/search/jql?jql=updated >= 1767225600000 ORDER BY key&fields=id&maxResults=100`,
    `GET ${site}/issue/1/comment?startAt=0&maxResults=100`,
  ])
})

it('deleted worklogs are listed page by page, whatever host the next page names', async () => {
  const next = 'https://acme.atlassian.net/rest/api/3/worklog/deleted?since=1767229200000'
  await using at = await open(({ url }) => {
    if (url.pathname.endsWith('/search/jql')) return { body: { issues: [], isLast: true } }
    return url.searchParams.get('since') === '1767229200000'
      ? { body: { values: [{ worklogId: 8, updatedTime: 1_767_229_300_000 }], lastPage: true } }
      : { body: { values: [{ worklogId: 7, updatedTime: 1_767_229_200_000 }], nextPage: next, lastPage: false } }
  })
  const window = { since: new Date('2026-01-01T00:02:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  const found = await readAll(at.connector, { object: 'worklogs', fields: ['id'], ...window, deletions: true })
  expect(found.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['7', true],
    ['8', true],
  ])
  expect(asked(at.seen).slice(1)).toEqual([
    `GET ${site}/worklog/deleted?since=1767225600000`,
    `GET ${site}/worklog/deleted?since=1767229200000`,
  ])
})

it('archived projects are listed, too', async () => {
  await using at = await open(() => ({ body: { values: [], isLast: true } }))
  await at.connector.readPage({ object: 'projects', fields: ['id'] })
  expect(at.seen[0]?.url.searchParams.getAll('status')).toEqual(['live', 'archived'])
})

it('boards of Jira Service Management are listed, too', async () => {
  await using at = await open(({ url }) => {
    const types = url.searchParams.getAll('projectTypeLocation')
    const values = [{ id: 1, type: 'scrum' }, ...(types.includes('service_desk') ? [{ id: 2, type: 'simple' }] : [])]
    return { body: { values: types.length === 1 ? [] : values, isLast: true } }
  })
  const { records } = await at.connector.readPage({ object: 'boards', fields: ['type'] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  expect(at.seen[0]?.url.pathname).toBe('/ex/jira/c1/rest/agile/1.0/board')
})
