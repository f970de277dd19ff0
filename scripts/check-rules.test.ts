import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Rules that nothing breaks look the same as rules that see nothing: a small tree of breaches tells them apart. */
const repository = path.resolve(import.meta.dirname, '..')
const server = 'packages/server/src'
const feature = `${server}/features/sync/reading`

const kernel = 'The kernel knows no feature.'
const door = 'A feature reaches another feature only through its index.ts.'
const upward = 'Imports go one way: kernel ← model ← store ← service ← endpoints, jobs.'
const apart = 'The manifest and the providers know nothing of the server.'
const net = 'Every request to another machine goes through kernel/net: it guards addresses, time and size.'

const global = (name: string) => `Do not use the global variable ${name}.`

const breaches: [file: string, line: string, message: string][] = [
  [`${server}/kernel/jobs/a.ts`, `import { x } from '../../features/sync/reading/index.ts'`, kernel],
  [`${server}/kernel/db/deep/b.ts`, `import type { x } from '../../../features/sync/reading/index.ts'`, kernel],
  [`${server}/kernel/net/c.ts`, `import { x } from '../../features/sync/reading/index.ts'`, kernel],
  [`${server}/kernel/d.test.ts`, `import { x } from '../features/sync/reading/index.ts'`, kernel],

  [`${server}/app.ts`, `import { x } from './features/sync/reading/store.ts'`, door],
  [`${feature}/a.ts`, `import { x } from '../writing/store.ts'`, door],
  [`${feature}/b.ts`, `import type { x } from '../writing/model.ts'`, door],
  [`${feature}/c.ts`, `export { x } from '../writing/endpoints/write-record.ts'`, door],
  [`${feature}/endpoints/d.ts`, `import { x } from '../../writing/store.ts'`, door],
  [`${feature}/jobs/e.ts`, `export const x = await import('../../writing/jobs/write.ts')`, door],
  [`${feature}/endpoints/parts/f.ts`, `import { x } from '../../../writing/store.ts'`, door],
  [`${feature}/g.test.ts`, `import { x } from '../writing/store.ts'`, door],
  [`${feature}/h.ts`, `import { x } from '../../../features/sync/writing/store.ts'`, door],
  [`${feature}/j.ts`, `import { x } from '../../identity/access/store.ts'`, door],
  [`${feature}/endpoints/k.ts`, `import { x } from '../../../identity/access/store.ts'`, door],
  [`${feature}/endpoints/parts/l.ts`, `import { x } from '../../../../identity/access/store.ts'`, door],
  [`${feature}/endpoints/i.ts`, `import { x } from '../../../../features/sync/writing/store.ts'`, door],

  [`${feature}/model.ts`, `import { x } from './store.ts'`, upward],
  [`${server}/features/sync/b/model.ts`, `import { x } from './service.ts'`, upward],
  [`${server}/features/sync/c/model.ts`, `import { x } from './endpoints/read.ts'`, upward],
  [`${server}/features/sync/d/model.ts`, `import { x } from './jobs/read.ts'`, upward],
  [`${server}/features/sync/e/model.ts`, `import { x } from '../writing/store.ts'`, door],
  [`${feature}/store.ts`, `import { x } from './service.ts'`, upward],
  [`${server}/features/sync/b/store.ts`, `import { x } from './endpoints/read.ts'`, upward],
  [`${server}/features/sync/c/store.ts`, `import { x } from './jobs/read.ts'`, upward],
  [`${server}/features/sync/d/store.ts`, `import { x } from '../writing/store.ts'`, door],

  ['packages/manifest/src/a.ts', `import { x } from '@mortise/server'`, apart],
  ['packages/manifest/src/b.test.ts', `import { x } from '../../server/src/config.ts'`, apart],
  ['packages/providers/src/deep/a.ts', `import type { x } from '@mortise/server/config'`, apart],
  ['packages/providers/src/deep/b.ts', `import { x } from '../../../server/src/config.ts'`, apart],

  [`${feature}/n1.ts`, `export const x = await fetch('http://127.0.0.1')`, global('fetch')],
  [`${feature}/n2.ts`, `import { request } from 'undici'`, net],
  [`${feature}/n3.ts`, `import { request } from 'node:http'`, net],
  [`${feature}/n4.ts`, `import { get } from 'node:https'`, net],
  [`${feature}/n5.ts`, `import http from 'node:http'`, net],
  [`${feature}/n6.ts`, `import * as http from 'node:http'`, net],
  [`${feature}/endpoints/n7.ts`, `import { connect } from 'node:net'`, net],
  [`${feature}/model.ts`, `import { connect } from 'node:tls'`, net],
  [`${server}/kernel/http/n8.ts`, `import { connect } from 'node:http2'`, net],
  [`${server}/main.ts`, `import { Agent } from 'undici'`, net],
  [`${feature}/n9.ts`, `export const x = new WebSocket('ws://127.0.0.1')`, global('WebSocket')],
  ['packages/providers/src/n10.ts', `import { request } from 'undici'`, net],
  ['packages/manifest/src/n11.ts', `export const x = fetch('http://127.0.0.1')`, global('fetch')],
]

