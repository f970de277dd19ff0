import { writeFile } from 'node:fs/promises'
import { declaredProblems } from '../packages/server/src/app.ts'
import { apiEndpoints, commonEndpoints } from '../packages/server/src/features/index.ts'
import type { Endpoint } from '../packages/server/src/kernel/http/index.ts'
import { errorsPage } from './errors-page.ts'

/** Writes `docs/errors.md` from what the endpoints declare: `node scripts/run.mjs scripts/write-errors-doc.ts`. */
const problems = declaredProblems([...commonEndpoints, ...apiEndpoints] as Endpoint[])
await writeFile(new URL('../docs/errors.md', import.meta.url), errorsPage(problems.values()))
