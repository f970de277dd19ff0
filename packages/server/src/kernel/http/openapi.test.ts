import { Validator } from '@seriousme/openapi-schema-validator'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import {
  Empty,
  Enum,
  FreeForm,
  MapOf,
  named,
  openapiDocument,
  operation,
  Path,
  ProjectPath,
  problem,
  Ref,
  reply,
  Timestamp,
} from './index.ts'
import type { Operation } from './operation.ts'
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
const operations = [
  operation({
    id: 'createThing',
    method: 'POST',
    path: '/projects/{projectIdOrName}/things:generate',
    access: 'full',
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
  operation({
    id: 'testThing',
    method: 'POST',
    path: '/projects/{projectIdOrName}/things/{thingId}:test',
    access: 'frontend',
    summary: 'Tests a thing.',
    tag: 'Things',
    extension: true,
    params: Path({ thingId: Ref, ...ProjectPath.properties }),
    body: Group,
    bodyOptional: true,
    reply: { 204: Empty },
    run: async () => reply(204, null),
  }),
  operation({
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
  operation({
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
] as Operation[]

const document = () => JSON.parse(JSON.stringify(openapiDocument(operations, 'https://mortise.example.com')))

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

test('an operation tells its parameters, body, answers and problems', () => {
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
    ],
    requestBody: { required: true, content: { 'application/json': { schema: thing } } },
    responses: {
      201: { content: { 'application/json': { schema: thing } } },
      409: {
        description: 'Problem: name-taken.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
      default: { content: { 'application/problem+json': {} } },
    },
  })
  const { post } = document().paths['/v1/projects/{projectIdOrName}/things/{thingId}:test']
  expect(post.parameters.map((parameter: { name: string }) => parameter.name)).toEqual(['projectIdOrName', 'thingId'])
  expect(post).toMatchObject({ 'x-mortise-extension': true, requestBody: { required: false } })
  expect(post.responses[204]).not.toHaveProperty('content')
})

test('who may call is told: either key, or anybody', () => {
  const { security, components, paths } = document()
  expect(security).toEqual([{ APIKeyHeader: [] }, { Bearer: [] }])
  expect(components.securitySchemes).toMatchObject({
    APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    Bearer: { type: 'http', scheme: 'bearer' },
  })
  expect(paths['/files/{fileId}'].get.security).toEqual([])
  expect(paths['/files/{fileId}'].get.responses[200].content).toHaveProperty('text/plain')
  expect(paths['/files/{fileId}'].put.requestBody.content).toHaveProperty('application/octet-stream')
  expect(paths['/v1/projects/{projectIdOrName}/things:generate'].post).not.toHaveProperty('security')
})

test('two schemas of one name are refused', () => {
  const clash = named('Group', Type.Object({ other: Type.String() }))
  const more = operation({
    id: 'clash',
    method: 'GET',
    path: '/clash',
    access: 'full',
    summary: 'x',
    tag: 'Things',
    reply: { 200: clash },
    run: async () => reply(200, { other: 'x' }),
  }) as Operation
  expect(() => openapiDocument([...operations, more], 'http://x')).toThrow('Two schemas have the name Group.')
})

test('the service hands the document out to anybody', async () => {
  const server = await startTestServer(operations as Operation<unknown>[])
  const answer = await server.call('GET', '/v1/openapi.json', { key: null })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual(document())
})
