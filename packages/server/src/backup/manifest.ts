import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import packageJson from '../../package.json' with { type: 'json' }
import { UnusableBackup } from './problems.ts'

/** Version of the file format. A release reads every version up to its own. */
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

/** Content of `manifest.json`: enough to check, before the first row is written, whether the backup can be restored. */
const Manifest = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  /** Release that made the backup. */
  mortise: Type.String(),
  createTime: Type.String(),
  /** Migrations that the database had applied, in order. */
  migrations: Type.Array(Type.String({ pattern: '^\\d{4}-[\\w-]+$' }), { minItems: 1 }),
  /** Days (`YYYYMMDD`) that had partitions. */
  days: Type.Array(Type.String({ pattern: '^\\d{8}$' })),
  /** Months (`YYYYMM`) that had partitions of counts. Backups of earlier releases do not have it. */
  months: Type.Optional(Type.Array(Type.String({ pattern: '^\\d{6}$' }))),
  /** Tables in an order that satisfies their foreign keys. */
  tables: Type.Array(Type.Object({ name: Name, columns: Type.Array(Name), ...part })),
  /** Jobs that waited or ran. */
  jobs: Part,
  /** Ids of the encryption keys that the secrets are encrypted under. */
  encryptionKeyIds: Type.Array(Type.String()),
  /** Whether the file contains the encryption key. */
  encryptionKey: Type.Boolean(),
})
export type BackupManifest = Static<typeof Manifest>
/** Length, checksum and number of rows of one file in a backup. */
export type BackupPart = Static<typeof Part>

/** @throws UnusableBackup when the bytes are not a manifest, or use a newer format */
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

/** Renames the fields of format 1, which are called after `sealKey`. */
function fromFormat1({ sealKeyIds, sealKey, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return { ...rest, encryptionKeyIds: sealKeyIds, encryptionKey: sealKey }
}

export function rowsOf(manifest: Pick<BackupManifest, 'tables'>): number {
  return manifest.tables.reduce((sum, { rows }) => sum + rows, 0)
}
