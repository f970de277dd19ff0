import { createHmac, createSecretKey, hash } from 'node:crypto'
import { createBatches, type Database } from '../db/index.ts'
import { createEnvelope, type EncryptedAt, isSameBytes, type Keyring } from '../encryption/index.ts'
import type { Identity } from './caller.ts'
import {
  claimIdempotencyKeys,
  deleteIdempotencyKey,
  findIdempotencyKey,
  type IdempotencyId,
  type NewAnswer,
  type NewClaim,
  updateIdempotencyAnswers,
} from './idempotency-store.ts'
import type { Issue } from './problem.ts'
import { IdempotencyKeyInUse, IdempotencyKeyReused, IdempotencyKeyUnfinished } from './problems.ts'

/**
 * Requests that take effect once (draft-ietf-httpapi-idempotency-key-header). The first request with a key claims its
 * row before it runs, and stores its response there. The same request again returns that response. A request whose
 * process died leaves the row claimed. Whether it took effect is unknown, so the key never runs again, and the caller
 * gets an error (docs/decisions/0008-idempotency-after-a-crash.md).
 */

/** Claims and responses of this many concurrent requests share a statement. */
const batchMax = 32
/** Characters of an encrypted response that shares no statement. */
const longAnswer = 65_536

/** A request that has claimed its key. */
export type IdempotencyClaim = IdempotencyId

export interface StoredAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export interface IdempotentRequest {
  key: string
  identity: Identity
  method: string
  /** Path and query. */
  url: string
  body: Buffer | undefined
}

export interface Idempotency {
  /**
   * Claims the key, or returns the response of the first request.
   *
   * @throws IdempotencyKeyInUse, IdempotencyKeyUnfinished, IdempotencyKeyReused
   */
  begin(request: IdempotentRequest): Promise<{ claim: IdempotencyClaim } | { answer: StoredAnswer }>
  /** Stores the response of a claimed request; without one, releases the key. */
  end(claim: IdempotencyClaim, answer: StoredAnswer | undefined): Promise<void>
}

export function createIdempotency({
  database,
  keyring,
  now,
  unfinishedAfterMs,
}: {
  database: Pick<Database, 'system'>
  keyring: Keyring
  now: () => Date
  /** A request that runs longer counts as dead. */
  unfinishedAfterMs: number
}): Idempotency {
  const db = database.system
  const envelope = createEnvelope(keyring)
  const claimed = createBatches<NewClaim & IdempotencyClaim, boolean>({
    itemsMax: batchMax,
    async run(_, claims) {
      // Of requests with the same key, the first may take it.
      const distinct = new Map(claims.toReversed().map((claim) => [claim.id.toString('latin1'), claim]))
      const taken = await claimIdempotencyKeys(db, projectOf(claims), [...distinct.values()])
      return claims.map((claim) => taken.has(claim))
    },
  })
  const stored = createBatches<NewAnswer & IdempotencyClaim, void>({
    itemsMax: batchMax,
    async run(_, answers) {
      await updateIdempotencyAnswers(db, projectOf(answers), answers)
      return answers.map(() => undefined)
    },
  })
  // A body may contain a password, so its hash is keyed: a reader of the table cannot test guesses. The encryption key
  // may have changed since the first request.
  const secrets = () => keyring.deriveAll('idempotency')

  return {
    async begin(request) {
      const { project } = request.identity
      const claim = { id: rowId(request), projectId: project?.id }
      const fingerprints = secrets().map((secret) => fingerprintOf(secret, request))
      const [fingerprint] = fingerprints
      if (fingerprint === undefined) throw new Error('There is no encryption key.')
      for (;;) {
        if (await claimed(claim.projectId ?? 'none', { ...claim, fingerprint })) return { claim }
        const row = await findIdempotencyKey(db, claim)
        // The row was released between the two statements.
        if (!row) continue
        if (!fingerprints.some((one) => isSameBytes(one, row.fingerprint))) throw new IdempotencyKeyReused()
        if (row.status !== null && row.encrypted_answer !== null) {
          const opened = JSON.parse(envelope.open(row.encrypted_answer, encryptedAt(claim)).toString())
          return { answer: { ...(opened as Omit<StoredAnswer, 'status'>), status: row.status } }
        }
        if (row.age_ms > unfinishedAfterMs) throw new IdempotencyKeyUnfinished()
        throw new IdempotencyKeyInUse({ retryAfter: new Date(now().getTime() + 1_000) })
      }
    },
    async end(claim, answer) {
      if (!answer) return await deleteIdempotencyKey(db, claim)
      const { status, headers, body } = answer
      const encrypted = envelope.encrypt(JSON.stringify({ headers, body }), encryptedAt(claim))
      const alone = encrypted.length > longAnswer ? claim.id.toString('hex') : ''
      await stored(`${claim.projectId ?? 'none'} ${alone}`, { ...claim, status, encrypted })
    },
  }
}

/** Returns the project of a batch. */
const projectOf = ([first]: readonly IdempotencyClaim[]) => ({ projectId: first?.projectId })

/** Returns the errors in the Idempotency-Key header of a request, if it has one. */
export function checkIdempotencyKey(headers: Record<string, string | string[] | undefined>): Issue[] {
  const key = headers['idempotency-key']
  if (key === undefined || (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key))) return []
  return [
    {
      in: 'header',
      name: 'Idempotency-Key',
      value: key,
      detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
      remedy: 'Send one header with a UUID. Create a new one for each request that is not a retry.',
    },
  ]
}

/**
 * Returns whether to store a response: only when the same request would get it again. Temporary errors are not stored,
 * nor are responses of authentication, authorization and rate limiting.
 */
export function isKept(status: number): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429
}

/**
 * Returns the id of the row. Keys are scoped to the caller: a project's API keys of one scope, a consumer, a connect
 * session, or a builder.
 */
function rowId({ key, identity: { caller, project } }: IdempotentRequest): Buffer {
  const who =
    caller.kind === 'apiKey'
      ? [project?.id, caller.scope]
      : caller.kind === 'consumer'
        ? [project?.id, caller.groupRef, caller.consumerRef, ...(caller.session ? [caller.session.id] : [])]
        : [caller.builderId]
  return hash('sha256', JSON.stringify([caller.kind, who, key]), 'buffer')
}

function fingerprintOf(secret: Buffer, { method, url, body }: IdempotentRequest): Buffer {
  const mac = createHmac('sha256', createSecretKey(secret)).update(JSON.stringify([method, url]))
  return (body ? mac.update(body) : mac).digest()
}

function encryptedAt(claim: IdempotencyClaim): EncryptedAt {
  return {
    table: 'idempotency_keys',
    project: claim.projectId ?? '',
    row: claim.id.toString('hex'),
    column: 'encrypted_answer',
  }
}
