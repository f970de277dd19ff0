import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const json = <T>(file: string): T => JSON.parse(readFileSync(root + file, 'utf8')) as T

interface Locked {
  link?: boolean
  integrity?: string
  hasInstallScript?: boolean
}
const locked = Object.entries(json<{ packages: Record<string, Locked> }>('package-lock.json').packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
  .map(([path, one]) => ({ ...one, name: path.replace(/^.*node_modules\//, '') }))

it('the lockfile pins every package with a SHA-512 hash', () => {
  expect(locked.length).toBeGreaterThan(0)
  expect(locked.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(({ name }) => name)).toEqual([])
})

it('allowScripts decides on every package with an install script, and on no other', () => {
  const withScript = new Set(locked.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name))
  const decided = Object.keys(json<{ allowScripts: Record<string, boolean> }>('package.json').allowScripts)
  expect(decided.toSorted()).toEqual([...withScript].toSorted())
})

it('every version that runs is exact', () => {
  const files = ['package.json', ...globSync(['packages/*/package.json', 'examples/*/package.json'], { cwd: root })]
  const inexact = files.flatMap((file) =>
    Object.entries(json<{ dependencies?: Record<string, string> }>(file).dependencies ?? {})
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${file}: ${name} ${version}`),
  )
  expect(inexact).toEqual([])
})
