import { writeFile } from 'node:fs/promises'
import { apiEndpoints, commonEndpoints } from '../packages/server/src/features/index.ts'
import type { Endpoint } from '../packages/server/src/kernel/http/index.ts'
import { permissionsPage } from './permissions-page.ts'

/**
 * Writes `docs/permissions.md` from what the endpoints declare: `node scripts/run.mjs
 * scripts/write-permissions-doc.ts`.
 */
const endpoints = [...commonEndpoints, ...apiEndpoints] as Endpoint[]
await writeFile(new URL('../docs/permissions.md', import.meta.url), permissionsPage(endpoints))
