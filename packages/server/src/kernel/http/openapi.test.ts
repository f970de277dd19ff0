import { Validator } from '@seriousme/openapi-schema-validator'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Endpoint } from './endpoint.ts'
import {
  Empty,
  Enum,
  endpoint,
  FreeForm,
  MapOf,
  named,
  openapiDocument,
  PageQuery,
  Path,
  ProjectPath,
  problem,
  Ref,
  reply,
  Timestamp,
} from './index.ts'
import { startTestServer } from './test-server.testkit.ts'

const Group = named('Group', Type.Object({ groupRef: Type.String({ description: 'The group.' }) }))
const Thing = named(
  'Thing',
  Type.Object({
    id: Type.String(),
    group: Type.Optional(Group),
    groups: Type.Array(Group),
    byName: MapOf(Group),
    time: Timestamp,
    free: Type.Optional(FreeForm),
  }),
)
const Taken = problem({
  code: 'name-taken',
  status: 409,
  title: 'Taken',
  detail: 'Taken.',
  retryable: false,
  subsystem: 'things',
})
const endpoints = [
  endpoint({
    id: 'createThing',
    method: 'POST',
    path: '/projects/{projectIdOrName}/things:generate',
    access: 'develop',
    summary: 'Makes a thing.',
    description: 'At length.',
    tag: 'Things',
    params: ProjectPath,
    query: Type.Object({
      destructive: Type.Optional(Type.Boolean({ default: false, description: 'Whether to.' })),
      kind: Enum(['a', 'b'], { description: 'Which.' }),
    }),
    body: Thing,
    reply: { 201: Thing },
    problems: [Taken],
    run: async ({ body }) => reply(201, body),
  }),
  endpoint({
    id: 'testThing',
    method: 'POST',
    path: '/projects/{projectIdOrName}/things/{thingId}:test',
    access: 'frontendView',
    summary: 'Tests a thing.',
    tag: 'Things',
    extension: true,
    params: Path({ thingId: Ref, ...ProjectPath.properties }),
    body: Group,
    bodyOptional: true,
    reply: { 204: Empty },
    run: async () => reply(204, null),
  }),
  endpoint({
    id: 'putFile',
    method: 'PUT',
    path: '//files/{fileId}',
    access: 'public',
    summary: 'Takes a file.',
    tag: 'Files',
    params: Path({ fileId: Ref }),
    accepts: 'binary',
    reply: { 204: Empty },
    run: async () => reply(204, null),
  }),
  endpoint({
    id: 'readFile',
    method: 'GET',
    path: '//files/{fileId}',
    access: 'public',
    summary: 'Gives a file.',
    tag: 'Files',
    params: Path({ fileId: Ref }),
    produces: 'text/plain',
    reply: { 200: Type.String({ description: 'The file.' }) },
    run: async () => reply(200, 'x'),
  }),
  endpoint({
    id: 'listThings',
    method: 'GET',
    path: '/projects/{projectIdOrName}/things',
    access: 'frontendView',
    summary: 'Lists things.',
    tag: 'Things',
    params: ProjectPath,
    query: Type.Object(PageQuery),
    reply: { 200: Type.Array(Thing) },
    run: async () => reply(200, []),
  }),
  endpoint({
    id: 'updateOrg',
    method: 'PATCH',
    path: '/orgs/{orgId}',
    access: 'owner',
    summary: 'Changes an organisation.',
    tag: 'Things',
    params: Path({ orgId: Ref }),
    reply: { 200: Thing },
    run: async () => reply(200, {} as never),
  }),
] as Endpoint[]

const document = () => JSON.parse(JSON.stringify(openapiDocument(endpoints, 'https://mortise.example.com')))

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(document())
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
  expect(document()).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\./),
    info: { version: '1.0.0' },
    servers: [{ url: 'https://mortise.example.com' }],
  })
})

test('paths stand as they are called, verbs included', () => {
  expect(Object.keys(document().paths)).toEqual([
    '/v1/projects/{projectIdOrName}/things:generate',
    '/v1/projects/{projectIdOrName}/things/{thingId}:test',
    '/files/{fileId}',
    '/v1/projects/{projectIdOrName}/things',
    '/v1/orgs/{orgId}',
  ])
  expect(Object.keys(document().paths['/files/{fileId}'])).toEqual(['put', 'get'])
})

