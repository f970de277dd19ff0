import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../scripts/build.mjs'
import { startStubServer } from './stub-server.ts'

/** `npm run stories -w @mortise/connect`: shows every component in every state. */
const folder = mkdtempSync(path.join(tmpdir(), 'mortise-stories-'))
await build({ outDir: folder })
const server = await startStubServer(folder, Number(process.env['PORT'] ?? 4180))
console.log(`Stories: ${server.url}`)
