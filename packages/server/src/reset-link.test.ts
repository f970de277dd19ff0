import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createResetLink } from './index.ts'
import { serviceLog } from './kernel/http/index.ts'
import { startTestApp, type TestApp } from './testkit/test-app.ts'
import { signInBuilder } from './testkit/test-builder.ts'

const email = 'only@example.com'
let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await signInBuilder(app, { email, role: 'owner', password: 'correct horse battery' })
})
afterAll(() => app?.stop())

const env = (more: Record<string, string> = {}) => ({
  DATABASE_URL: app.testDatabase.url,
  MORTISE_PUBLIC_URL: 'https://mortise.example.com',
  ...more,
})
const call = async (path: string, body: unknown) => (await app.call('POST', path, body, { apiKey: null })).status

it('the operator makes a link in the database, with which the only owner sets a password once', async () => {
  const { link, ...made } = await createResetLink({ env: env(), email: 'Only@example.com' })
  expect(made).toMatchObject({ email, mailed: false })
  expect(link).toMatch(/^https:\/\/mortise\.example\.com\/signin\/reset\?token=[\w-]{43}$/)
  const system = app.testDatabase.database.system
  const { rows } = await sql`
    select actor_kind, action, resource_id from audit_entries where project_id = ${serviceLog}`.execute(system)
  expect(rows).toEqual([{ actor_kind: 'operator', action: 'createPasswordReset', resource_id: made.builderId }])
  const token = new URL(link).searchParams.get('token')
  const newPassword = 'staple battery horse correct'
  expect(await call('/password-resets:complete', { token, newPassword })).toBe(204)
  expect(await call('/password-resets:complete', { token, newPassword })).toBe(401)
  expect(await call('/sessions', { email, password: newPassword })).toBe(200)
})

it('for nobody, and for who signs in with single sign-on, there is none', async () => {
  await expect(createResetLink({ env: env(), email: 'nobody@example.com' })).rejects.toThrow('There is no account')
  const elsewhere = 'sso@example.com'
  await signInBuilder(app, { email: elsewhere })
  const oidc = {
    MORTISE_OIDC_ISSUER: 'https://id.example.com',
    MORTISE_OIDC_CLIENT_ID: 'mortise',
    MORTISE_OIDC_CLIENT_SECRET: 'secret',
  }
  await expect(createResetLink({ env: env(oidc), email: elsewhere })).rejects.toThrow('single sign-on')
})
