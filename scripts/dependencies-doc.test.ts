import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))

interface PackageFile {
  version: string
  license?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
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
  const files = ['', ...workspaces.map((file) => file.replace(/package\.json$/, ''))]
  const rows = files
    .filter((folder) => existsSync(`${root}${folder}package.json`))
    .flatMap((folder) => {
      const { dependencies, devDependencies, optionalDependencies } = packageFile(`${folder}package.json`)
      return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter((name) => !/^@mortise(-examples)?\//.test(name))
        .map((name) => installed(folder, name))
    })
  return [...new Set(rows)]
}

/** A dependency as the folder gets it: a version that only one workspace has is installed inside it. */
function installed(folder: string, name: string): string {
  const own = `${folder}node_modules/${name}/package.json`
  const { version, license } = packageFile(existsSync(`${root}${own}`) ? own : `node_modules/${name}/package.json`)
  return `${name} ${version} ${license}`
}

function packageFile(file: string): PackageFile {
  return JSON.parse(readFileSync(`${root}${file}`, 'utf8')) as PackageFile
}
