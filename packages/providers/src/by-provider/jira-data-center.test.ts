import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What docs.atlassian.com/software/jira/docs/api/REST shows as answers, as far as the provider file relies on it. */

const issue = (id: number, updated: string) => ({ id: `${id}`, key: `SD-${id}`, fields: { summary: 'A', updated } })
const issues = [issue(1, '2025-12-31T09:00:00.000+0000'), issue(2, '2026-01-02T10:00:00.000+0100')]

/** `jira.search.views.default.max`: Jira shortens longer pages without an error. */
const largestPage = 1

function jira({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const path = pathname.replace('/rest/api/2', '')
  if (path === '/field') {
    const summary = { id: 'summary', name: 'Summary', custom: false, navigable: true, schema: { type: 'string' } }
    const points = { id: 'customfield_1', name: 'Points', custom: true, navigable: true, schema: { type: 'number' } }
    return { body: [summary, points, { id: 'thumbnail', name: 'Images', custom: false, navigable: true }] }
  }
  if (path === '/search') {
    const jql = searchParams.get('jql') ?? ''
    if (jql.includes('unknown'))
      return { status: 400, body: { errorMessages: ["Field 'unknown' does not exist."], errors: {} } }
    if (!jql.endsWith('ORDER BY created ASC, key ASC') || searchParams.get('fields') !== '*all') throw new Error(jql)
    const startAt = Number(searchParams.get('startAt'))
    const maxResults = Math.min(Number(searchParams.get('maxResults')), largestPage)
    return { body: { startAt, maxResults, total: 2, issues: issues.slice(startAt, startAt + maxResults) } }
  }
  if (method === 'POST') {
    const { fields } = JSON.parse(body) as { fields: { summary?: string } }
    return fields.summary === undefined
      ? { status: 400, body: { errorMessages: [], errors: { summary: 'You must specify a summary.' } } }
      : { status: 201, body: { id: '3', key: 'SD-3', self: 'https://jira.example.com/rest/api/2/issue/3' } }
  }
  return { status: 204 }
}

const options = {
  metadata: { instanceUrl: 'https://jira.example.com' },
  credential: { scheme: 'apiKey', apiKey: 'k1' },
} as const

async function idsOf(since?: Date) {
  await using provider = await openProvider('jiraDataCenter', jira, options)
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object: 'issues', fields: ['summary'], pageSize: 2, ...more })).map(
    ({ id }) => id,
  )
  return { ids, jql: provider.seen[0]?.url.searchParams.get('jql') }
}

it('issues are read to the last; a window begins early enough for every time zone', async () => {
  expect(await idsOf()).toEqual({ ids: ['1', '2'], jql: 'ORDER BY created ASC, key ASC' })
  expect(await idsOf(new Date('2026-01-02T09:00:00Z'))).toEqual({
    ids: ['2'],
    jql: 'updated >= "2026-01-01" ORDER BY created ASC, key ASC',
  })
})

it('issues are described, searched, created, changed and deleted; refusals list what is wrong', async () => {
  await using provider = await openProvider('jiraDataCenter', jira, options)
  const { connector, seen } = provider
  const { fields } = await connector.describeObject('issues')
  expect(fields).toMatchObject({ customfield_1: { displayName: 'Points', valueType: 'float', isCustom: true } })
  const search = (field: string) =>
    connector.search({ object: 'issues', fields: 'all', filters: [{ field, operator: 'eq', value: 'a"b' }] })
  await search('project')
  expect(seen.at(-1)?.url.searchParams.get('jql')).toContain('project = "a\\"b" ORDER BY')
  await expect(search('unknown')).rejects.toMatchObject({ providerMessage: "Field 'unknown' does not exist." })
  const record = { summary: 'New', project: { key: 'SD' } }
  expect(await connector.write({ object: 'issues', type: 'create', record })).toMatchObject({ recordId: '3' })
  expect(seen.at(-1)?.body).toBe('{"fields":{"summary":"New","project":{"key":"SD"}}}')
  await connector.write({ object: 'issues', type: 'update', id: '3', record })
  await connector.write({ object: 'issues', type: 'delete', id: '3', record: {} })
  await expect(connector.write({ object: 'issues', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: 'summary: You must specify a summary.' }],
  })
})

it('archived projects are listed, too', async () => {
  await using provider = await openProvider('jiraDataCenter', () => ({ body: [{ id: '1', archived: true }] }), options)
  expect(await readAll(provider.connector, { object: 'projects', fields: ['id'] })).toHaveLength(1)
  expect(provider.seen[0]?.url.searchParams.get('includeArchived')).toBe('true')
})
