import { firstIdAt, isId, type ProjectDb } from '../../../kernel/db/index.ts'
import { isSameBytes } from '../../../kernel/encryption/index.ts'
import { hashBytes, hashOfEntry, hashOfSeal, noSeal, type Seal, type StoredEntry } from './entry.ts'
import type { AuditVerification } from './model.ts'
import { findMembership, listSeals } from './seal-store.ts'
import { findEntries } from './store.ts'

/** Seals and entries of one page: some ten thousand hashes. */
const sealsMax = 20
const entriesMax = 5_000

type Fault = NonNullable<AuditVerification['fault']>

/**
 * Verifies a part of a log. First come the seals in the order of the chain, with the entries that each contains. Then
 * come all entries in the order of their ids, each of which a seal must contain.
 *
 * @param token where the part begins: `nextPageToken` of the part before it
 * @param keptFrom time from which no entry may be missing: earlier ones are deleted after their retention
 */
export async function verifyPart(
  db: ProjectDb,
  { token, keptFrom }: { token: string | undefined; keptFrom: Date },
): Promise<AuditVerification> {
  const begin = readVerifyToken(token)
  return 'entryId' in begin ? await verifyMembership(db, begin.entryId) : await verifySeals(db, begin, keptFrom)
}

type Begin = { number: number; nextSequence: number; hash: Buffer }

async function verifySeals(db: ProjectDb, begin: Begin, keptFrom: Date): Promise<AuditVerification> {
  const seals = await listSeals(db, begin.number, sealsMax)
  const entries = new Map(
    (
      await findEntries(
        db,
        seals.flatMap(({ entryIds }) => entryIds),
      )
    ).map((entry) => [entry.id, entry]),
  )
  const counts = { checkedSeals: 0, checkedEntries: 0, expiredEntries: 0, unsealedEntries: 0 }
  let before = begin
  for (const seal of seals) {
    const fault = brokenSeal(db.projectId, before, seal) ?? brokenEntry(db.projectId, seal, entries, keptFrom, counts)
    if (fault) return { ...counts, fault }
    counts.checkedSeals += 1
    before = { number: seal.number, nextSequence: seal.firstSequence + seal.entryIds.length, hash: seal.hash }
  }
  const lastSeal = { number: before.number, hash: before.hash.toString('hex') }
  const nextPageToken =
    seals.length === sealsMax
      ? `seals.${before.number}.${before.nextSequence}.${lastSeal.hash}`
      : `entries.${firstIdAt(new Date(0))}`
  return { ...counts, ...(before.number > 0 && { lastSeal }), nextPageToken }
}

function brokenSeal(logId: string, before: Begin, seal: Seal): Fault | undefined {
  if (seal.number !== before.number + 1) return { kind: 'missingSeal', sealNumber: before.number + 1 }
  const isIntact =
    isSameBytes(seal.previousHash, before.hash) &&
    seal.firstSequence === before.nextSequence &&
    seal.entryHashes.length === seal.entryIds.length * hashBytes &&
    isSameBytes(hashOfSeal(logId, seal), seal.hash)
  return isIntact ? undefined : { kind: 'changedSeal', sealNumber: seal.number }
}

function brokenEntry(
  logId: string,
  seal: Seal,
  entries: ReadonlyMap<string, StoredEntry>,
  keptFrom: Date,
  counts: { checkedEntries: number; expiredEntries: number },
): Fault | undefined {
  const firstKept = firstIdAt(keptFrom)
  for (const [index, entryId] of seal.entryIds.entries()) {
    const entry = entries.get(entryId)
    const where = { entryId, sealNumber: seal.number, sequence: seal.firstSequence + index }
    if (!entry) {
      if (entryId >= firstKept) return { kind: 'missingEntry', ...where }
      counts.expiredEntries += 1
      continue
    }
    const expected = seal.entryHashes.subarray(index * hashBytes, (index + 1) * hashBytes)
    if (!isSameBytes(hashOfEntry(logId, entry), expected)) return { kind: 'changedEntry', ...where }
    counts.checkedEntries += 1
  }
  return undefined
}

async function verifyMembership(db: ProjectDb, after: string): Promise<AuditVerification> {
  const { last, entries, unsealed, stranger } = await findMembership(db, after, entriesMax)
  const counts = { checkedSeals: 0, checkedEntries: 0, expiredEntries: 0, unsealedEntries: unsealed }
  if (stranger !== undefined) return { ...counts, fault: { kind: 'insertedEntry', entryId: stranger } }
  return { ...counts, ...(entries === entriesMax && { nextPageToken: `entries.${last}` }) }
}

function readVerifyToken(token: string | undefined): Begin | { entryId: string } {
  const [kind, first = '', second = '', hash = ''] = token?.split('.') ?? []
  if (kind === 'entries' && isId(first)) return { entryId: first }
  if (kind === 'seals') return { number: Number(first), nextSequence: Number(second), hash: Buffer.from(hash, 'hex') }
  return { number: noSeal.number, nextSequence: noSeal.firstSequence, hash: noSeal.hash }
}
