import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiEndpoints, commonEndpoints } from './features/index.ts'
import { startTestApp, type TestApp } from './testkit/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

interface Document {
  openapi: string
  info: { version: string }
  paths: Record<
    string,
    Record<string, { operationId: string; description?: string; responses: Record<string, unknown> }>
  >
  components: {
    schemas: Record<string, unknown>
    responses: Record<string, unknown>
    securitySchemes: Record<string, unknown>
  }
}

describe('the OpenAPI document of the service', () => {
  it('is valid OpenAPI 3.1, version 1.0.0', async () => {
    const { status, body } = await app.call<Document>('GET', '/openapi.json', undefined, { apiKey: null })
    expect(status).toBe(200)
    expect(body.openapi).toBe('3.1.0')
    expect(body.info.version).toBe('1.0.0')
    const result = await new Validator().validate({ ...structuredClone(body) })
    expect(result.errors ?? []).toEqual([])
  })

  it('holds every operation once, under the path that answers', async () => {
    const { body } = await app.call<Document>('GET', '/openapi.json')
    const ids = Object.values(body.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    const declared = [...commonEndpoints, ...apiEndpoints].map(({ declaration }) => declaration.id)
    expect(ids.sort()).toEqual(declared.sort())
    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(body.paths)).toContain('/v1/projects/{projectIdOrName}/integrations:batch')
    expect(Object.keys(body.paths)).toContain(
      '/read/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}:pause',
    )
  })

  it('describes a problem for whatever else an operation answers', async () => {
    const { body } = await app.call<Document>('GET', '/openapi.json')
    const resolved = (response: unknown) =>
      body.components.responses[String((response as { $ref?: string }).$ref).replace('#/components/responses/', '')]
    for (const item of Object.values(body.paths)) {
      for (const { responses } of Object.values(item))
        expect(JSON.stringify(resolved(responses['default']))).toContain('/schemas/Problem')
    }
  })
})
