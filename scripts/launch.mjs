import path from 'node:path'
import { runChecks } from './checks.mjs'
import { install, installedNode, isInstalled } from './dependencies.mjs'
import { runChild } from './run-child.mjs'
import { serviceEnvironment, serviceFlags } from './service-flags.mjs'

/** The program behind `npm start`. */
const service = 'packages/server/start.mjs'

const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '..')

/** Runs what the arguments of run.mjs ask for and resolves with its exit code. */
export async function launch([what, ...args]) {
  if (what === undefined) {
    console.error('usage: node scripts/run.mjs FILE [ARGUMENT…] | --test [ARGUMENT…] | --check')
    return 2
  }
  // The service itself runs without the tools of development, as a slim image has it.
  const isService = what.startsWith('packages/')
  const tools = !isService
  if (!isInstalled(root, { tools }) && !(await install(root, { tools }))) return 1

  if (what === '--check') return runChecks(root, node)
  // The native loader writes nothing into node_modules, which may be another user's.
  if (what === '--test') return node([file('node_modules/vitest/vitest.mjs'), 'run', '--configLoader=native', ...args])
  if (!isService) return node(['--conditions=mortise-source', file(what), ...args])
  const run = (program) => node([...serviceFlags, '--conditions=mortise-source', program, ...args], serviceEnvironment)
  if (what !== service) return await run(file(what))
  const program = await serviceProgram()
  const { buildConsoleBeside } = await import('./build-console.mjs')
  const stopBuild = buildConsoleBeside(root, installedNode(root))
  try {
    return await run(program)
  } finally {
    stopBuild()
  }
}

/** Returns the bundle of the service, which the first start of these sources builds; or its source. */
async function serviceProgram() {
  const { buildService } = await import('./build-service.mjs')
  const { buildConnect } = await import('./build-connect.mjs')
  await buildConnect(root).catch((error) => {
    console.error(`Connect pages work without scripts, because those cannot be built: ${error.message}`)
  })
  const folder = await buildService(root).catch((error) => {
    console.error(`The service starts from its sources, because its bundle cannot be built: ${error.message}`)
  })
  return folder === undefined ? file('packages/server/src/main.ts') : path.join(folder, 'main.js')
}

/**
 * Runs the installed Node in this process's place and resolves with its exit code. `defaults` stand back behind the
 * environment.
 */
function node(args, defaults = {}) {
  const env = { NODE_COMPILE_CACHE: file('node_modules/.cache/node'), ...defaults, ...process.env }
  return runChild(installedNode(root), ['--disable-warning=ExperimentalWarning', ...args], { env })
}

function file(relative) {
  return path.resolve(root, relative)
}
