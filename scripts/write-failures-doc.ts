import { writeFile } from 'node:fs/promises'
import { failuresPage } from './failures-page.ts'

/** Writes `docs/provider-failures.md`: `node scripts/run.mjs scripts/write-failures-doc.ts`. */
await writeFile(new URL('../docs/provider-failures.md', import.meta.url), failuresPage())
