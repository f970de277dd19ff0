import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Bom, writeSbom } from './sbom.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  packages: Record<string, { name?: string; version?: string; dev?: boolean; integrity?: string; license?: string }>
}
const ours = [
  '@mortise/cli',
  '@mortise/client',
  '@mortise/connect',
  '@mortise/console',
  '@mortise/manifest',
  '@mortise/providers',
  '@mortise/server',
]

interface Tree {
  version?: string
  dependencies?: Record<string, Tree>
}

describe('the software bill of materials', () => {
  let bom: Bom
  beforeAll(async () => {
    bom = await writeSbom()
  })

  it('lists exactly the packages that npm installs for production', async () => {
    const workspaces = ['server', 'cli', 'client', 'connect', 'console'].flatMap((name) => ['-w', `@mortise/${name}`])
    const args = ['ls', '--all', '--json', '--omit=dev', '--package-lock-only', '--include-workspace-root']
    const { stdout } = await promisify(execFile)('npm', [...args, ...workspaces], { cwd: root, maxBuffer: 64 << 20 })
    const installed = new Set(names(JSON.parse(stdout) as Tree))
    expect(bom.components.map(({ 'bom-ref': ref }) => ref).toSorted()).toEqual([...installed].toSorted())
  })

  it('names each by package URL, version and hash as the lockfile has them, once', () => {
    expect(new Set(bom.components.map(({ 'bom-ref': ref }) => ref)).size).toBe(bom.components.length)
    for (const { name, version, purl, hashes, type } of bom.components) {
      expect(type).toBe('library')
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`)
      const locked = Object.entries(packages).filter(
        ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version,
      )
      const sums = locked.flatMap(([, { integrity }]) => integrity ?? [])
      const shown = hashes?.map(({ alg, content }) => [alg, Buffer.from(content, 'hex').toString('base64')])
      expect(shown ?? []).toEqual(ours.includes(name) ? [] : [['SHA-512', sums[0]?.replace('sha512-', '')]])
    }
  })

  it('says the license of every package', () => {
    const without = bom.components.filter(({ licenses }) => (licenses ?? []).length === 0).map(({ name }) => name)
    expect(without).toEqual([])
  })

  it('is CycloneDX 1.5, about Mortise, and refers to nothing that it does not hold', () => {
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 })
    expect(bom.serialNumber).toMatch(/^urn:uuid:[0-9a-f-]{36}$/)
    expect(bom.metadata.component).toMatchObject({ type: 'application', name: 'mortise' })
    const refs = new Set([bom.metadata.component, ...bom.components].map(({ 'bom-ref': ref }) => ref))
    const used = bom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
    expect(used.filter((ref) => !refs.has(ref))).toEqual([])
  })
})

/** The names of packages that are installed under another one. */
const aliases = new Map(
  Object.entries(packages).flatMap(([path, { name }]) =>
    path.includes('node_modules/') && name !== undefined ? [[path.replace(/^.*node_modules\//, ''), name]] : [],
  ),
)

/** Packages of a tree, as `name@version`; those that are not installed on any machine have no version. */
function names({ dependencies = {} }: Tree): string[] {
  return Object.entries(dependencies).flatMap(([name, tree]) => [
    ...(tree.version === undefined ? [] : [`${aliases.get(name) ?? name}@${tree.version}`]),
    ...names(tree),
  ])
}
