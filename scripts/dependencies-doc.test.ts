import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))

interface PackageFile {
  version: string
  license?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

it('docs/dependencies.md lists every dependency, with its version and licence, and nothing else', () => {
  const page = readFileSync(`${root}docs/dependencies.md`, 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` \| (\S+) \|.*\| ([^|]+) \|$/gm)]
  const listed = rows.map(([, name, version, licence]) => `${name} ${version} ${licence}`)
  expect(listed.toSorted()).toEqual(declared().toSorted())
})

/** What the package.json files declare, our own packages apart, as installed. */
function declared(): string[] {
  const workspaces = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(`${root}${folder}`).map((name) => `${folder}/${name}/package.json`),
  )
  const names = new Set(
    ['package.json', ...workspaces]
      .filter((file) => existsSync(`${root}${file}`))
      .map(packageFile)
      .flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies }))
      .filter((name) => !/^@mortise(-examples)?\//.test(name)),
  )
  return [...names].map((name) => {
    const { version, license } = packageFile(`node_modules/${name}/package.json`)
    return `${name} ${version} ${license}`
  })
}

function packageFile(file: string): PackageFile {
  return JSON.parse(readFileSync(`${root}${file}`, 'utf8')) as PackageFile
}
