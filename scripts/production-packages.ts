/** What runs in production, on a server or in a browser. The examples are left out: you read them, and try them. */
const entries = ['packages/server', 'packages/cli', 'packages/client', 'packages/connect', 'packages/console']

/** A package as package-lock.json describes it, under the path where it is installed. */
export interface LockedPackage {
  name?: string
  version?: string
  link?: boolean
  resolved?: string
  optional?: boolean
  integrity?: string
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/**
 * Returns the packages that the server, the command line, the client and the pages need to run, each by its name, with
 * the Node that the root brings. Follows names as Node does: from the folder of the one that needs them, upwards.
 */
export function productionPackages(packages: Record<string, LockedPackage>): LockedPackage[] {
  const found = new Map<string, LockedPackage>()
  const visit = (path: string): void => {
    const locked = packages[path]
    if (locked === undefined || found.has(path)) return
    if (locked.link === true && locked.resolved !== undefined) {
      visit(locked.resolved)
      return
    }
    found.set(path, { ...locked, name: locked.name ?? path.replace(/^.*node_modules\//, '') })
    const { dependencies, optionalDependencies, peerDependencies } = locked
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const at = installedAt(packages, path, name)
      if (at !== undefined) visit(at)
    }
  }
  for (const path of [...entries, 'node_modules/node']) visit(path)
  return [...found.values()]
}

function installedAt(packages: Record<string, LockedPackage>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}
