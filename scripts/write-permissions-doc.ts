import { writeFile } from 'node:fs/promises'
import { apiOperations, commonOperations } from '../packages/server/src/features/index.ts'
import type { Operation } from '../packages/server/src/kernel/http/index.ts'
import { permissionsPage } from './permissions-page.ts'

/**
 * Writes `docs/permissions.md` from what the operations declare: `node scripts/run.mjs
 * scripts/write-permissions-doc.ts`.
 */
const operations = [...commonOperations, ...apiOperations] as Operation[]
await writeFile(new URL('../docs/permissions.md', import.meta.url), permissionsPage(operations))
