import type { Request } from '../catalogue/format/request.ts'
import { compileRequest } from '../interpreter/request.ts'
import { openSession } from '../interpreter/session.ts'
import type { ProviderError } from '../provider-error.ts'
import { ruleFor } from './failing-reads.ts'
import { connectAccount, type SignInSubject } from './sign-in-client.ts'
import { declaredRequest } from './stand-in/declared-request.ts'
import type { Answer } from './stand-in/http-server.ts'
import { fitted, type Json } from './stand-in/json-paths.ts'
import type { SignIn } from './stand-in/sign-in.ts'
import { fixedRoute, type StandIn } from './stand-in/stand-in.ts'
import { filledHeaders } from './stand-in/subject.ts'
import { now } from './stand-in/window-texts.ts'

/** Responses to a session that has ended, by name: 401, and those of the rules of the file. */
export function endings({ declared }: SignInSubject): [name: string, answer: Answer][] {
  const rules = ((declared.file?.errors.rules ?? []) as Json[]).filter(({ is }) => is === 'auth_invalidated')
  const ruled = rules.map(({ status = 200, headers, when }): Answer => {
    const made = { status: Number(status), headers: fitted({}, headers as Json | undefined) as Record<string, string> }
    return when === undefined ? made : { ...made, body: fitted({}, when as Json) }
  })
  const all: Answer[] = [{ status: 401, body: { message: 'The session has ended.' } }, ...ruled]
  return all.flatMap((answer): [string, Answer][] => {
    const rule = ruleFor(declared, answer)
    const isRefusal = rule === undefined ? answer.status === 401 : rule['is'] === 'auth_invalidated'
    const { status, headers = {}, body } = answer
    const what = [...Object.values(headers), ...(rule?.['when'] === undefined ? [] : [JSON.stringify(body)])]
    return isRefusal ? [[['ended', status, ...what].join(' '), answer]] : []
  })
}

const form = { method: 'POST', path: '/session', encoding: 'form', body: { note: 'Of the suite.' } }

/**
 * Signs in, sends a request, and ends the session at the provider. The next request must begin another session, and
 * carry it alone. If the provider ends that one as well, the request is refused.
 */
export async function sessionFaults(subject: SignInSubject, signIn: SignIn, ended: Answer): Promise<string[]> {
  const { entry, declared, scheme, base, server } = subject
  // The form fields of the credential are in forms alone.
  const sent = scheme.form === undefined ? { path: '/session' } : form
  const { connection } = await connectAccount(subject, signIn)
  let isOver = () => false
  const first = signIn.placement()
  const api: StandIn = {
    ...signIn.standIn,
    refused: [],
    routes() {
      const request = declaredRequest(sent, base, {})
      return [fixedRoute({ ...request, headers: filledHeaders(declared, signIn.texts()) }, {})]
    },
    get placement() {
      return signIn.placement()
    },
    ended: () =>
      isOver() ? { placement: signIn.sessions() === 1 ? first : signIn.placement(), answer: ended } : undefined,
  }
  const session = openSession(entry, connection, server.httpTo(api), () => now)
  const send = () => session.attempt(compileRequest(sent as Request), new URL(base), session.scope)
  const request = async () => (await send()).error
  const faults: string[] = []
  const expect = (what: string, error: ProviderError | undefined, sessions: number) => {
    if (error !== undefined) faults.push(`${what}: ${error.message}`)
    if (signIn.sessions() !== sessions) faults.push(`${what}: ${signIn.sessions()} sign-ins, not ${sessions}`)
  }
  expect('the first request', await request(), 1)
  isOver = () => signIn.sessions() === 1
  expect('the request after the end of the session', await request(), 2)
  let count = 0
  isOver = () => ++count > 0
  const error = await request()
  if (error?.class !== 'auth_invalidated') faults.push(`a session that always ends: ${error?.class ?? 'a success'}`)
  if (count !== 2) faults.push(`a session that always ends: ${count} requests`)
  return [...api.refused.map((why) => `refused: ${why}`), ...faults]
}
