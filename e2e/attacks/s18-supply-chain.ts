import { writeSbom } from '../../scripts/sbom.ts'
import { auditPackages, inexactVersions, installScripts, lockedPackages, unpinned } from '../../scripts/supply-chain.ts'
import type { Attack } from './attack.ts'

/**
 * Looks for a package that could change without a change of this repository, or that runs code when it is installed.
 * The long form asks the registry for known vulnerabilities; the short form needs no network.
 */

export const attack: Attack = {
  id: 'S18',
  title:
    'Every package is pinned, none runs an install script that is not allowed, and the audit of the registry, where it answers, finds nothing grave.',
  async run({ long }) {
    const packages = lockedPackages()
    const { present, decided } = installScripts(packages)
    const undecided = present.filter((name) => !decided.includes(name))
    const audit = long ? await auditPackages() : { unavailable: 'asked by the long form' }
    const { components } = await writeSbom()
    const faults = [
      ...unpinned(packages).map((name) => `${name} is not pinned by a hash.`),
      ...undecided.map((name) => `${name} has an install script that nothing decides on.`),
      ...inexactVersions().map((name) => `${name} is no exact version.`),
      ...('packages' in audit ? audit.packages.map((name) => `${name} has a known vulnerability.`) : []),
    ]
    return {
      passed: packages.length > 100 && components.length > 100 && (!('high' in audit) || audit.high === 0),
      figures: {
        packages: packages.length,
        installScripts: present.length,
        sbomComponents: components.length,
        audit: 'high' in audit ? `${audit.high} high` : `unavailable (${audit.unavailable})`,
      },
      faults,
    }
  },
}
