import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { loadCatalogue } from '../packages/providers/src/index.ts'
import { providerPages } from './provider-pages.ts'

/** Writes `docs/providers` from the catalogue: `node scripts/run.mjs scripts/write-provider-docs.ts`. */
const pages = providerPages((await loadCatalogue()).list())
const folder = new URL('../docs/providers/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const file of await readdir(folder)) if (!pages.has(file)) await rm(new URL(file, folder))
for (const [file, text] of pages) await writeFile(new URL(file, folder), text)
