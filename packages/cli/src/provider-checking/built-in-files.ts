import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { FileToCheck } from '@mortise/providers/check'

/** Returns the provider files of the release: one packed file in the published bundle, a folder in a checkout. */
export async function builtInFiles(): Promise<FileToCheck[]> {
  const packed = await readFile(join(import.meta.dirname, 'provider-files.json.gz')).catch(() => undefined)
  if (packed !== undefined) return JSON.parse(gunzipSync(packed).toString('utf8')) as FileToCheck[]
  const folder = join(import.meta.dirname, '../../../providers/providers')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml'))
  return Promise.all(names.map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') })))
}
