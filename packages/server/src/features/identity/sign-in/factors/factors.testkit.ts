import { Secret, TOTP } from 'otpauth'
import type { OrgRole } from '../../../../kernel/http/index.ts'
import type { TestApp } from '../../../../testkit/test-app.ts'
import { signInBuilder, type TestBuilder } from '../../../../testkit/test-builder.ts'

export const password = 'correct horse battery'

/** What an authenticator app shows at a time. */
export function codeAt(secret: string, time: Date): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: time.getTime() })
}

export interface Person extends TestBuilder {
  /** Calls an endpoint as this person. */
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: T & { context: { code: string; factors: string[] } } }>
}

/** A person with a password, who has just proved who they are. */
export async function createPerson(
  app: TestApp,
  email: string,
  options: { role?: OrgRole; orgId?: string; isProven?: boolean } = {},
): Promise<Person> {
  const { isProven = true, ...rest } = options
  const builder = await signInBuilder(app, { email, password, ...rest })
  const call: Person['call'] = async (method, path, body) => {
    const { status, body: answer } = await app.call(method, path, body, { apiKey: null, headers: builder.headers })
    return { status, body: answer as never }
  }
  if (isProven) await call('POST', '/my-info/proof', { password })
  return { ...builder, call }
}

export interface Enrolled {
  factorId: string
  secret: string
  recoveryCodes: string[]
  /** The code that confirmed the app: the clock may be in the next step already. */
  confirmingCode: string
  /** The next code of the app: the clock goes on, because a code works once. */
  nextCode(): string
}

/** Sets up an authenticator app. */
export async function enrollTotp(app: TestApp, person: Person): Promise<Enrolled> {
  const { secret } = (await person.call<{ secret: string }>('POST', '/my-info/factors:beginTotp')).body
  const confirmingCode = codeAt(secret, app.clock.now())
  const confirmed = await person.call<{ factor: { id: string }; recoveryCodes: string[] }>(
    'POST',
    '/my-info/factors:confirmTotp',
    { code: confirmingCode, name: 'Phone' },
  )
  if (confirmed.status !== 201) throw new Error(JSON.stringify(confirmed.body))
  return {
    factorId: confirmed.body.factor.id,
    secret,
    recoveryCodes: confirmed.body.recoveryCodes,
    confirmingCode,
    nextCode() {
      app.clock.advance(30_000)
      return codeAt(secret, app.clock.now())
    },
  }
}
