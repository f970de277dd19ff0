import { sql } from 'kysely'
import { insertBuilder, insertMembership } from '../features/identity/orgs/index.ts'
import { startSession } from '../features/identity/sign-in/index.ts'
import type { OrgRole } from '../kernel/http/index.ts'
import type { TestApp } from './test-app.ts'

export interface TestBuilder {
  builderId: string
  email: string
  sessionId: string
  /** A bearer token, as a sign-in answers it. */
  token: string
  /** Passed as `headers` to `app.call(…, { apiKey: null, headers })`. */
  headers: { authorization: string }
}

/**
 * A person who is signed in: builder, session and token are real. With `role` they belong to the organisation of the
 * project that tests call as, or to `orgId`; an address that is known already signs in once more.
 */
export async function signInBuilder(
  { app }: Pick<TestApp, 'app'>,
  options: { email: string; orgId?: string; role?: OrgRole; emailVerified?: boolean; password?: string },
): Promise<TestBuilder> {
  const { services } = app
  const { system } = services.database
  const { email, role } = options
  const builderId = services.newId()
  const made = await insertBuilder(system, {
    id: builderId,
    idpProvider: 'mortise',
    idpRef: builderId,
    email,
    emailVerified: options.emailVerified ?? true,
    fullName: email.split('@')[0],
    ...(options.password !== undefined && { password: await services.passwords.hash(options.password) }),
  })
  const builder =
    made ?? (await system.selectFrom('builders').selectAll().where('email', '=', email).executeTakeFirstOrThrow())
  if (role) {
    const orgId = options.orgId ?? (await orgOfDefaultProject())
    await insertMembership(system, { orgId, builderId: builder.id, role })
  }
  const { sessionId } = await startSession(system, services, { builderId: builder.id, kind: 'api' })
  const { accessToken } = await services.builderTokens.issue({ sessionId, builderId: builder.id, email })
  return {
    builderId: builder.id,
    email,
    sessionId,
    token: accessToken,
    headers: { authorization: `Bearer ${accessToken}` },
  }

  async function orgOfDefaultProject(): Promise<string> {
    const { rows } = await sql<{ id: string }>`select org_id as id from projects where name = 'default'`.execute(system)
    if (!rows[0]) throw new Error('there is no project default')
    return rows[0].id
  }
}
