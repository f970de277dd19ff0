import { writeFile } from 'node:fs/promises'
import { declaredProblems } from '../packages/server/src/app.ts'
import { apiOperations, commonOperations } from '../packages/server/src/features/index.ts'
import type { Operation } from '../packages/server/src/kernel/http/index.ts'
import { errorsPage } from './errors-page.ts'

/** Writes `docs/errors.md` from what the operations declare: `node scripts/run.mjs scripts/write-errors-doc.ts`. */
const problems = declaredProblems([...commonOperations, ...apiOperations] as Operation[])
await writeFile(new URL('../docs/errors.md', import.meta.url), errorsPage(problems.values()))
