import { writeFile } from 'node:fs/promises'
import { generated } from './generate.ts'

/** Writes the generated half of the client: `node scripts/run.mjs packages/client/scripts/write-types.ts`. */
for (const [file, text] of Object.entries(await generated()))
  await writeFile(new URL(`../src/generated/${file}`, import.meta.url), text)
