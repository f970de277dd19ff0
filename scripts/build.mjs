import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { buildConnect } from './build-connect.mjs'
import { buildConsole } from './build-console.mjs'
import { buildService } from './build-service.mjs'

/** `npm run build`: builds the bundle of the service, where no launcher does it: for systemd and for the image. */
const root = path.resolve(import.meta.dirname, '..')
const folder = await buildService(root)
if (folder === undefined) {
  console.error(
    'The bundle cannot be built: install the tools of development first (npm ci), in a folder that you may write.',
  )
  process.exit(1)
}
// Without it, the first start compiles the provider files.
execFileSync(process.execPath, [path.join(folder, 'build-catalogue.js')], { stdio: 'inherit' })
await buildConnect(root).catch((error) => {
  console.error(`Connect pages work without scripts, because those cannot be built: ${error.message}`)
})
const consoleBuilt = await buildConsole(root).catch((error) => {
  console.error(`The console cannot be built: ${error.message}`)
  process.exitCode = 1
})
if (consoleBuilt === false) console.error('The console cannot be built: install its tools first (npm ci).')
console.log(path.relative(process.cwd(), folder))
