import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { packClient, packInstalled } from '../scripts/packages.ts'
import { runOnHost } from './host.testkit.ts'

/**
 * The client as a stranger gets it: packed, installed without a network into an empty project, type-checked strictly,
 * and run.
 */

const root = fileURLToPath(new URL('../', import.meta.url))

let app: TestApp
let home: string
let project: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mortise-client-'))
  project = join(home, 'stranger')
  await mkdir(project)
  const tarballs = Promise.all([packClient(home), packInstalled(await dependencies(), home)])
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'stranger', type: 'module', private: true }))
  await onHost('npm', 'install', '--offline', '--no-audit', '--no-fund', ...(await tarballs).flat())
})
afterAll(async () => {
  await app?.stop()
  await rm(home, { recursive: true })
})

/** Folders of everything that the project installs besides the client, so that it needs no registry. */
async function dependencies(): Promise<string[]> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const found = new Set<string>()
  const add = (name: string) => {
    const folder = `node_modules/${name}`
    if (found.has(folder)) return
    found.add(folder)
    Object.keys(packages[folder].dependencies ?? {}).forEach(add)
  }
  // The types of a library of the client name `Buffer`.
  for (const name of [...Object.keys(packages['packages/client'].dependencies), '@types/node']) add(name)
  return [...found].map((folder) => join(root, folder))
}

async function onHost(program: string, ...args: string[]) {
  const env = { HOME: home, MORTISE_URL: app.url, MORTISE_API_KEY: app.apiKey }
  return await runOnHost(program, args, { cwd: project, env })
}

const program = `import { createClient, MortiseProblem, verifyWebhook, type Item } from '@mortise/client'

const mortise = createClient({ baseUrl: process.env.MORTISE_URL ?? '', apiKey: process.env.MORTISE_API_KEY ?? '', project: 'default' })
const made = await mortise.createDestination({
  body: { name: 'orders', type: 'webhook', metadata: { url: 'https://example.com/hooks' } },
})
const names: string[] = (await mortise.listDestinations()).map((one: Item<'listDestinations'>) => one.name)
// @ts-expect-error There is no such operation.
mortise.createDestinations
try {
  await mortise.getIntegration({ integrationIdOrName: 'none' })
} catch (error) {
  if (!(error instanceof MortiseProblem)) throw error
  console.log(JSON.stringify({ id: typeof made.id, names, code: error.code, verify: typeof verifyWebhook }))
}
`

test('its types hold in an empty project under strict, without skipLibCheck', async () => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    outDir: 'out',
  }
  await writeFile(join(project, 'main.ts'), program)
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const checked = await runOnHost(process.execPath, [tsc, '-p', project], { cwd: project, env: {} }).catch(
    (error: { stdout: string }) => error,
  )
  expect(checked.stdout).toBe('')
})

test('it runs on the Node of the machine', async () => {
  const { stdout } = await onHost('node', 'out/main.js')
  expect(JSON.parse(stdout)).toEqual({
    id: 'string',
    names: ['orders'],
    code: 'integration-not-found',
    verify: 'function',
  })
})

test('it brings its license', async () => {
  expect(await readFile(join(project, 'node_modules/@mortise/client/LICENSE'), 'utf8')).toContain('Apache License')
})
