import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Writes the code of a commit into an empty folder, with the dependencies of this one: its packages import each other,
 * not those of this repository. Returns false where git does not have the commit, as in an archive or a shallow clone.
 */
export function checkOut(commit: string, folder: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' })
  } catch {
    return false
  }
  const archive = execFileSync(
    'git',
    ['archive', commit, 'package.json', 'packages', 'scripts', 'examples/sample-crm/providers'],
    {
      cwd: root,
      maxBuffer: 1 << 30,
    },
  )
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  linkAll(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  for (const name of readdirSync(path.join(folder, 'packages'))) {
    const own = path.join('packages', name, 'node_modules')
    if (existsSync(path.join(root, own))) linkAll(path.join(root, own), path.join(folder, own))
  }
  return true
}

/** Links what a folder of dependencies has. Links to packages of the workspace are relative, and stay so. */
function linkAll(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    const source = path.join(from, name)
    if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), path.join(to, name))
    else if (name.startsWith('@') || name === '.bin') linkAll(source, path.join(to, name))
    else if (name !== '.cache') symlinkSync(source, path.join(to, name))
  }
}
