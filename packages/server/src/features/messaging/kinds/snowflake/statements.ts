import { createHash, createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { createCalls, type HttpAnswer, jsonOf } from '../http-calls.ts'
import type { SenderServices, SendOptions } from '../kind.ts'
import { pollUntil } from '../poll.ts'
import { type SnowflakeSettings, statementsUrl } from './settings.ts'

const statementSecs = 45
const tokenSecs = 900

export interface Statements {
  /** Executes a statement, and returns how it ended. Values are bound as text. */
  run(statement: string, values: readonly string[]): Promise<HttpAnswer>
  /** Loads another partition of the rows of a statement. */
  partition(handle: string, index: number): Promise<HttpAnswer>
}

/** Executes statements over the SQL API, all within one `send`. One that is still running is polled. */
export async function createStatements(
  settings: SnowflakeSettings,
  services: SenderServices,
  options: SendOptions,
): Promise<Statements> {
  const url = statementsUrl(settings)
  const call = createCalls(services, options)
  const headers = {
    authorization: `Bearer ${await keyPairToken(settings, options.time)}`,
    'x-snowflake-authorization-token-type': 'KEYPAIR_JWT',
    accept: 'application/json',
  }
  const look = (handle: string, query = '') =>
    call({ method: 'GET', url: new URL(`${url.pathname}/${handle}${query}`, url), headers })
  return {
    async run(statement, values) {
      const submit = new URL(url)
      submit.searchParams.set('requestId', randomUUID())
      const bindings = Object.fromEntries(values.map((value, index) => [String(index + 1), { type: 'TEXT', value }]))
      const body = JSON.stringify({ statement, timeout: statementSecs, bindings })
      const first = await call({ url: submit, headers: { ...headers, 'content-type': 'application/json' }, body })
      const handle = runningHandle(first)
      if (handle === undefined) return first
      return pollUntil(async () => {
        const next = await look(handle)
        return next.status === 202 ? undefined : next
      }, options)
    },
    partition: (handle, index) => look(handle, `?partition=${index}`),
  }
}

/** A token that the user's key signs (Snowflake, "Using key-pair authentication"). */
async function keyPairToken({ accountIdentifier, userId, privateKey }: SnowflakeSettings, time: Date): Promise<string> {
  const key = createPrivateKey(privateKey)
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const fingerprint = `SHA256:${createHash('sha256').update(publicKey).digest('base64')}`
  // Of an account locator, without the region.
  const subject = `${accountIdentifier.split('.', 1)[0]}.${userId}`.toUpperCase()
  const issued = Math.floor(time.getTime() / 1_000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(`${subject}.${fingerprint}`)
    .setSubject(subject)
    .setIssuedAt(issued)
    .setExpirationTime(issued + tokenSecs)
    .sign(key)
}

function runningHandle(answer: HttpAnswer): string | undefined {
  return answer.status === 202 ? handleOf(answer) : undefined
}

/** The handle of a statement, by which its rows are loaded. */
export function handleOf(answer: HttpAnswer): string | undefined {
  const handle = jsonOf(answer)?.['statementHandle']
  return typeof handle === 'string' && /^[\w-]{1,100}$/.test(handle) ? handle : undefined
}

/** Whether a statement was executed: 090001 says so. */
export function isExecuted(answer: HttpAnswer): boolean {
  const { code, statementHandle } = jsonOf(answer) ?? {}
  return answer.status === 200 && code === '090001' && typeof statementHandle === 'string'
}
