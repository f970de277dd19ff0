import { readFileSync } from 'node:fs'
import path from 'node:path'
import { tableFaults } from './tables/table-faults.mjs'

/**
 * Holds the ownership of tables: each is written by one module, which `packages/server/src/table-owners.ts` names, and
 * read by others only where that file says so. The statements are parsed with the parser of PostgreSQL.
 * `tables.json` lists the uses of foreign tables that are not moved yet; the list may only shrink.
 *
 *   node scripts/check-tables.mjs [ROOT]    check a tree; the default is this repository
 */
const root = path.resolve(process.argv[2] ?? `${import.meta.dirname}/..`)
const { notYet } = JSON.parse(readFileSync(path.join(root, 'scripts/tables.json'), 'utf8'))
const faults = await tableFaults(root, notYet)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
