import { fileURLToPath } from 'node:url'
import { writePackage } from './package.ts'

/**
 * Writes the package that is published: `node scripts/run.mjs packages/cli/scripts/build.ts`, then `npm pack` or `npm
 * publish` it.
 */
const folder = fileURLToPath(new URL('../dist/package', import.meta.url))
await writePackage(folder)
console.log(folder)
