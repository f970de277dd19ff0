import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Html } from '../../../../kernel/http/index.ts'
import { type GuideSection, renderGuide } from './render-guide.ts'

export interface Guide {
  /** Name of the file without `.md`. */
  name: string
  title: string
  content: Html
  sections: GuideSection[]
}

const folder = join(import.meta.dirname, '../../../../../../../docs')
let guides: ReadonlyMap<string, Guide> | undefined

/** Reads and renders the guides once. Returns none where the service runs without the folder `docs`. */
export function allGuides(): ReadonlyMap<string, Guide> {
  guides ??= new Map(
    guideNames().map((name) => [name, { name, ...renderGuide(readFileSync(join(folder, `${name}.md`), 'utf8')) }]),
  )
  return guides
}

function guideNames(): string[] {
  let files: string[]
  try {
    files = readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return files
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => file.slice(0, -'.md'.length))
    .toSorted()
}
