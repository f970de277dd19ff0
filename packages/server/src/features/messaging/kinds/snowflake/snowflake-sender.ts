import { createHash, createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { createCalls, type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { Sized, Together } from '../in-parts.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { pollUntil } from '../poll.ts'
import { insertRows } from '../warehouse.ts'
import { type SnowflakeSettings, statementsUrl } from './settings.ts'

/** Statements with large bindings are slow: several small ones are faster than a huge one. */
const statementBytesMax = 4 * 2 ** 20
const statementSecs = 45
const tokenSecs = 900

interface Row extends Sized {
  values: [id: string, createdAt: string, payload: string]
}

/** Inserts rows over the SQL API. A statement that is still running is polled. */
export function openSnowflake(settings: SnowflakeSettings, services: SenderServices): Sender {
  const url = statementsUrl(settings)
  return {
    async send(batch, options) {
      const { time } = options
      const call = createCalls(services, options)
      const headers = {
        authorization: `Bearer ${await keyPairToken(settings, time)}`,
        'x-snowflake-authorization-token-type': 'KEYPAIR_JWT',
        'content-type': 'application/json',
        accept: 'application/json',
      }
      const rows = batch.map((message): Row => {
        const createdAt = createTimeOf(message).toISOString().replace('Z', '+00:00')
        return { message, values: [message.id, createdAt, message.body.toString()], bytes: message.body.length }
      })
      return insertRows(rows, settings, { bytesMax: statementBytesMax }, async (some) => {
        const submit = new URL(url)
        submit.searchParams.set('requestId', randomUUID())
        const body = JSON.stringify(insertion(settings, some))
        const first = await call({ url: submit, headers, body })
        const handle = runningHandle(first)
        if (handle === undefined) return meaningOf(url, first, time)
        const { 'content-type': _, ...polling } = headers
        const answer = await pollUntil(async () => {
          const next = await call({ method: 'GET', url: new URL(`${url.pathname}/${handle}`, url), headers: polling })
          return next.status === 202 ? undefined : next
        }, options)
        return meaningOf(url, answer, time)
      })
    },
    close: async () => undefined,
  }
}

/** Names are as in SQL; values are bound. */
function insertion({ dbName, schemaName, tableName }: SnowflakeSettings, rows: readonly Row[]): object {
  const values = rows.flatMap((row) => row.values)
  return {
    statement: `INSERT INTO ${dbName}.${schemaName}.${tableName} (id, created_at, payload) VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}`,
    timeout: statementSecs,
    bindings: Object.fromEntries(values.map((value, index) => [String(index + 1), { type: 'TEXT', value }])),
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
  const handle = answer.status === 202 ? jsonOf(answer)?.['statementHandle'] : undefined
  return typeof handle === 'string' && /^[\w-]{1,100}$/.test(handle) ? handle : undefined
}

/** What an answer means. 090001 says that the statement was executed. */
function meaningOf(url: URL, answer: HttpAnswer, time: Date): Together {
  const { status } = answer
  const { code, sqlState, statementHandle } = jsonOf(answer) ?? {}
  if (status === 200 && code === '090001' && typeof statementHandle === 'string')
    return { result: { outcome: 'delivered', status }, isOfData: false }
  const shown = typeof code === 'string' && /^\d{4,8}$/.test(code) ? code : undefined
  const refusal = shown === undefined ? undefined : `${url.host} answered ${status} (error ${shown}).`
  const reason = status < 300 ? `${url.host} did not confirm the insertion.` : refusal
  // Classes 22 and 23 of SQL are about values and constraints.
  const isOfData = status === 422 && typeof sqlState === 'string' && /^2[23]/.test(sqlState)
  return { result: notDelivered(url, answer, time, reason), isOfData }
}
