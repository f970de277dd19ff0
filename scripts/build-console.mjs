import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildFolder, isBuilt } from './built-folder.mjs'

const built = {
  folder: 'packages/console/dist/browser',
  sources: [
    'packages/console/src',
    'packages/console/scripts',
    'packages/console/index.html',
    'packages/console/vite.config.ts',
    'packages/client/src',
  ],
  async build(outDir) {
    const { build } = await import('../packages/console/scripts/build.mjs')
    await build({ outDir })
  },
}

/**
 * Builds the console for browsers, unless that of these sources is there. Returns false where Vite is not installed or
 * the folder cannot be written; the page of the console then says how to build it.
 */
export async function buildConsole(root) {
  if (isBuilt(root, built)) return true
  return hasVite(root) ? await buildFolder(root, built) : false
}

/**
 * Builds the console in another process, which yields the processors to the service: a start does not wait for it. A
 * service of other sources must not read what was built before, so that is removed first. Returns what stops the build.
 */
export function buildConsoleBeside(root, node) {
  if (isBuilt(root, built) || !hasVite(root)) return () => undefined
  try {
    rmSync(path.join(root, built.folder), { recursive: true, force: true })
  } catch {
    // Another user's folder stays as it is, and cannot be built into either.
    return () => undefined
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), root], { stdio: ['ignore', 'ignore', 'inherit'] })
  child.once('error', () => undefined)
  if (child.pid !== undefined) lowerPriority(child.pid)
  return () => void child.kill()
}

function lowerPriority(pid) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system refuses.
  }
}

/** Vite alone may be there for the tests, without what the console needs. */
function hasVite(root) {
  const folders = ['packages/console/node_modules', 'node_modules'].map((folder) => path.join(root, folder))
  return ['vite', '@vitejs/plugin-react'].every((name) => folders.some((folder) => existsSync(path.join(folder, name))))
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  // Leaves by the handlers that remove what is half built.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
  await buildConsole(process.argv[2]).catch((error) => {
    console.error(`The console cannot be built: ${error.message}`)
    process.exitCode = 1
  })
}
