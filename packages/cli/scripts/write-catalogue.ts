import { writeFile } from 'node:fs/promises'
import { packedCatalogue } from './catalogue.ts'

/** Writes what the command line knows of providers: `node scripts/run.mjs packages/cli/scripts/write-catalogue.ts`. */
await writeFile(new URL('../src/generated/catalogue.json', import.meta.url), await packedCatalogue())
