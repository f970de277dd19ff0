import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { withLock } from './lock.mjs'

/**
 * Whether node_modules holds what package-lock.json says, for this kind of machine. npm keeps a lockfile of what it
 * installed; the two are compared by content, because a checkout or a copy moves the times of files. Optional packages
 * of other machines may be missing, and the tools of development unless `tools` are wanted.
 */
export function isInstalled(root, { tools }) {
  const installed = packagesOf(path.join(root, 'node_modules/.package-lock.json'))
  const wanted = packagesOf(path.join(root, 'package-lock.json'))
  if (!installed || !wanted) return false
  const complete = Object.entries(wanted).every(([place, entry]) => {
    const found = installed[place]
    if (place === '') return true
    if (!found) return Boolean(entry.optional || ((entry.dev || entry.devOptional) && !tools))
    return ['version', 'integrity', 'resolved'].every((key) => found[key] === entry[key])
  })
  return complete && runsHere(installedNode(root))
}

/** The Node that comes with the dependencies. */
export function installedNode(root) {
  return path.join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/** A folder copied from another kind of machine has all files and none that runs. Costs a few milliseconds. */
function runsHere(node) {
  return /^v\d+/.test(spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 }).stdout ?? '')
}

/** Installs exactly what the lockfile says, once however many ask at the same time; false (and why) on failure. */
export function install(root, { tools }) {
  return withLock(path.join(root, '.mortise/install.lock'), 'is installing dependencies', async () => {
    // Another process may have installed while we were waiting.
    if (isInstalled(root, { tools })) return true
    console.error('installing dependencies…')
    const { code, output } = await npmCi(root)
    if (code !== 0) {
      console.error(output)
      console.error(`npm ci failed (exit code ${code}).`)
      return false
    }
    if (runsHere(installedNode(root))) return true
    console.error('npm ci installed everything, but the Node in node_modules cannot run on this machine.')
    return false
  })
}

function npmCi(root) {
  // npm puts node_modules/.bin first: the Node that npm ci is about to delete must not be the one that runs it.
  const inside = path.join(root, 'node_modules')
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => !folder.startsWith(inside))
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const env = { ...process.env, PATH: folders.join(path.delimiter) }
  const npm = spawn('npm', args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const chunks = []
  npm.stdout.on('data', (chunk) => chunks.push(chunk))
  npm.stderr.on('data', (chunk) => chunks.push(chunk))
  const onSignal = (signal) => npm.kill(signal)
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return new Promise((resolve) => {
    const end = (code, output) => {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
      resolve({ code, output })
    }
    npm.once('error', (error) => end(error.code, `npm cannot be run: ${error.message}`))
    npm.once('close', (code, signal) => end(code ?? signal, Buffer.concat(chunks).toString().trim()))
  })
}

function packagesOf(lockfile) {
  if (!existsSync(lockfile)) return undefined
  try {
    return JSON.parse(readFileSync(lockfile, 'utf8')).packages
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
