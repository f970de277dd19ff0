import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { eventTypes } from '../packages/server/src/features/messaging/notifications/index.ts'
import { eventPages } from './event-pages.ts'

/** Writes `docs/events/{event}.md` for every type of event: `node scripts/run.mjs scripts/write-events-docs.ts`. */
const folder = new URL('../docs/events/', import.meta.url)
await mkdir(folder, { recursive: true })
const pages = eventPages(eventTypes)
for (const file of await readdir(folder)) if (!pages.has(file)) await rm(new URL(file, folder))
for (const [file, text] of pages) await writeFile(new URL(file, folder), text)
