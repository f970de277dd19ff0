import { checkProviderFiles } from '@mortise/providers/check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { learnFrom } from './index.ts'
import type { Json } from './json-values.ts'
import { passingFile } from './passing-file.ts'

const text = { type: 'string' }
const number = { type: 'integer' }
const object = (properties: object) => ({ type: 'object', properties })
const array = (items: object) => ({ type: 'array', items })
const json = (schema: object) => ({ 200: { content: { 'application/json': { schema } } } })
const query = (name: string, more: object = {}) => ({ in: 'query', name, schema: text, ...more })
const list = (properties: object, parameters: object[] = []) => ({
  get: { parameters, responses: json(array(object(properties))) },
})

/** Learns from paths, and checks the file that is written. */
function learn(paths: object, { inputs = [], ...more }: { inputs?: string[] } & Json = {}) {
  const document = { openapi: '3.0.0', servers: [{ url: 'https://api.example.com' }], paths, ...more }
  const { learned, source } = learnFrom(document, 'a.json', 'acme', inputs)
  const passing = passingFile(learned, source, [])
  expect(checkProviderFiles([{ path: 'acme.yaml', text: passing.text }], [])).toEqual([])
  return { ...passing, file: parse(passing.text), objects: parse(passing.text).objects ?? {} }
}

describe('a list per parent is read where a list has the parents', () => {
  test('of the account, before a list of everything', () => {
    const { objects, unknown } = learn({
      '/orgs/{org}/teams': list({ id: text }),
      '/public/orgs': list({ id: text, login: text }),
      '/user/orgs': list({ id: text, login: text }),
    })
    expect(objects.teams.read).toEqual({
      path: '/orgs/{{parent.login}}/teams',
      each: expect.objectContaining({ path: '/user/orgs', id: 'login' }),
    })
    expect(unknown.join('\n')).toContain('teams: the parents come from /user/orgs: check that they are the right ones')
  })

  test('that two values name', () => {
    const { objects } = learn({
      '/repos/{owner}/{repo}/issues': list({ id: text }),
      '/user/repos': list({ id: text, name: text, owner: object({ login: text }) }),
    })
    expect(objects.issues.read).toEqual({
      path: '/repos/{{parent.owner.login}}/{{parent.name}}/issues',
      each: expect.objectContaining({ path: '/user/repos' }),
    })
  })

  test('by a required parameter', () => {
    const { objects } = learn({
      '/projects': list({ id: text }, [query('per_page')]),
      '/tasks': list({ id: text }, [query('project_id', { required: true }), query('state')]),
    })
    expect(objects.tasks.read).toEqual({
      path: '/tasks',
      query: { project_id: '{{parent.id}}' },
      each: expect.objectContaining({ path: '/projects', query: { per_page: '{{pageSize}}' } }),
    })
  })

  test('and not where the parents lack the value, are a search with words, or are lists per parent, too', () => {
    const { objects, unknown } = learn({
      '/repos/{owner}/{repo}/issues': list({ id: text }),
      '/user/repos': list({ id: text, title: text }),
      '/people/search': list({ id: text }, [query('q', { required: true })]),
      '/people/{person_id}/notes': list({ id: text }),
      '/teams/{team_id}/rooms': list({ id: text }),
      '/rooms/{room_id}/seats': list({ id: text }),
    })
    expect(Object.keys(objects)).toEqual(['repos'])
    expect(unknown.join('\n')).toContain('no list has the values of {owner}, {repo}: /repos/{owner}/{repo}/issues')
  })
})

describe('--input makes a parameter of paths a value that customers enter', () => {
  const paths = {
    '/teams/{team_id}/projects': list({ id: text }),
    '/projects/{project_id}/files': list({ id: text }),
  }
  test('and lists below it are read', () => {
    expect(learn(paths).objects).toEqual({})
    const { file, objects } = learn(paths, { inputs: ['team_id'] })
    expect(file.inputs).toEqual([{ name: 'teamId', displayName: 'team_id' }])
    expect(objects.projects.read.path).toBe('/teams/{{teamId}}/projects')
    expect(objects.files.read).toMatchObject({
      path: '/projects/{{parent.id}}/files',
      each: { path: '/teams/{{teamId}}/projects' },
    })
  })

  test('and all names that no path has are in one error', () => {
    expect(() => learn(paths, { inputs: ['x', 'team_id', 'y'] })).toThrow(
      'No path has the parameter x, y. Choose from: project_id, team_id.',
    )
  })
})

