import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import packageJson from '../../package.json' with { type: 'json' }
import { UnusableBackup } from './problems.ts'

/** Of the file as a whole. A release reads every format up to its own. */
export const formatVersion = 2
export const mortiseVersion: string = packageJson.version

export const manifestName = 'manifest.json'
export const jobsName = 'jobs.jsonl'
export const encryptionKeyName = 'encryption-key'
/** Name of the encryption key in backups of format 1. */
export const formerKeyName = 'seal-key'
export const fileOfTable = (name: string) => `tables/${name}.copy`

const Count = Type.Integer({ minimum: 0 })
const part = { rows: Count, bytes: Count, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }
const Part = Type.Object(part)
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' })

/** What `manifest.json` in a backup says: enough to know, before a row is written, whether the rest can be restored. */
const Manifest = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  /** The release that made it. */
  mortise: Type.String(),
  createTime: Type.String(),
  /** The migrations that the database had, in order. */
  migrations: Type.Array(Type.String({ pattern: '^\\d{4}-[\\w-]+$' }), { minItems: 1 }),
  /** Days (`YYYYMMDD`) that had partitions. */
  days: Type.Array(Type.String({ pattern: '^\\d{8}$' })),
  /** Tables in an order in which every row finds the rows that it refers to. */
  tables: Type.Array(Type.Object({ name: Name, columns: Type.Array(Name), ...part })),
  /** Jobs of the queue that waited or ran. */
  jobs: Part,
  /** Ids of the root keys that the secrets are encrypted under. */
  encryptionKeyIds: Type.Array(Type.String()),
  /** Whether the root key is in the file. */
  encryptionKey: Type.Boolean(),
})
export type BackupManifest = Static<typeof Manifest>
/** Length and checksum of one file in a backup, and its rows. */
export type BackupPart = Static<typeof Part>

/** @throws UnusableBackup when it is none, or of a format that this release does not know */
export function parseManifest(bytes: Buffer): BackupManifest {
  let manifest: unknown
  try {
    manifest = JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new UnusableBackup('The file is damaged: its manifest cannot be read.', { cause })
  }
  const format = Number((manifest as { format?: unknown } | null)?.format)
  if (format > formatVersion)
    throw new UnusableBackup(
      `The backup has format ${format}; this release (${mortiseVersion}) reads up to ${formatVersion}. Restore it with the release that made it, or a newer one.`,
    )
  if (format === 1) manifest = fromFormat1(manifest as Record<string, unknown>)
  if (!Value.Check(Manifest, manifest)) throw new UnusableBackup('The file is damaged: its manifest does not add up.')
  return manifest
}

/** Format 1 names the same fields after `sealKey`. */
function fromFormat1({ sealKeyIds, sealKey, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return { ...rest, encryptionKeyIds: sealKeyIds, encryptionKey: sealKey }
}

export function rowsOf(manifest: Pick<BackupManifest, 'tables'>): number {
  return manifest.tables.reduce((sum, { rows }) => sum + rows, 0)
}
