import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../../testkit/test-app.ts'
import { chaptersOf, type OpenApiView } from '../../openapi-view.ts'
import { samplesOf } from './samples-html.ts'

const root = resolve(import.meta.dirname, '../../../../../../../..')
let app: TestApp
let folder: string
/** Samples by language and id of the endpoint. */
const samples: Record<string, Map<string, string>> = { curl: new Map(), TypeScript: new Map(), Python: new Map() }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'samples-'))
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  const view = (await app.call<OpenApiView>('GET', '/openapi.json', undefined, { apiKey: null })).body
  for (const entry of chaptersOf(view).flatMap(({ entries }) => entries))
    if (entry.path !== '') for (const [language, text] of samplesOf(view, entry)) samples[language]?.set(entry.id, text)
})
afterAll(async () => {
  await app?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a program on the files of the samples, and returns what it says. */
function checked(command: string, args: string[], input?: string) {
  const { stdout, stderr, status } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', input })
  return { said: `${stdout}${stderr}`, status }
}

it('every TypeScript sample satisfies the type checker', () => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'samples'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  for (const [id, text] of samples['TypeScript'] ?? []) writeFileSync(join(folder, 'samples', `${id}.ts`), text)
  const compilerOptions = { noEmit: true, customConditions: ['mortise-source'], rootDir: '/', types: ['node'] }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['samples'] }),
  )
  expect(samples['TypeScript']?.size).toBeGreaterThan(80)
  expect(checked(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])).toEqual({
    said: '',
    status: 0,
  })
})

it('a shell parses every curl sample', () => {
  const script = [...(samples['curl'] ?? new Map()).values()].join('\n')
  expect(checked('sh', ['-n'], script)).toEqual({ said: '', status: 0 })
})

it.skipIf(spawnSync('python3', ['--version']).status !== 0)('Python parses every Python sample', () => {
  const program = 'import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)'
  const texts = JSON.stringify([...(samples['Python'] ?? new Map()).values()])
  expect(checked('python3', ['-c', program], texts)).toEqual({ said: '', status: 0 })
})

it('every endpoint has samples in curl and Python', () => {
  expect([...(samples['Python'] ?? new Map()).keys()]).toEqual([...(samples['curl'] ?? new Map()).keys()])
})
