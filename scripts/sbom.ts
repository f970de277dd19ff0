import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type LockedPackage, productionPackages } from './production-packages.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const run = promisify(execFile)

export interface Component {
  'bom-ref': string
  type: string
  name: string
  version: string
  scope?: 'required' | 'optional'
  purl: string
  hashes?: { alg: string; content: string }[]
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[]
}

export interface Bom {
  bomFormat: 'CycloneDX'
  specVersion: string
  serialNumber: string
  version: number
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/**
 * Returns the CycloneDX document of what runs: the server, the command line, the client and their production
 * dependencies. npm writes the components from the lockfile, without a network. Its own `--omit dev` is not used: npm
 * 11 then also leaves out each production dependency that a development dependency needs too (`jose`, `yaml`,
 * `pg-protocol` and some 20 more).
 */
export async function writeSbom(): Promise<Bom> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel=error']
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  const bom = JSON.parse(stdout) as Bom
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const kept = new Map(productionPackages(lock.packages).map((locked) => [`${locked.name}@${locked.version}`, locked]))
  const components = bom.components
    .filter(({ 'bom-ref': ref }) => kept.has(ref))
    .map((component) => {
      const { name = component.name, optional } = kept.get(component['bom-ref']) ?? {}
      // npm calls a workspace by its folder, and gives the scope of an optional package to whatever it reaches first.
      return { ...component, name, scope: optional === true ? ('optional' as const) : ('required' as const) }
    })
  const main = bom.metadata.component
  const application = { ...main, type: 'application', name: 'mortise' }
  const dependencies = bom.dependencies
    .filter(({ ref }) => ref === main['bom-ref'] || kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }))
  return { ...bom, metadata: { ...bom.metadata, component: application }, components, dependencies }
}
