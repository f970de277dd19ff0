/**
 * Behind every npm script: brings the dependencies up to the lockfile, then goes on with the Node that comes with them,
 * whatever Node the host has.
 *
 *   node scripts/run.mjs FILE [ARGUMENT…]   run a program of this repository from its source
 *   node scripts/run.mjs --test [ARGUMENT…] run the tests (arguments go to vitest)
 *   node scripts/run.mjs --check            run every check
 *
 * This first file is plain enough for any old Node to get as far as the sentence below.
 */
const oldest = 20
if (Number(process.versions.node.split('.')[0]) < oldest) {
  console.error(`Mortise needs Node ${oldest} or newer to start; this is Node ${process.versions.node}.`)
  process.exit(1)
}
const { launch } = await import('./launch.mjs')
process.exitCode = await launch(process.argv.slice(2))
