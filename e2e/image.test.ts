import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * The container image has a command line that runs: on what its Dockerfile installs, and on the Node of the image
 * alone.
 */

const exec = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))

interface Locked {
  dependencies?: Record<string, string>
  link?: boolean
  resolved?: string
}

let image: string
beforeAll(async () => {
  image = await mkdtemp(join(tmpdir(), 'mortise-image-'))
  await exec('cp', ['-R', ...['package.json', 'packages'].map((name) => join(root, name)), image])
  await copyDocs()
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  const workspaces = [...dockerfile.matchAll(/--workspace=(@mortise\/\w+)/g)].map(([, name = '']) => name)
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  for (const folder of installedFor(workspaces, packages)) await install(folder, packages[folder])
})
afterAll(() => rm(image, { recursive: true }))

/** Copies what `.dockerignore` leaves of `docs`. The last rule that matches decides. */
async function copyDocs(): Promise<void> {
  const rules = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n').filter(Boolean)
  for (const name of await readdir(join(root, 'docs'))) {
    const last = rules.findLast((rule) => matchesGlob(`docs/${name}`, rule.replace(/^!/, '')))
    if (last === undefined || last.startsWith('!'))
      await cp(join(root, 'docs', name), join(image, 'docs', name), { recursive: true })
  }
}

/** Folders that `npm ci --omit=dev` with these workspaces installs, by the lockfile. Optional packages are left out. */
function installedFor(workspaces: string[], packages: Record<string, Locked>): Set<string> {
  const found = new Set<string>()
  const add = (name: string, from: string) => {
    const nested = `${from}/node_modules/${name}`
    const folder = packages[nested] ? nested : `node_modules/${name}`
    const entry = packages[folder]
    if (!entry || found.has(folder)) return
    found.add(folder)
    const real = entry.link ? (entry.resolved ?? '') : folder
    for (const below of Object.keys(packages[real]?.dependencies ?? {})) add(below, real)
  }
  for (const name of workspaces) add(name, '')
  return found
}

async function install(folder: string, { link, resolved = '' }: Locked): Promise<void> {
  const target = join(image, folder)
  await mkdir(dirname(target), { recursive: true })
  if (link) await symlink(join(image, resolved), target)
  else await cp(join(root, folder), target, { recursive: true })
}

/** Runs the command as the image does, whose PATH has `node_modules/.bin`. */
async function mortise(...argv: string[]) {
  const bin = join(image, 'node_modules/@mortise/cli/bin/mortise.mjs')
  return await exec(process.execPath, [bin, ...argv], { cwd: image, env: { PATH: dirname(process.execPath) } })
}

test('it prints its version and checks a manifest', async () => {
  expect((await mortise('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const { stderr } = await mortise(
    'validate',
    join(root, 'examples/manifests/sample-crm.yaml'),
    '--own-provider',
    'sampleCrm',
  )
  expect(stderr).toContain('0 errors')
})

test('it has the guides that /docs serves, and the script of the pages', async () => {
  const folder = './packages/server/src/features/platform/api-docs'
  const program = `
    const { allGuides } = await import('${folder}/guides/guides.ts')
    const { allDocuments } = await import('${folder}/documents/documents.ts')
    const { pageScript } = await import('${folder}/pages/page-script.ts')
    console.log(JSON.stringify({ guides: [...allGuides().keys()], script: pageScript().text.length > 0, documents: allDocuments().map(({ path }) => path) }))`
  const { stdout } = await exec(
    process.execPath,
    ['--conditions=mortise-source', '--input-type=module', '-e', program],
    { cwd: image },
  )
  const pages = (await readdir(join(root, 'docs'), { recursive: true })).filter((file) => file.endsWith('.md'))
  const files = pages.filter((file) => !file.includes('/'))
  const guides = files.filter((file) => file !== 'README.md').map((file) => file.slice(0, -3))
  const { documents, ...rest } = JSON.parse(stdout)
  expect(rest).toEqual({ guides: guides.toSorted(), script: true })
  expect(documents.toSorted()).toEqual(pages.map((file) => file.slice(0, -3)).toSorted())
})

test('it can serve tools for coding agents', async () => {
  const bin = join(image, 'node_modules/@mortise/cli/bin/mortise.mjs')
  const running = exec(process.execPath, [bin, 'mcp'], { cwd: image, env: { PATH: dirname(process.execPath) } })
  running.child.stdin?.end()
  expect(await running).toEqual({ stdout: '', stderr: '' })
})

test('it can back up, which loads the service', async () => {
  const ended = await mortise('backup', '-', '--data-dir', join(image, 'none')).catch((error) => error)
  expect(ended.stderr).not.toMatch(/ERR_MODULE_NOT_FOUND|Cannot find/)
  expect(ended.stderr).toContain('none')
})
