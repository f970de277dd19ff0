import { text } from 'node:stream/consumers'
import { openBackup } from '../packages/server/src/backup/archive-reader.ts'
import { fileOfTable, jobsName } from '../packages/server/src/backup/manifest.ts'
import type { BackupManifest } from '../packages/server/src/index.ts'
import { spellingsOf } from './spellings.testkit.ts'
import type { StoredValue } from './stored-rows.testkit.ts'

/** Whether a text has a secret in any of its spellings. */
export function spelledIn(secret: string): (text: string) => boolean {
  const spellings = spellingsOf(secret)
  return (text) => spellings.some((spelling) => text.includes(spelling))
}

/** What stands around a secret, to tell where it came from. */
export function excerpt(text: string, secret: string): string {
  const at = Math.min(
    ...spellingsOf(secret)
      .map((spelling) => text.indexOf(spelling))
      .filter((index) => index >= 0),
  )
  return text.slice(Math.max(0, at - 80), at + 80)
}

/** Every file of a backup, as the values of a table are. */
export async function valuesOfBackup({
  file,
  manifest,
}: {
  file: string
  manifest: BackupManifest
}): Promise<StoredValue[]> {
  const backup = await openBackup(file)
  try {
    const files = [
      ...manifest.tables.map((table) => [fileOfTable(table.name), table] as const),
      [jobsName, manifest.jobs] as const,
    ]
    return await Promise.all(
      files.map(async ([name, part]) => ({
        table: 'backup',
        column: name,
        text: await text(await backup.read(name, part)),
      })),
    )
  } finally {
    backup.close()
  }
}
