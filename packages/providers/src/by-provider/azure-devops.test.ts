import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** Requests that learn.microsoft.com/rest/api/azure/devops shows. */

const options = {
  metadata: { organization: 'fabrikam' },
  credential: { scheme: 'basic', username: '', password: 'token' },
} as const

it('work items are listed by a query and read one by one', async () => {
  await using devops = await openProvider(
    'azureDevops',
    ({ method, url }) =>
      method === 'POST'
        ? {
            body: {
              queryType: 'flat',
              workItems: [{ id: 300, url: 'https://dev.azure.com/fabrikam/_apis/wit/workItems/300' }],
            },
          }
        : {
            body: { id: 300, rev: 1, fields: { 'System.Title': 'Phone number', 'System.State': 'New' }, url: url.href },
          },
    options,
  )
  const request = { object: 'workItems', fields: ['System.Title', 'rev'], since: new Date('2026-01-01T00:00:00Z') }
  const records = await readAll(devops.connector, request)
  expect(records).toMatchObject([{ id: '300', fields: { 'system.title': 'Phone number', rev: 1 } }])
  expect(asked(devops.seen)).toEqual([
    'POST /fabrikam/_apis/wit/wiql?$top=200&timePrecision=true&api-version=7.1 ' +
      '{"query":"SELECT [System.Id] FROM WorkItems WHERE [System.ChangedDate] >= \'2026-01-01T00:00:00.000Z\' ORDER BY [System.Id]"}',
    'GET /fabrikam/_apis/wit/workitems/300?api-version=7.1',
  ])
})

it('a change of a work item is a JSON Patch', async () => {
  await using devops = await openProvider('azureDevops', () => ({ body: { id: 300 } }), options)
  const record = { 'System.Title': 'Phone number', 'Custom.a/b~c': null }
  const { connector, seen } = devops
  expect(await connector.write({ object: 'workItems', type: 'update', id: '300', record })).toMatchObject({
    recordId: '300',
  })
  expect(seen[0]?.headers['content-type']).toBe('application/json-patch+json')
  expect(asked(seen)).toEqual([
    'PATCH /fabrikam/_apis/wit/workitems/300?api-version=7.1 ' +
      '[{"op":"add","path":"/fields/System.Title","value":"Phone number"},{"op":"add","path":"/fields/Custom.a~1b~0c","value":null}]',
  ])
  expect(connector.unsentFields('workItems', 'update', [record], { batch: false })).toEqual([])
})

it('a work item is made in its project, with its type', async () => {
  await using devops = await openProvider('azureDevops', () => ({ body: { id: 301 } }), options)
  const record = { project: 'Fabrikam', type: 'User Story', 'System.Title': 'Call' }
  const written = await devops.connector.write({ object: 'workItems', type: 'create', record })
  expect(written).toMatchObject({ recordId: '301' })
  expect(asked(devops.seen)).toEqual([
    'POST /fabrikam/Fabrikam/_apis/wit/workitems/$User%20Story?api-version=7.1 ' +
      '[{"op":"add","path":"/fields/System.Title","value":"Call"}]',
  ])
})

it('repositories have hidden ones, and teams are read to the last page', async () => {
  await using devops = await openProvider('azureDevops', () => ({ body: { value: [{ id: 'a' }], count: 1 } }), options)
  await readAll(devops.connector, { object: 'repositories', fields: [] })
  await readAll(devops.connector, { object: 'teams', fields: [] })
  expect(asked(devops.seen)).toEqual([
    'GET /fabrikam/_apis/git/repositories?includeHidden=true&api-version=7.1',
    'GET /fabrikam/_apis/teams?$top=100&$skip=0&api-version=7.1-preview.3',
  ])
})
