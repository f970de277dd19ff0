import { readdirSync } from 'node:fs'
import path from 'node:path'

/**
 * Runs every check, also after one has failed, and resolves with 0 when all passed. `node` runs a program and resolves
 * with its exit code.
 */
export async function runChecks(root, node) {
  const failed = []
  for (const [name, ...command] of steps(root)) {
    console.log(`› ${name}`)
    if ((await node(command)) !== 0) failed.push(name)
  }
  if (failed.length === 0) console.log('all checks passed')
  else console.error(`failed: ${failed.join(', ')}`)
  return failed.length === 0 ? 0 : 1
}

/** Files that run in a browser know other globals, so they are a project of their own. */
const browserCode = ['packages/server/src/features/platform/api-docs/browser', 'packages/connect', 'packages/console']

function steps(root) {
  const scripts = path.join(root, 'scripts')
  const own = readdirSync(scripts).filter((name) => /^check-[\w-]+\.mjs$/.test(name))
  return [
    [
      'format, lint and imports',
      path.join(root, 'node_modules/@biomejs/biome/bin/biome'),
      'ci',
      '--error-on-warnings',
      ...(process.stdout.isTTY ? [] : ['--colors=off']),
      root,
    ],
    ['types', path.join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', root],
    ...browserCode.map((folder) => [
      `types of browser code in ${folder}`,
      path.join(root, 'node_modules/typescript/bin/tsc'),
      '--noEmit',
      '-p',
      path.join(root, folder),
    ]),
    ...own.map((name) => [
      name.replace(/^check-|\.mjs$/g, ''),
      '--conditions=mortise-source',
      path.join(scripts, name),
    ]),
  ]
}
