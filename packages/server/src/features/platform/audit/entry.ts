import { hash } from 'node:crypto'

/** A stored entry. `before` and `after` are JSON as text, so that their bytes can be hashed. */
export interface StoredEntry {
  id: string
  actorKind: string
  actorId: string | null
  actorName: string | null
  action: string
  verb: string
  outcome: string
  resourceKind: string
  resourceId: string | null
  address: string | null
  userAgent: string | null
  requestId: string | null
  before: string | null
  after: string | null
}

/** Length of a hash, in bytes. */
export const hashBytes = 32

/**
 * Returns the SHA-256 over an entry: over a JSON array of the version of this format, the id of the log, and every
 * field in this order. docs/audit-log.md describes it, so that others can compute it.
 */
export function hashOfEntry(logId: string, entry: StoredEntry): Buffer {
  return hash(
    'sha256',
    JSON.stringify([
      1,
      logId,
      entry.id,
      entry.actorKind,
      entry.actorId,
      entry.actorName,
      entry.action,
      entry.verb,
      entry.outcome,
      entry.resourceKind,
      entry.resourceId,
      entry.address,
      entry.userAgent,
      entry.requestId,
      entry.before,
      entry.after,
    ]),
    'buffer',
  )
}

/** A seal without its hash. */
export interface SealContent {
  number: number
  /** Number of its first entry in the log, from 1 on. */
  firstSequence: number
  entryIds: string[]
  /** The hashes of the entries, one after the other. */
  entryHashes: Buffer
  previousHash: Buffer
}

export interface Seal extends SealContent {
  hash: Buffer
}

/** Returns the SHA-256 over a seal, which contains the hash of the seal before it. */
export function hashOfSeal(logId: string, seal: SealContent): Buffer {
  return hash(
    'sha256',
    JSON.stringify([
      1,
      logId,
      seal.number,
      seal.firstSequence,
      seal.entryIds,
      seal.entryHashes.toString('hex'),
      seal.previousHash.toString('hex'),
    ]),
    'buffer',
  )
}

/** What the first seal of a log follows. */
export const noSeal: Pick<Seal, 'number' | 'firstSequence' | 'entryIds' | 'hash'> = {
  number: 0,
  firstSequence: 1,
  entryIds: [],
  hash: Buffer.alloc(hashBytes),
}
