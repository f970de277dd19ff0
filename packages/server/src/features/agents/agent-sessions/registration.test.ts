import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { callback, type SignInKit, startSignInKit } from './sign-in.testkit.ts'

const publicUrl = 'https://mortise.example'

let app: TestApp
let kit: SignInKit
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PUBLIC_URL: publicUrl } })
  kit = await startSignInKit(app, publicUrl)
})
afterAll(() => app?.stop())

describe('registration', () => {
  const register = async (body: string) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await kit.fetch(`${kit.oauth}/register`, { method: 'POST', headers, body })
    return { status: answer.status, body: (await answer.json()) as { error?: string; error_description?: string } }
  }

  test.each([
    ['no JSON', '{', 'invalid_client_metadata'],
    ['a list', '[]', 'invalid_client_metadata'],
    ['repeated names', '{"client_name":"a","client_name":"b"}', 'invalid_client_metadata'],
    ['no redirect URIs', '{}', 'invalid_redirect_uri'],
    ['a foreign scheme', '{"redirect_uris":["javascript:alert(1)"]}', 'invalid_redirect_uri'],
    ['http', '{"redirect_uris":["http://client.example/"]}', 'invalid_redirect_uri'],
    ['a number', '{"redirect_uris":[7]}', 'invalid_redirect_uri'],
    ['too many', JSON.stringify({ redirect_uris: Array.from({ length: 21 }, () => callback) }), 'invalid_redirect_uri'],
    [
      'another grant',
      JSON.stringify({ redirect_uris: [callback], grant_types: ['client_credentials'] }),
      'invalid_client_metadata',
    ],
    [
      'a name that is no text',
      JSON.stringify({ redirect_uris: [callback], client_name: {} }),
      'invalid_client_metadata',
    ],
  ])('refuses %s', async (_, body, error) => {
    const answer = await register(body)
    expect([answer.status, answer.body.error]).toEqual([400, error])
  })

  test('names all that is wrong, and takes 16 kB', async () => {
    const wrong = await register('{"client_name":7,"grant_types":[],"response_types":[]}')
    for (const name of ['redirect_uris', 'client_name', 'grant_types', 'response_types'])
      expect(wrong.body.error_description).toContain(name)
    expect((await register(JSON.stringify({ x: 'x'.repeat(20_000) }))).status).toBe(413)
  })

  test('is limited, and ends without use', async () => {
    app.clock.advance(3_600_000)
    const answers = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const statuses: number[] = []
        for (let at = 0; at < 22; at++) statuses.push((await register(`{"redirect_uris":["${callback}"]}`)).status)
        return statuses
      }),
    )
    expect(answers.flat()).toContain(429)
    app.clock.advance(3_600_000)
    const used = await kit.tokens()
    const unused = await kit.register()
    app.clock.advance(25 * 3_600_000)
    expect((await kit.authorize(unused)).shown.text).toContain('not registered')
    expect((await kit.authorize(used.clientId)).shown.status).toBe(303)
    app.clock.set(new Date())
  })
})
