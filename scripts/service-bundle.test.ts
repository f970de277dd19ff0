import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundleFolder, serviceProgram } from './service-bundle.mjs'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mortise-bundle-'))
  for (const name of ['cli', 'client', 'manifest', 'providers', 'server'])
    await write(`packages/${name}/src/index.ts`, name)
  await write('packages/server/src/main.ts', 'start()')
  await write('package-lock.json', '{}')
  await write('scripts/build-service.mjs', '')
})
afterEach(() => rm(root, { recursive: true }))

async function write(file: string, content: string) {
  const path = join(root, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

it('the service runs from its sources until they are bundled', async () => {
  const source = join(root, 'packages/server/src/main.ts')
  expect(serviceProgram(root)).toBe(source)
  const bundle = join(bundleFolder(root), 'main.js')
  await mkdir(dirname(bundle), { recursive: true })
  await writeFile(bundle, '')
  expect(serviceProgram(root)).toBe(bundle)
})

it.each([
  'packages/server/src/main.ts',
  'packages/cli/src/index.ts',
  'packages/client/src/index.ts',
  'packages/manifest/src/index.ts',
  'packages/providers/src/added.ts',
  'package-lock.json',
  'scripts/build-service.mjs',
])('a bundle is of no use once %s has changed', async (file) => {
  const before = bundleFolder(root)
  await write(file, 'changed')
  expect(bundleFolder(root)).not.toBe(before)
})

it('tests are not part of a bundle', async () => {
  const before = bundleFolder(root)
  await write('packages/server/src/main.test.ts', '')
  await write('packages/server/src/endpoints/get.cases.ts', '')
  expect(bundleFolder(root)).toBe(before)
})
