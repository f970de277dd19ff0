import type { OrgRole } from '../../../kernel/http/index.ts'
import { startTestApp, type TestAnswer, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder, type TestBuilder } from '../../../testkit/test-builder.ts'

export interface ProblemBody {
  status: number
  title: string
  detail: string
  context: { code: string }
  issues: { in: string; name: string; detail: string; remedy?: string; value?: unknown }[]
}

export interface Person extends TestBuilder {
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<TestAnswer<T>>
}

export interface People {
  app: TestApp
  /** The organisation of the project `default`. */
  orgId: string
  owner: Person
  member: Person
  /** Signed in, without a role anywhere. */
  stranger: Person
  person(email: string, options?: { orgId?: string; role?: OrgRole; emailVerified?: boolean }): Promise<Person>
}

/** A service with an owner, a member, and somebody who is neither. */
export async function startPeople(
  env: Record<string, string> = {},
  options: { dnsServer?: string } = {},
): Promise<People> {
  const app = await startTestApp({ env, ...options })
  const project = await app.call<{ orgId: string }>('GET', '/projects/default')
  const person: People['person'] = async (email, options = {}) => {
    const builder = await signInBuilder(app, { email, ...options })
    return {
      ...builder,
      call: (method, path, body) => app.call(method, path, body, { apiKey: null, headers: builder.headers }),
    }
  }
  return {
    app,
    orgId: project.body.orgId,
    owner: await person('owner@example.com', { role: 'owner' }),
    member: await person('member@example.com', { role: 'developer' }),
    stranger: await person('stranger@elsewhere.example'),
    person,
  }
}

/** Status, code and names of what is wrong, for short expectations. */
export function told({ status, body }: TestAnswer<Omit<ProblemBody, 'status'>>): [number, string, ...string[]] {
  return [status, body.context.code, ...(body.issues ?? []).map((issue) => `${issue.in}.${issue.name}`)]
}

/** A problem without what differs in each. */
export function bare({ status, body }: TestAnswer<ProblemBody>): unknown {
  const { requestId, instance, time, ...rest } = body as unknown as Record<string, unknown>
  return { status, ...rest }
}