describe('a search is a list where there is no other', () => {
  const found = object({ page: object({ totalPages: number }), animals: array(object({ uid: text })) })
  test('if it has pages and needs no words', () => {
    const { objects, unknown } = learn({
      '/animal': { get: { parameters: [query('uid', { required: true })], responses: json(object({})) } },
      '/animal/search': {
        get: { parameters: [query('pageNumber', { schema: number }), query('name')], responses: json(found) },
      },
      '/plant/search': { get: { parameters: [query('name')], responses: json(found) } },
      '/stones': list({ id: text }),
      '/stones/search': list({ id: text }, [query('page')]),
    })
    expect(Object.keys(objects)).toEqual(['animal', 'stones'])
    expect(objects.animal.read).toMatchObject({ path: '/animal/search', records: 'animals', paging: { kind: 'page' } })
    expect(unknown.join('\n')).toContain('animal: /animal/search is a search: check that it lists every record')
  })

  test('also by POST, with its pages in the body', () => {
    const body = (properties: object, required: string[] = []) => ({
      content: { 'application/json': { schema: { ...object(properties), required } } },
    })
    const answer = json(object({ results: array(object({ id: text })), next_cursor: text }))
    const { objects } = learn({
      '/contacts/search': {
        post: { requestBody: body({ limit: { ...number, maximum: 50 }, cursor: text, filter: {} }), responses: answer },
      },
      '/words/search': { post: { requestBody: body({ q: text, cursor: text }, ['q']), responses: answer } },
    })
    expect(Object.keys(objects)).toEqual(['contacts'])
    expect(objects.contacts.read).toEqual({
      method: 'POST',
      path: '/contacts/search',
      body: { $keep: true, limit: { $value: 'pageSize' }, cursor: { $value: 'cursor' } },
      pageSizeMax: 50,
      records: 'results',
      paging: { kind: 'cursor', next: 'next_cursor' },
    })
  })
})

test('a key that most requests declare as a parameter is the authentication', () => {
  const { file, objects } = learn({
    '/a': list({ id: text }, [query('api_key', { required: true })]),
    '/b': {
      get: { parameters: [{ in: 'header', name: 'X-Api-Key', schema: text }], responses: json(array(object({}))) },
    },
    '/c': list({ id: text }, [query('api_key', { required: true }), query('page')]),
  })
  expect(file.authentication).toEqual([{ scheme: 'apiKey', attach: 'query', name: 'api_key' }])
  expect(objects.a.read).toEqual({ path: '/a' })
})

test('items that several parts of a schema describe have the fields of all', () => {
  const { objects } = learn({
    '/a': {
      get: {
        responses: json({
          allOf: [
            object({ data: array({ type: 'object' }), links: { type: 'object' } }),
            object({ data: array(object({ id: text })) }),
            object({ links: object({ next: { ...text, format: 'uri' } }) }),
          ],
        }),
      },
    },
  })
  expect(objects.a.read).toEqual({ path: '/a', records: 'data', paging: { kind: 'nextUrl', next: 'links.next' } })
  expect(objects.a.fields[0].fields).toEqual({ id: 'string' })
})

test.each([
  ['Results per page (max 50).', 50],
  ['The maximum is 1,000 records.', 1000],
  ['A number between 1 and 200, the default is 20.', 200],
  ['1-100', 100],
  ['At most 25.', 25],
  ['How many.', undefined],
])('the largest page in a description: %s', (description, max) => {
  const { objects } = learn({ '/a': list({ id: text }, [query('limit', { description }), query('offset')]) })
  expect(objects.a.read.pageSizeMax).toBe(max)
})

test('a next page in the response is named where no parameter is known for it', () => {
  const answer = json(object({ data: array(object({ id: text })), next_cursor: text }))
  const { unknown } = learn({ '/a': { get: { parameters: [query('sort')], responses: answer } } })
  expect(unknown).toContain('a: paging unknown: the parameters are sort, and the response has next_cursor')
})

test.each<[string, object, string, object | undefined, string]>([
  ['a default', { ...number, default: 0 }, '', { kind: 'page', first: 0 }, ''],
  ['a default of 1 and a minimum of 0', { ...number, default: 1, minimum: 0 }, '', { kind: 'page' }, ''],
  ['the description', number, 'Zero-based page number', { kind: 'page', first: 0 }, ''],
  ['a minimum', { ...number, minimum: 0 }, '', { kind: 'page', first: 0 }, 'the minimum of page: check'],
  ['the description, with a minimum', { ...number, minimum: 0 }, 'Starting at page `1`.', { kind: 'page' }, ''],
  ['nothing', number, 'The page', { kind: 'page' }, ''],
])('the first page is 0 or 1, by %s', (_, schema, description, paging, note) => {
  const { objects, unknown } = learn({ '/a': list({ id: text }, [query('page', { schema, description })]) })
  expect(objects.a.read.paging).toEqual(paging)
  expect(unknown.join('\n')).toContain(note)
  expect(unknown.join('\n').includes('counted from 0')).toBe(note !== '')
})

test('writes of a list per parent are named as left out', () => {
  const { objects, unknown } = learn({
    '/teams': list({ id: text }),
    '/teams/{team_id}/members': { ...list({ id: text }), post: { responses: json(object({ id: text })) } },
    '/teams/{team_id}/members/{member_id}': { delete: { responses: { 204: {} } } },
  })
  expect(objects.members.write).toBeUndefined()
  expect(unknown).toContain('members: create, delete left out: the path needs {team_id}')
})

test('the message of errors is where most error responses have it', () => {
  const refused = (schema: object) => ({
    get: { responses: { ...json(array(object({ id: text }))), 404: json(schema)[200] } },
  })
  const { file } = learn({
    '/a': refused(object({ title: text })),
    '/b': refused(object({ error: object({ message: text, code: number }) })),
    '/c': refused(object({ error: object({ message: text }), message: text })),
    '/d': refused(object({ code: number })),
  })
  expect(file.errors).toEqual({ message: ['error.message', 'title'] })
})
