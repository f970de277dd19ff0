import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { declaredProblems } from '../packages/server/src/app.ts'
import { apiEndpoints, commonEndpoints } from '../packages/server/src/features/index.ts'
import { referenceDocument, resources } from '../packages/server/src/features/platform/api-docs/index.ts'
import type { Endpoint } from '../packages/server/src/kernel/http/index.ts'
import { referencePages } from './reference-pages.ts'

/**
 * Writes `docs/resources` and `docs/problems` from the OpenAPI document: `node scripts/run.mjs
 * scripts/write-reference-docs.ts`.
 */
const endpoints = [...commonEndpoints, ...apiEndpoints] as Endpoint[]
const document = referenceDocument(endpoints, 'https://mortise.example.com')
const pages = referencePages(document, resources, declaredProblems(endpoints).values())
const docs = new URL('../docs/', import.meta.url)
for (const folder of ['resources', 'problems']) {
  await mkdir(new URL(folder, docs), { recursive: true })
  for (const file of await readdir(new URL(folder, docs)))
    if (!pages.has(`${folder}/${file}`)) await rm(new URL(`${folder}/${file}`, docs))
}
for (const [path, text] of pages) await writeFile(new URL(path, docs), text)
