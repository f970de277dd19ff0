import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

/**
 * What a service sends to browsers is built into a folder, and again when its sources or the lockfile change. A file in
 * it names the content that it was built from. `build` writes into a folder that does not exist yet.
 *
 * @typedef {{ folder: string, sources: string[], build: (outDir: string) => Promise<unknown> }} Built
 */

/** Returns whether the folder holds what these sources lead to. */
export function isBuilt(root, built) {
  return stored(root, built) === sourceHash(root, built)
}

/**
 * Builds a folder, unless it was built from these sources. It appears whole. Returns false where it cannot be written.
 */
export async function buildFolder(root, built) {
  const hash = sourceHash(root, built)
  if (stored(root, built) === hash) return true
  const outDir = path.join(root, built.folder)
  const building = newFolder(path.dirname(outDir))
  if (building === undefined) return false
  const clean = () => rmSync(building, { recursive: true, force: true })
  process.once('exit', clean)
  try {
    const made = path.join(building, 'browser')
    await built.build(made)
    writeFileSync(path.join(made, 'source-hash'), hash)
    rmSync(outDir, { recursive: true, force: true })
    rename(made, outDir)
  } finally {
    process.off('exit', clean)
    clean()
  }
  return true
}

function stored(root, { folder }) {
  const stamp = path.join(root, folder, 'source-hash')
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined
}

function newFolder(parent) {
  try {
    mkdirSync(parent, { recursive: true })
    return mkdtempSync(path.join(parent, 'new-'))
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(error.code)) return undefined
    throw error
  }
}

/** Two starts may build the same; the first one stays. */
function rename(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
  }
}

function sourceHash(root, { sources }) {
  const hash = createHash('sha256').update(readFileSync(path.join(root, 'package-lock.json')))
  for (const source of sources)
    for (const file of filesOf(path.join(root, source)).toSorted())
      hash
        .update(`${source}/${file}\0`)
        .update(readFileSync(path.join(root, source, file)))
        .update('\0')
  return hash.digest('hex')
}

/** Files of a source, without tests; `''` for a source that is a file. */
function filesOf(source) {
  if (!statSync(source).isDirectory()) return ['']
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs|css|html|svg|json)$/.test(entry.name))
    .map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)))
    .filter((file) => !/\.(test|testkit)\.tsx?$/.test(file))
}