test('named schemas are told once, wherever they are used', () => {
  const { schemas } = document().components
  const group = { $ref: '#/components/schemas/Group' }
  expect(schemas.Group).toEqual({
    type: 'object',
    required: ['groupRef'],
    properties: { groupRef: { type: 'string', description: 'The group.' } },
  })
  expect(schemas.Thing.properties).toMatchObject({
    group,
    groups: { type: 'array', items: group },
    byName: { type: 'object', additionalProperties: group },
  })
  expect(Object.keys(schemas).sort()).toEqual(['Group', 'InputValidationIssue', 'Problem', 'Thing'])
  expect(JSON.stringify(document())).not.toContain('~')
})

test('an endpoint tells its parameters, body, answers and problems', () => {
  const thing = { $ref: '#/components/schemas/Thing' }
  expect(document().paths['/v1/projects/{projectIdOrName}/things:generate'].post).toMatchObject({
    operationId: 'createThing',
    summary: 'Makes a thing.',
    description: 'At length.',
    tags: ['Things'],
    parameters: [
      { name: 'projectIdOrName', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'destructive', in: 'query', required: false, description: 'Whether to.' },
      { name: 'kind', in: 'query', required: true, schema: { enum: ['a', 'b'] } },
      { $ref: '#/components/parameters/IdempotencyKey' },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: thing } } },
    responses: {
      201: { content: { 'application/json': { schema: thing } } },
    },
  })
  const { post } = document().paths['/v1/projects/{projectIdOrName}/things/{thingId}:test']
  const names = post.parameters.flatMap((parameter: { name?: string }) => parameter.name ?? [])
  expect(names).toEqual(['projectIdOrName', 'thingId'])
  expect(post).toMatchObject({ 'x-mortise-extension': true, requestBody: { required: false } })
  expect(post.responses[204]).not.toHaveProperty('content')
})

/** The answer of an endpoint to a status, with what it refers to in its place. */
function answerOf(path: string, method: string, status: string) {
  const { paths, components } = document()
  const { $ref } = paths[path][method].responses[status]
  return components.responses[$ref.split('/').at(-1)]
}

test('problems are told by status: those of the endpoint, and those that follow from its shape', () => {
  const path = '/v1/projects/{projectIdOrName}/things:generate'
  const { paths, components } = document()
  expect(Object.keys(paths[path].post.responses)).toEqual([
    '201',
    '400',
    '401',
    '403',
    '404',
    '409',
    '413',
    '415',
    '422',
    '429',
    'default',
  ])
  expect(answerOf(path, 'post', '409')).toMatchObject({
    'x-mortise-problems': ['name-taken', 'idempotency-key-in-use', 'idempotency-key-unfinished'],
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: { 'name-taken': { $ref: '#/components/examples/name-taken' } },
      },
    },
  })
  expect(components.examples['name-taken']).toMatchObject({
    summary: 'Taken',
    value: {
      status: 409,
      detail: 'Taken.',
      context: { code: 'name-taken' },
      href: expect.stringMatching(/name-taken$/),
    },
  })
  expect(Object.keys(paths['/files/{fileId}'].get.responses)).toEqual(['200', '400', '429', 'default'])
})

test('what is described elsewhere fills the gaps, and only those', () => {
  const told = JSON.parse(
    JSON.stringify(
      openapiDocument(endpoints, 'https://mortise.example.com', {
        tags: { Files: 'About files.', Unused: 'Nothing.' },
        words: { groupRef: 'Not this.', id: 'The id.', thingId: 'The thing.' },
        schemas: { Thing: 'A thing.' },
        examples: { createThing: { body: { id: 'a' }, status: 201, answer: { id: 'b' } } },
        webhooks: [
          {
            name: 'told',
            tag: 'Hooks',
            summary: 'Told.',
            description: 'Told.',
            body: Group,
            example: { groupRef: 'a' },
          },
        ],
      }),
    ),
  )
  expect(told.tags).toEqual([{ name: 'Files', description: 'About files.' }, { name: 'Things' }, { name: 'Hooks' }])
  expect(told.components.schemas.Thing).toMatchObject({
    description: 'A thing.',
    properties: { id: { description: 'The id.' } },
  })
  expect(told.components.schemas.Group.properties.groupRef.description).toBe('The group.')
  const { post } = told.paths['/v1/projects/{projectIdOrName}/things:generate']
  expect(post.requestBody.content['application/json'].examples).toEqual({ example: { value: { id: 'a' } } })
  expect(post.responses[201].content['application/json'].examples).toEqual({ example: { value: { id: 'b' } } })
  expect(told.webhooks.told.post.requestBody.content['application/json']).toEqual({
    schema: { $ref: '#/components/schemas/Group' },
    examples: { example: { value: { groupRef: 'a' } } },
  })
})

