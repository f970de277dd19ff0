import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const json = <T>(file: string): T => JSON.parse(readFileSync(root + file, 'utf8')) as T

interface Locked {
  name: string
  link?: boolean
  integrity?: string
  hasInstallScript?: boolean
}

/** Returns every package of the lockfile that comes from a registry. */
export function lockedPackages(): Locked[] {
  return Object.entries(json<{ packages: Record<string, Locked> }>('package-lock.json').packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path, one]) => ({ ...one, name: path.replace(/^.*node_modules\//, '') }))
}

/** Names of packages that the lockfile does not pin with a SHA-512 hash. */
export function unpinned(packages: Locked[]): string[] {
  return packages.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(({ name }) => name)
}

/** Names of packages with an install script, and of those that `allowScripts` decides on. */
export function installScripts(packages: Locked[]): { present: string[]; decided: string[] } {
  const present = new Set(packages.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name))
  const { allowScripts } = json<{ allowScripts: Record<string, boolean> }>('package.json')
  return { present: [...present].toSorted(), decided: Object.keys(allowScripts).toSorted() }
}

/** Dependencies of what runs whose version is not exact. */
export function inexactVersions(): string[] {
  const files = ['package.json', ...globSync(['packages/*/package.json', 'examples/*/package.json'], { cwd: root })]
  return files.flatMap((file) =>
    Object.entries(json<{ dependencies?: Record<string, string> }>(file).dependencies ?? {})
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${file}: ${name} ${version}`),
  )
}

const auditTimeoutMs = 60_000

/**
 * Asks the registry for known vulnerabilities of level high or critical. `unavailable` where the registry does not
 * answer that.
 */
export function auditPackages(): Promise<{ high: number; packages: string[] } | { unavailable: string }> {
  return new Promise((resolve) => {
    const options = { cwd: root, timeout: auditTimeoutMs, maxBuffer: 64 * 1024 * 1024 }
    // npm ends with an error code when it found something, too: what it printed decides.
    execFile('npm', ['audit', '--json', '--loglevel=silent'], options, (error, stdout) => {
      const report = parsed(stdout)
      const { high = 0, critical = 0 } = report?.metadata?.vulnerabilities ?? {}
      if (!report?.metadata)
        resolve({ unavailable: report?.message?.split(' - ')[0] ?? error?.message ?? 'npm printed no report' })
      else {
        const packages = Object.entries(report.vulnerabilities ?? {})
          .filter(([, { severity }]) => severity === 'high' || severity === 'critical')
          .map(([name]) => name)
        resolve({ high: high + critical, packages })
      }
    })
  })
}

interface AuditReport {
  message?: string
  metadata?: { vulnerabilities: { high: number; critical: number } }
  vulnerabilities?: Record<string, { severity: string }>
}

function parsed(text: string): AuditReport | undefined {
  try {
    return JSON.parse(text) as AuditReport
  } catch {
    return undefined
  }
}
