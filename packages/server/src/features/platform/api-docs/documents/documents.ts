import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Document, describeDocument } from './describe-document.ts'

/** A page of the documentation as its Markdown file. */
export interface DocumentFile extends Document {
  /** Path below `docs`, without `.md`: `reading` or `destinations/kafka`. */
  path: string
  /** The folder; empty for the pages directly in `docs`. */
  folder: string
}

const folder = join(import.meta.dirname, '../../../../../../../docs')
let paths: ReadonlySet<string> | undefined
let documents: readonly DocumentFile[] | undefined

/** Describes every Markdown file of `docs`, once. Returns none where the service runs without that folder. */
export function allDocuments(): readonly DocumentFile[] {
  documents ??= [...documentPaths()].map((path) => ({
    path,
    folder: path.includes('/') ? path.slice(0, path.indexOf('/')) : '',
    ...describeDocument(readFileSync(fileOf(path), 'utf8')),
  }))
  return documents
}

/**
 * Returns the text of a page; undefined if there is none. Only names that were found in the folder are opened, so no
 * name leads out of it.
 */
export function documentText(path: string): string | undefined {
  return documentPaths().has(path) ? readFileSync(fileOf(path), 'utf8') : undefined
}

/** Lists the pages: those directly in `docs` first, then those of its folders. */
function documentPaths(): ReadonlySet<string> {
  paths ??= new Set(['', ...folders()].flatMap(pathsIn))
  return paths
}

function folders(): string[] {
  return entriesOf('')
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()
}

function pathsIn(below: string): string[] {
  return entriesOf(below)
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ name }) => (below === '' ? '' : `${below}/`) + name.slice(0, -'.md'.length))
    .toSorted()
}

function entriesOf(below: string): Dirent[] {
  try {
    return readdirSync(join(folder, below), { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const fileOf = (path: string) => join(folder, `${path}.md`)
