import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

const folder = 'packages/connect/dist/browser'
const sources = ['packages/connect/src', 'packages/connect/scripts', 'packages/client/src']

/**
 * Builds the scripts of the connect components for browsers, unless those of these sources are there. The service reads
 * them into its memory when a browser requests the first, so a running service keeps its own. Returns false where the
 * bundler is not installed or the folder cannot be written; connect pages then work without scripts.
 */
export async function buildConnect(root) {
  const hash = sourceHash(root)
  const outDir = path.join(root, folder)
  const stamp = path.join(outDir, 'source-hash')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true
  const bundler = await import('rolldown').catch(() => undefined)
  if (!bundler) return false
  let building
  try {
    mkdirSync(path.dirname(outDir), { recursive: true })
    building = mkdtempSync(path.join(path.dirname(outDir), 'new-'))
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(error.code)) return false
    throw error
  }
  try {
    const { build } = await import('../packages/connect/scripts/build.mjs')
    const made = path.join(building, 'browser')
    await build({ outDir: made })
    writeFileSync(path.join(made, 'source-hash'), hash)
    rmSync(outDir, { recursive: true, force: true })
    renameSync(made, outDir)
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
  return true
}

function sourceHash(root) {
  const hash = createHash('sha256').update(readFileSync(path.join(root, 'package-lock.json')))
  for (const source of sources)
    for (const file of readdirSync(path.join(root, source), { recursive: true }).toSorted()) {
      const at = path.join(root, source, file)
      if (/\.(ts|mjs|css)$/.test(file) && !/\.(test|testkit)\.ts$/.test(file))
        hash.update(`${source}/${file}\0`).update(readFileSync(at)).update('\0')
    }
  return hash.digest('hex')
}