test('who may call is told: with any credential, as a person who signed in, or anybody', () => {
  const { security, components, paths } = document()
  expect(security).toEqual([{ APIKeyHeader: [] }, { Bearer: [] }])
  expect(components.securitySchemes).toMatchObject({
    APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    Bearer: { type: 'http', scheme: 'bearer' },
  })
  expect(components.securitySchemes.Bearer.description).toMatch(/builder who has signed in.*one consumer/)
  expect(paths['/files/{fileId}'].get.security).toEqual([])
  expect(paths['/v1/orgs/{orgId}'].patch.security).toEqual([{ Bearer: [] }])
  expect(paths['/files/{fileId}'].get.responses[200].content).toHaveProperty('text/plain')
  expect(paths['/files/{fileId}'].put.requestBody.content).toHaveProperty('application/octet-stream')
  expect(paths['/v1/projects/{projectIdOrName}/things:generate'].post).not.toHaveProperty('security')
  expect(paths['/v1/orgs/{orgId}'].patch['x-mortise-callers']).toEqual(['owner'])
})

test('headers of requests and answers are told', () => {
  const { paths, components } = document()
  const list = paths['/v1/projects/{projectIdOrName}/things'].get
  const open = paths['/files/{fileId}'].get
  const change = paths['/v1/orgs/{orgId}'].patch
  const names = ({ headers }: { headers: object }) => Object.keys(headers).toSorted()
  const rate = ['RateLimit', 'RateLimit-Policy']
  expect(names(list.responses[200])).toEqual(['ETag', 'Link', ...rate, 'X-Next-Page-Token', 'X-Request-Id'])
  expect(names(answerOf('/v1/projects/{projectIdOrName}/things', 'get', 'default'))).toEqual([
    ...rate,
    'Retry-After',
    'X-Request-Id',
  ])
  expect(names(list.responses[304])).toEqual(['ETag'])
  expect(names(open.responses[200])).toEqual(['RateLimit', 'RateLimit-Policy', 'X-Request-Id'])
  expect(open.responses).not.toHaveProperty('304')
  expect(names(change.responses[200])).toEqual(['Idempotency-Replayed', ...rate, 'X-Request-Id'])
  const references = (endpoint: { parameters: { $ref?: string }[] }) =>
    endpoint.parameters.flatMap(({ $ref }) => $ref ?? [])
  expect(references(list)).toEqual(['#/components/parameters/IfNoneMatch'])
  expect(references(change)).toEqual(['#/components/parameters/IdempotencyKey'])
  expect(references(open)).toEqual([])
  expect(components.parameters.IdempotencyKey).toMatchObject({ name: 'Idempotency-Key', in: 'header' })
  expect(new RegExp(components.parameters.IdempotencyKey.schema.pattern).test('a b')).toBe(false)
  expect(new RegExp(components.parameters.IdempotencyKey.schema.pattern).test('a-b')).toBe(true)
})

test('two schemas of one name are refused', () => {
  const clash = named('Group', Type.Object({ other: Type.String() }))
  const more = endpoint({
    id: 'clash',
    method: 'GET',
    path: '/clash',
    access: 'develop',
    summary: 'x',
    tag: 'Things',
    reply: { 200: clash },
    run: async () => reply(200, { other: 'x' }),
  }) as Endpoint
  expect(() => openapiDocument([...endpoints, more], 'http://x')).toThrow('Two schemas have the name Group.')
})

test('the service hands the document out to anybody', async () => {
  const server = await startTestServer(endpoints as Endpoint<unknown>[])
  const answer = await server.call('GET', '/v1/openapi.json', { key: null })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual(document())
})