const allowed: [file: string, line: string][] = [
  [`${server}/app.ts`, `import { x } from './features/sync/reading/index.ts'`],
  [`${feature}/ok1.ts`, `import { x } from '../writing/index.ts'`],
  [`${feature}/ok2.ts`, `import { x } from '../../../kernel/db/index.ts'`],
  [`${feature}/ok3.ts`, `import { x } from './endpoints/read.ts'`],
  [`${feature}/ok19.ts`, `import { x } from '../../identity/access/index.ts'`],
  [`${feature}/endpoints/ok20.ts`, `import { x } from '../../../identity/access/index.ts'`],
  [`${feature}/ok21.ts`, `import { x } from '../../shared-paths.ts'`],
  [`${feature}/endpoints/ok4.ts`, `import { x } from '../../writing/index.ts'`],
  [`${feature}/endpoints/ok5.ts`, `import { x } from '../../../../kernel/db/index.ts'`],
  [`${feature}/endpoints/ok6.ts`, `import { x } from '../store.ts'`],
  [`${feature}/endpoints/ok7.ts`, `import { x } from '../jobs/read.ts'`],
  [`${feature}/endpoints/parts/ok8.ts`, `import { x } from '../../../../../kernel/db/index.ts'`],
  [`${feature}/endpoints/parts/ok9.ts`, `import { x } from '../../jobs/read.ts'`],
  [`${feature}/store.ts`, `import { x } from './model.ts'`],
  [`${feature}/ok10.ts`, `import { createServer } from 'node:http'`],
  [`${feature}/ok11.ts`, `import { isIP } from 'node:net'`],
  [`${feature}/ok12.test.ts`, `import { request } from 'undici'`],
  [`${server}/kernel/net/ok13.ts`, `import { request } from 'undici'`],
  [`${server}/kernel/net/ok14.ts`, `import { db } from '../db/index.ts'`],
  [`${server}/kernel/http/ok17.ts`, `import type { Socket } from 'node:net'`],
  ['packages/providers/src/testing/ok18.testkit.ts', `import { request } from 'undici'`],
  ['packages/providers/src/testing/ok18.testkit.ts', `export const x = await fetch('http://127.0.0.1')`],
  ['examples/demo/ok15.ts', `export const x = await fetch('http://127.0.0.1')`],
  ['packages/providers/src/ok16.ts', `import { x } from '@mortise/manifest'`],
]

interface Report {
  diagnostics: { category: string; message: string; location: { path: string; start: { line: number } } }[]
}

let root: string
let found: { place: string; message: string }[]

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'mortise-rules-'))
  cpSync(path.join(repository, 'biome.json'), path.join(root, 'biome.json'))
  writeFileSync(path.join(root, '.gitignore'), 'node_modules/\n')
  const files = new Map<string, string[]>()
  for (const [file, line] of [...breaches, ...allowed]) files.set(file, [...(files.get(file) ?? []), line])
  for (const [file, lines] of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), lines.map((line) => `${line}\n`).join(''))
  }
  const biome = path.join(repository, 'node_modules/@biomejs/biome/bin/biome')
  const rules = ['style/noRestrictedImports', 'style/noRestrictedGlobals'].map((rule) => `--only=${rule}`)
  const args = [biome, 'lint', ...rules, '--reporter=json', '--max-diagnostics=none', '.']
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  found = (JSON.parse(stdout) as Report).diagnostics.map(({ message, location }) => ({
    place: `${location.path}: ${files.get(location.path)?.[location.start.line - 1]}`,
    message,
  }))
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('npm run check finds', () => {
  it.each(breaches)('%s: %s', (file, line, message) => {
    const messages = found.filter(({ place }) => place === `${file}: ${line}`).map((finding) => finding.message)
    expect(messages).toEqual([expect.stringContaining(message)])
  })
})

describe('npm run check allows', () => {
  it.each(allowed)('%s: %s', (file, line) => {
    expect(found.filter(({ place }) => place === `${file}: ${line}`)).toEqual([])
  })
})
